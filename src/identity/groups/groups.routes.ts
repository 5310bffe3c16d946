// /v3/groups and the groups of a user

import { seconds } from '../../platform/clock.ts';
import type { Deps } from '../deps.ts';
import { FILTERED_USERS, filtered, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
import { renderUser, UserList } from '../users/index.ts';
import type { Groups } from './groups.rules.ts';
import { CreateGroup, GroupEnvelope, GroupList, renderGroup, UpdateGroup } from './groups.schema.ts';

const tag = 'Groups';

const FILTERED = filtered(['name', 'domain_id']);

export function mountGroups(
  app: IdentityApp,
  { groups, clock, config }: Pick<Deps, 'clock' | 'config'> & { groups: Groups },
): void {
  app.get(
    '/v3/groups',
    { summary: 'List groups', tag, policy: 'identity:list_groups', described: FILTERED, reply: { 200: GroupList } },
    async (call) => {
      const page = await groups.list(call.caller, call.query);
      return listOf(call, 'groups', { ...page, items: page.items.map((group) => renderGroup(call.base, group)) });
    },
  );

  app.post(
    '/v3/groups',
    { summary: 'Create a group', tag, policy: 'identity:create_group', body: CreateGroup, reply: { 201: GroupEnvelope } },
    async ({ caller, body, base }) => ({ group: renderGroup(base, await groups.create(caller, body.group)) }),
  );

  app.get(
    '/v3/groups/:group_id',
    { summary: 'Show a group', tag, policy: 'identity:get_group', reply: { 200: GroupEnvelope } },
    async ({ caller, params, base }) => ({ group: renderGroup(base, await groups.get(caller, params.group_id)) }),
  );

  app.patch(
    '/v3/groups/:group_id',
    { summary: 'Change a group', tag, policy: 'identity:update_group', body: UpdateGroup, reply: { 200: GroupEnvelope } },
    async ({ caller, params, body, base }) => ({
      group: renderGroup(base, await groups.update(caller, params.group_id, body.group)),
    }),
  );

  app.delete(
    '/v3/groups/:group_id',
    { summary: 'Delete a group', tag, policy: 'identity:delete_group', reply: { 204: null } },
    async ({ caller, params }) => groups.remove(caller, params.group_id),
  );

  app.get(
    '/v3/groups/:group_id/users',
    {
      summary: 'List the members of a group',
      tag,
      policy: 'identity:list_users_in_group',
      described: FILTERED_USERS,
      reply: { 200: UserList },
    },
    async (call) => {
      const page = await groups.members(call.caller, call.params.group_id, call.query);
      const rendering = { base: call.base, now: seconds(clock), daysInactive: config.disableUserAccountDaysInactive };
      return listOf(call, 'users', { ...page, items: page.items.map((user) => renderUser(user, rendering)) });
    },
  );

  const member = '/v3/groups/:group_id/users/:user_id';
  app.put(
    member,
    { summary: 'Add a member', tag, policy: 'identity:add_user_to_group', reply: { 204: null } },
    async ({ caller, params }) => groups.add(caller, params.group_id, params.user_id),
  );
  app.get(
    member,
    { summary: 'Check a membership', tag, policy: 'identity:check_user_in_group', reply: { 204: null } },
    async ({ caller, params }) => groups.check(caller, params.group_id, params.user_id),
  );
  app.delete(
    member,
    { summary: 'Remove a member', tag, policy: 'identity:remove_user_from_group', reply: { 204: null } },
    async ({ caller, params }) => groups.removeUser(caller, params.group_id, params.user_id),
  );

  app.get(
    '/v3/users/:user_id/groups',
    {
      summary: 'List the groups of a user',
      tag,
      policy: 'identity:list_groups_for_user',
      described: FILTERED,
      reply: { 200: GroupList },
    },
    async (call) => {
      const page = await groups.listOfUser(call.caller, call.params.user_id, call.query);
      return listOf(call, 'groups', { ...page, items: page.items.map((group) => renderGroup(call.base, group)) });
    },
  );
}
