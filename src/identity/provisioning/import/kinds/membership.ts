// Who is in which group.
import { t } from '../../../../platform/http/index.ts';
import { addUsers } from '../../../directory/groups/index.ts';
import { type Remark, recordKind } from '../kind.ts';
import { groupsOfAdministrators } from './existing.store.ts';
import { key } from './fields.ts';

export const membership = recordKind({
  schema: t.object({ key, group: key, user: key }),
  words: ({ group, user }) => `the user ${user} is in the group ${group}`,
  needs: ({ group, user }) => [
    { kind: 'group', key: group },
    { kind: 'user', key: user },
  ],
  /** Of a group that is here, and whose members administer the service. */
  async remarks({ reader, idOfNeeded }, records) {
    const ids = new Set(records.map(({ group }) => idOfNeeded('group', group)));
    const admins = await groupsOfAdministrators(reader, [...ids]);
    const text = 'everybody in this group is an administrator here';
    return new Map(
      records.flatMap(({ key: its, group }) =>
        admins.has(idOfNeeded('group', group)) ? [[its, [{ about: 'administrator', text }] satisfies Remark[]]] : [],
      ),
    );
  },
  async make({ change, deps, idOfNeeded }, records) {
    const ids = new Map<string, string>();
    for (const [groupKey, members] of Map.groupBy(records, ({ group }) => group)) {
      const groupId = idOfNeeded('group', groupKey);
      await deps.directory.forbid('group', groupId, change.tx);
      const users = members.map(({ user }) => ({ userId: idOfNeeded('user', user), display: null }));
      await addUsers(change, groupId, users);
      members.forEach((one, at) => void ids.set(one.key, `${groupId} ${users[at]!.userId}`));
    }
    return ids;
  },
  update: async (_, here) => here,
});
