// Who is in which group.
import { t } from '../../../../platform/http/index.ts';
import { addUsers } from '../../../directory/groups/index.ts';
import { recordKind } from '../kind.ts';
import { key } from './fields.ts';

export const membership = recordKind({
  schema: t.object({ key, group: key, user: key }),
  words: ({ group, user }) => `the user ${user} is in the group ${group}`,
  needs: ({ group, user }) => [
    { kind: 'group', key: group },
    { kind: 'user', key: user },
  ],
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
