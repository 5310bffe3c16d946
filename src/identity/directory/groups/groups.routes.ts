// /v3/groups and the groups of a user

import { seconds } from '../../../platform/clock.ts';
import { domainOfNew, domainTarget, factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  type Deps,
  ETAG,
  filterDocumentation,
  listAnswer,
  listOf,
  NAME_AND_CREATION,
  searchDocumentation,
  USER_LIST_DOCUMENTATION,
  withEtag,
} from '../../ground/resource/index.ts';
import { UserList, type Users, userText } from '../users/index.ts';
import type { Groups } from './groups.rules.ts';
import { CreateGroup, GroupEnvelope, GroupList, renderGroup, renderGroupOfUser, UpdateGroup } from './groups.schema.ts';

const tag = 'Groups';

const FILTERED = searchDocumentation(filterDocumentation(['name', 'domain_id']), 'name', NAME_AND_CREATION);

interface GroupDeps extends Pick<Deps, 'clock' | 'config'> {
  readonly users: Users;
  readonly groups: Groups;
}

const groupTarget =
  (groups: Groups) =>
  ({ params }: { params: { group_id: string } }) =>
    groups.target(params.group_id);

export function mountGroups(app: IdentityApp, modules: GroupDeps): void {
  const { groups } = modules;
  const group = groupTarget(groups);

  app.get(
    '/v3/groups',
    {
      id: 'listGroups',
      summary: 'List groups',
      description: 'A token for a domain sees only the groups of that domain.',
      tag,
      rule: 'identity:list_groups',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: FILTERED,
      reply: { 200: GroupList },
    },
    async (call) => listOf(call, 'groups', await groups.list(call.caller, call.query), renderGroup),
  );

  app.post(
    '/v3/groups',
    {
      id: 'createGroup',
      summary: 'Create a group',
      tag,
      rule: 'identity:create_group',
      target: ({ caller, body }) => domainTarget(domainOfNew(caller, body.group.domain_id)),
      body: CreateGroup,
      reply: { 201: GroupEnvelope },
    },
    async ({ caller, target, body, base }) => ({ group: renderGroup(base, await groups.create(caller, target, body.group)) }),
  );

  app.get(
    '/v3/groups/:group_id',
    {
      id: 'getGroup',
      summary: 'Show a group',
      tag,
      rule: 'identity:get_group',
      target: group,
      documentation: ETAG,
      reply: { 200: GroupEnvelope },
    },
    ({ target, base }) => withEtag(target, { group: renderGroup(base, target) }),
  );

  app.patch(
    '/v3/groups/:group_id',
    {
      id: 'updateGroup',
      summary: 'Change a group',
      tag,
      rule: 'identity:update_group',
      target: group,
      body: UpdateGroup,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: GroupEnvelope },
    },
    async (call) => {
      const row = await groups.update(callerIfMatch('group', call), call.target, call.body.group);
      return withEtag(row, { group: renderGroup(call.base, row) });
    },
  );

  app.delete(
    '/v3/groups/:group_id',
    {
      id: 'deleteGroup',
      summary: 'Delete a group',
      description: 'Its grants end with it. The members stay.',
      tag,
      rule: 'identity:delete_group',
      target: group,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => groups.remove(callerIfMatch('group', call), call.target),
  );

  mountMembers(app, modules);
}

function mountMembers(app: IdentityApp, { groups, users, clock, config }: GroupDeps): void {
  const membership = ({ params }: { params: { group_id: string; user_id: string } }) =>
    groups.membershipTarget(params.group_id, params.user_id);

  app.get(
    '/v3/groups/:group_id/users',
    {
      id: 'listGroupUsers',
      summary: 'List the members of a group',
      tag,
      rule: 'identity:list_users_in_group',
      target: groupTarget(groups),
      documentation: USER_LIST_DOCUMENTATION,
      reply: { 200: UserList },
    },
    async (call) => {
      const page = await groups.members(call.caller, call.target, call.query);
      const rendering = { base: call.base, now: seconds(clock), daysInactive: config.disableUserAccountDaysInactive };
      return listAnswer(call, 'users', { ...page, items: page.items.map((user) => userText(user, rendering)) });
    },
  );

  const member = '/v3/groups/:group_id/users/:user_id';
  app.put(
    member,
    {
      id: 'addUserToGroup',
      summary: 'Add a member',
      description: 'The member has the roles of the group from now on. Doing it twice changes nothing.',
      tag,
      rule: 'identity:add_user_to_group',
      target: membership,
      reply: { 204: null },
    },
    ({ caller, target }) => groups.add(caller, target),
  );
  app.get(
    member,
    {
      id: 'checkUserInGroup',
      summary: 'Check a membership',
      tag,
      rule: 'identity:check_user_in_group',
      target: membership,
      reply: { 204: null },
    },
    ({ target }) => groups.check(target),
  );
  app.delete(
    member,
    {
      id: 'removeUserFromGroup',
      summary: 'Remove a member',
      description: 'Tokens that the member got through the group end.',
      tag,
      rule: 'identity:remove_user_from_group',
      target: membership,
      reply: { 204: null },
    },
    ({ caller, target }) => groups.removeUser(caller, target),
  );

  app.get(
    '/v3/users/:user_id/groups',
    {
      id: 'listUserGroups',
      summary: 'List the groups of a user',
      tag,
      rule: 'identity:list_groups_for_user',
      target: ({ params }) => users.target(params.user_id),
      documentation: FILTERED,
      reply: { 200: GroupList },
    },
    async (call) => {
      const page = await groups.list(call.caller, call.query, call.target.id);
      const ends = await groups.membershipEnds(call.target.id);
      const items = page.items.map((row) => renderGroupOfUser(call.base, row, ends.get(row.id)));
      return listOf(call, 'groups', { ...page, items });
    },
  );
}
