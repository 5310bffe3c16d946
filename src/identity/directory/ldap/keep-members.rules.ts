// Keeps the members of groups in a directory.
import { isForeignKeyViolation } from '../../../platform/database/index.ts';
import { type Change, serviceActor } from '../../ground/audit/index.ts';
import { addUsers, memberIds, removeUsers, updateGroupRow } from '../groups/index.ts';
import { chunksOf } from './chunks.ts';
import { directoryGroupIdsOf, markGroupGone, seenSince } from './directories.store.ts';
import type { KeepDeps } from './keep-users.rules.ts';
import { writeOrSkip } from './writing.ts';

const FROM = { from: 'directory' };

/** Members in one transaction. */
const MEMBERS_AT_ONCE = 500;

export function createMemberKeeping({ db, clock, change, log }: KeepDeps) {
  const add = (transaction: Change, groupId: string, userIds: readonly string[]): Promise<void> =>
    addUsers(
      transaction,
      groupId,
      userIds.map((userId) => ({ userId, display: null })),
      FROM,
    );

  const remove = (transaction: Change, groupId: string, userIds: readonly string[]): Promise<number> =>
    removeUsers(transaction, groupId, userIds, FROM);

  /** In several transactions, so that other writers do not wait long. Each asks whom it must leave alone (`unless`). */
  async function changeMembers(
    groupId: string,
    userIds: readonly string[],
    apply: typeof add | typeof remove,
    unless: (transaction: Change) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    for (const chunk of chunksOf(userIds, MEMBERS_AT_ONCE)) {
      await writeOrSkip(
        chunk,
        (some) =>
          change(serviceActor, async (transaction) => {
            const others = await unless(transaction);
            const rest = some.filter((id) => !others.has(id));
            if (rest.length > 0) await apply(transaction, groupId, rest);
            await updateGroupRow(transaction, clock, groupId, {}, { members: rest.length, ...FROM });
          }),
        (userId, err) => {
          // Somebody who was deleted meanwhile is no member.
          if (!isForeignKeyViolation(err))
            log.error(
              { group: groupId, user: userId, err },
              'a change of a member of a directory group could not be stored; it will be tried again',
            );
        },
      );
    }
  }

  return {
    /**
     * Sets the members of a group, except those who were seen after the directory was read (`before`): they have logged in since, and the
     * login knew better.
     */
    async keepMembers(domainId: string, groupId: string, wanted: ReadonlySet<string>, before: number): Promise<void> {
      const members = new Set(await memberIds(db.read, groupId));
      const unless = ({ tx }: Change) => seenSince(tx, domainId, before, clock.now());
      await changeMembers(
        groupId,
        [...members].filter((id) => !wanted.has(id)),
        remove,
        unless,
      );
      await changeMembers(groupId, [...wanted].filter((id) => !members.has(id)).sort(), add, unless);
    },

    /** Sets the groups of one user, after a login. */
    async keepGroupsOf(domainId: string, userId: string, wanted: ReadonlySet<string>): Promise<void> {
      const now = await directoryGroupIdsOf(db.read, domainId, userId);
      if (now.length === wanted.size && now.every((id) => wanted.has(id))) return;
      await change(serviceActor, async (transaction) => {
        const groups = new Set(await directoryGroupIdsOf(transaction.tx, domainId, userId));
        for (const id of groups) if (!wanted.has(id)) await remove(transaction, id, [userId]);
        for (const id of wanted) if (!groups.has(id)) await add(transaction, id, [userId]);
        transaction.audit('user.updated', { kind: 'user', id: userId }, { fields: ['groups'], from: 'directory' });
      });
    },

    /** Removes the members of a group whose entry is gone. The group and its grants stay. */
    async closeGroup(id: string): Promise<void> {
      const nobody = async () => new Set<string>();
      await changeMembers(id, await memberIds(db.read, id), remove, nobody);
      // While it has members, it is tried again.
      if ((await memberIds(db.read, id)).length > 0) return;
      const close = () =>
        change(serviceActor, async ({ tx, audit }) => {
          await markGroupGone(tx, id, clock.now());
          audit('group.updated', { kind: 'group', id }, { from: 'directory', gone: true });
        });
      await writeOrSkip([id], close, (_, err) =>
        log.error({ group: id, err }, 'a group that left the directory could not be marked as gone; it will be tried again'),
      );
    },
  };
}

export type MemberKeeping = ReturnType<typeof createMemberKeeping>;
