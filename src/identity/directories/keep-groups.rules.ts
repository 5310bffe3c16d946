// Creates and updates the rows of groups in a directory and of their members.
import { seconds } from '../../platform/clock.ts';
import { tagOf } from '../access/index.ts';
import { type Change, serviceActor } from '../audit/index.ts';
import { addMembers, insertGroup, memberIds, removeMembers, updateGroup } from '../groups/index.ts';
import {
  directoryGroupIdsOf,
  markGroupGone,
  namesTaken,
  presentGroups,
  readGroups,
  writeGroupEntry,
} from './directories.store.ts';
import type { DirectoryGroup } from './entries.ts';
import { chunksOf, createLeftOut, type KeepDeps, onceMore } from './keep-users.rules.ts';
import { publicId } from './public-id.ts';
import { changedFields, type GroupValues, groupValues, isGroupCurrent } from './rows.ts';
import type { KeptDomain } from './write-user.rules.ts';

const AT_ONCE = 100;
/** Members in one statement. */
const MEMBERS_AT_ONCE = 500;

export function createGroupKeeping({ db, clock, change, log }: KeepDeps) {
  async function writeOne(
    transaction: Change,
    { domainId, mapped }: KeptDomain,
    id: string,
    group: DirectoryGroup,
  ): Promise<void> {
    const { tx, audit, invalidate } = transaction;
    const [row] = await readGroups(tx, domainId, [group.localId]);
    const values = groupValues(group, row, mapped);
    const about = { domain_id: domainId, from: 'directory' };
    if (!row) {
      const made = { created_at: seconds(clock), version: 1, updated_at: clock.now(), external_id: null };
      await insertGroup(tx, { id, domain_id: domainId, ...values, ...made });
      invalidate(tagOf.census('groups'));
      audit('group.created', { kind: 'group', id }, about);
      return;
    }
    const fields = changedFields<GroupValues>(row, values);
    if (fields.length > 0) await updateGroup(tx, id, { ...values, updated_at: clock.now() });
    audit('group.updated', { kind: 'group', id }, { ...about, fields });
  }

  const leftOut = createLeftOut(log);

  /** An entry whose name is in use by another group is left out. */
  async function withFreeNames(domainId: string, groups: readonly DirectoryGroup[]): Promise<DirectoryGroup[]> {
    const taken =
      groups.length === 0 ? new Map() : await namesTaken(db.read, domainId, { groups: groups.map(({ name }) => name) });
    return groups.filter(({ name, localId }) => {
      const id = publicId(domainId, 'group', localId);
      const isFree = (taken.get(name) ?? id) === id;
      if (!isFree) leftOut('group', domainId, localId);
      return isFree;
    });
  }

  async function write(domain: KeptDomain, groups: readonly DirectoryGroup[]): Promise<void> {
    const { domainId } = domain;
    await change(serviceActor, async (transaction) => {
      const taken = await namesTaken(transaction.tx, domainId, { groups: groups.map(({ name }) => name) });
      for (const group of groups) {
        const id = publicId(domainId, 'group', group.localId);
        if ((taken.get(group.name) ?? id) !== id) {
          log.warn({ domain: domainId, group: group.localId }, 'entry left out: another group of the domain has its name');
          continue;
        }
        taken.set(group.name, id);
        await writeOne(transaction, domain, id, group);
        await writeGroupEntry(transaction.tx, id, { domain_id: domainId, local_id: group.localId, dn: group.dn });
      }
      transaction.audit('directory.groups_read', { kind: 'domain', id: domainId }, { entries: groups.length });
    });
  }

  async function add({ tx, audit, invalidate }: Change, groupId: string, userIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(userIds, MEMBERS_AT_ONCE)) {
      await addMembers(
        tx,
        groupId,
        chunk.map((userId) => ({ userId, display: null })),
      );
      for (const userId of chunk) invalidate(tagOf.user(userId));
      audit('group.members_added', { kind: 'group', id: groupId }, { user_ids: chunk, from: 'directory' });
    }
  }

  async function remove({ tx, audit, invalidate }: Change, groupId: string, userIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(userIds, MEMBERS_AT_ONCE)) {
      await removeMembers(tx, groupId, chunk);
      audit('group.members_removed', { kind: 'group', id: groupId }, { user_ids: chunk, from: 'directory' });
    }
    invalidate(tagOf.group(groupId));
    for (const userId of userIds) invalidate(tagOf.user(userId));
  }

  /** Members to add and to remove. Nobody is removed when the list is incomplete. */
  function difference(members: readonly string[], wanted: ReadonlySet<string>, complete: boolean) {
    const held = new Set(members);
    return {
      gone: complete ? members.filter((id) => !wanted.has(id)) : [],
      come: [...wanted].filter((id) => !held.has(id)).sort(),
    };
  }

  async function keepMembers(groupId: string, wanted: ReadonlySet<string>, complete = true): Promise<void> {
    const before = difference(await memberIds(db.read, groupId), wanted, complete);
    if (before.gone.length === 0 && before.come.length === 0) return;
    await change(serviceActor, async (transaction) => {
      const { gone, come } = difference(await memberIds(transaction.tx, groupId), wanted, complete);
      if (gone.length > 0) await remove(transaction, groupId, gone);
      if (come.length > 0) await add(transaction, groupId, come);
      await updateGroup(transaction.tx, groupId, { updated_at: clock.now() });
      transaction.audit('group.updated', { kind: 'group', id: groupId }, { members: wanted.size, from: 'directory' });
    });
  }

  return {
    async keepGroups(domain: KeptDomain, groups: readonly DirectoryGroup[]): Promise<Map<string, string>> {
      const ids = new Map<string, string>();
      for (const chunk of chunksOf(groups)) {
        const localIds = chunk.map(({ localId }) => localId);
        const known = new Map((await readGroups(db.read, domain.domainId, localIds)).map((row) => [row.local_id, row]));
        const changed = chunk.filter((group) => {
          const row = known.get(group.localId);
          return !row || !isGroupCurrent(row, group, domain.mapped);
        });
        const free = await withFreeNames(domain.domainId, changed);
        if (free.length > 0) await onceMore(() => write(domain, free));
        const rows = free.length > 0 ? await readGroups(db.read, domain.domainId, localIds) : known.values();
        for (const row of rows) ids.set(row.local_id, row.id);
      }
      return ids;
    },

    keepMembers,

    /** Sets the groups of one user, after a login. */
    async keepGroupsOf(domainId: string, userId: string, wanted: ReadonlySet<string>): Promise<void> {
      const now = await directoryGroupIdsOf(db.read, domainId, userId);
      if (now.length === wanted.size && now.every((id) => wanted.has(id))) return;
      await change(serviceActor, async (transaction) => {
        const held = new Set(await directoryGroupIdsOf(transaction.tx, domainId, userId));
        for (const id of held) if (!wanted.has(id)) await remove(transaction, id, [userId]);
        for (const id of wanted) if (!held.has(id)) await add(transaction, id, [userId]);
        transaction.audit('user.updated', { kind: 'user', id: userId }, { fields: ['groups'], from: 'directory' });
      });
    },

    /** Removes the members of groups whose entries are gone. The groups and their grants stay. */
    async closeOtherGroups(domainId: string, present: ReadonlySet<string>): Promise<void> {
      for (let after = ''; ; ) {
        const page = await presentGroups(db.read, domainId, after, AT_ONCE);
        for (const { id } of page.filter(({ local_id }) => !present.has(local_id))) {
          await keepMembers(id, new Set());
          await change(serviceActor, async ({ tx, audit }) => {
            await markGroupGone(tx, id, clock.now());
            audit('group.updated', { kind: 'group', id }, { from: 'directory', gone: true });
          });
        }
        if (page.length < AT_ONCE) return;
        after = page.at(-1)!.id;
      }
    },
  };
}

export type GroupKeeping = ReturnType<typeof createGroupKeeping>;
