// Creates and updates the rows of groups in a directory.
import { type Change, serviceActor } from '../../ground/audit/index.ts';
import { insertGroupRow, updateGroupRow } from '../groups/index.ts';
import { chunksOf } from './chunks.ts';
import { type GroupInDirectory, groupNamesTaken, readGroups, writeGroupEntry } from './directories.store.ts';
import type { DirectoryGroup } from './entries.ts';
import type { KeepDeps } from './keep-users.rules.ts';
import { publicId } from './public-id.ts';
import { changedValues, type GroupValues, groupValues, isGroupCurrent } from './rows.ts';
import type { MappedDomain } from './write-user.rules.ts';
import { AT_ONCE, writeOrSkip } from './writing.ts';

const FROM = { from: 'directory' };
const NAME_TAKEN = 'another group of the domain has its name';

export function createGroupKeeping({ db, clock, change, leftOut }: KeepDeps) {
  const rowsOf = async (reader: Parameters<typeof readGroups>[0], domainId: string, groups: readonly DirectoryGroup[]) => {
    const localIds = groups.map(({ localId }) => localId);
    return new Map((await readGroups(reader, domainId, localIds)).map((row) => [row.local_id, row]));
  };

  async function writeOne(
    transaction: Change,
    { domainId, mapped }: MappedDomain,
    row: GroupInDirectory | undefined,
    group: DirectoryGroup,
  ): Promise<void> {
    const id = publicId(domainId, 'group', group.localId);
    const values = groupValues(group, row, mapped);
    if (row) {
      const changed = changedValues<GroupValues>(row, values);
      await updateGroupRow(transaction, clock, id, changed, { domain_id: domainId, ...FROM, fields: Object.keys(changed) });
    } else await insertGroupRow(transaction, clock, { id, domain_id: domainId, ...values, external_id: null }, FROM);
    await writeGroupEntry(transaction.tx, id, { domain_id: domainId, local_id: group.localId, dn: group.dn });
  }

  /** Groups whose entries are gone give their names away. An entry whose name is in use otherwise is left out. */
  async function write(domain: MappedDomain, groups: readonly DirectoryGroup[]): Promise<void> {
    const { domainId } = domain;
    await change(serviceActor, async (transaction) => {
      const { tx, audit } = transaction;
      const names = groups.map(({ name }) => name);
      const [rows, taken] = [await rowsOf(tx, domainId, groups), await groupNamesTaken(tx, domainId, names)];
      // The same order in every process, so that they do not deadlock.
      for (const group of groups.toSorted((a, b) => (a.localId < b.localId ? -1 : 1))) {
        const id = publicId(domainId, 'group', group.localId);
        const holder = taken.get(group.name);
        if (holder && holder.id !== id) {
          if (!holder.isGone) {
            leftOut('group', domainId, group.localId, NAME_TAKEN);
            continue;
          }
          await updateGroupRow(transaction, clock, holder.id, { name: holder.id }, { fields: ['name'], ...FROM });
        }
        taken.set(group.name, { id, isGone: false });
        await writeOne(transaction, domain, rows.get(group.localId), group);
      }
      audit('directory.groups_read', { kind: 'domain', id: domainId }, { entries: groups.length });
    });
  }

  return {
    async keepGroups(domain: MappedDomain, groups: readonly DirectoryGroup[]): Promise<Map<string, string>> {
      const { domainId, mapped } = domain;
      const ids = new Map<string, string>();
      for (const chunk of chunksOf(groups, AT_ONCE)) {
        const rows = await rowsOf(db.read, domainId, chunk);
        const changed = chunk.filter((group) => {
          const row = rows.get(group.localId);
          return !row || !isGroupCurrent(row, group, mapped);
        });
        // Nothing is written for those who are left out each time.
        const taken = await groupNamesTaken(
          db.read,
          domainId,
          changed.map(({ name }) => name),
        );
        const free = changed.filter(({ name, localId }) => {
          const holder = taken.get(name);
          const isFree = !holder || holder.isGone || holder.id === publicId(domainId, 'group', localId);
          if (!isFree) leftOut('group', domainId, localId, NAME_TAKEN);
          return isFree;
        });
        await writeOrSkip(
          free,
          (some) => write(domain, some),
          ({ localId }, { message }) => leftOut('group', domainId, localId, `it cannot be stored: ${message}`),
        );
        const now = free.length > 0 ? await rowsOf(db.read, domainId, chunk) : rows;
        for (const row of now.values()) ids.set(row.local_id, row.id);
      }
      return ids;
    },

    /** Those entries that have the DN they had before. Others with the same id may be somebody else's. */
    async groupsInPlace<G extends DirectoryGroup>(domainId: string, groups: readonly G[]): Promise<G[]> {
      const inPlace: G[] = [];
      for (const chunk of chunksOf(groups, AT_ONCE)) {
        const rows = await rowsOf(db.read, domainId, chunk);
        inPlace.push(...chunk.filter(({ localId, dn }) => rows.get(localId)?.dn === dn));
      }
      return inPlace;
    },
  };
}

export type GroupKeeping = ReturnType<typeof createGroupKeeping>;
