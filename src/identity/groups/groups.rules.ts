// Groups of users within a domain, and who belongs to them.
import { seconds } from '../../platform/clock.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { findProject, holdsRoleAnywhere, tagOf } from '../access/index.ts';
import { extraOf, mergeExtra } from '../attributes.ts';
import type { Caller } from '../caller.ts';
import { unlessMoved, unlessTaken } from '../conflicts.ts';
import type { GroupRow } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { type Criterion, criteriaOf, type Filters, pageOf, single } from '../lists.ts';
import { type Action, isAdministrator, listTarget, permit, visibleDomain } from '../policy.ts';
import { findUser, listMembers, userTarget } from '../users/index.ts';
import { type CreateGroup, groupFields, type UpdateGroup } from './groups.schema.ts';
import {
  addMember,
  deleteGroup,
  findGroup,
  insertGroup,
  isMember,
  listGroups,
  lockGroup,
  removeMember,
  updateGroup,
} from './groups.store.ts';

type NewGroup = Static<typeof CreateGroup>['group'];
type GroupChanges = Static<typeof UpdateGroup>['group'];

const filters: Filters = {
  name: { column: 'groups.name', kind: 'text' },
  domain_id: { column: 'groups.domain_id', kind: 'text' },
};

/** What was asked for, within what the caller may see. */
function visibleGroups(caller: Caller, query: Query): Criterion[] {
  const own = visibleDomain(caller);
  const within: Criterion[] = own === undefined ? [] : [{ column: 'groups.domain_id', comparison: 'equals', value: own }];
  return [...criteriaOf(query, filters), ...within];
}

export function createGroups({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  async function groupFor(caller: Caller, action: Action, id: string): Promise<GroupRow> {
    const group = await findGroup(db.read, id);
    permit(caller, action, group ? { domainId: group.domain_id } : {});
    return group ?? fail('group.not_found', { id });
  }

  /** A membership touches two things: whoever may not see both learns of neither. */
  async function membershipFor(caller: Caller, action: Action, groupId: string, userId: string): Promise<void> {
    const [group, user] = await Promise.all([findGroup(db.read, groupId), findUser(db.read, userId)]);
    permit(caller, action, group && user ? { domains: [group.domain_id, user.domain_id] } : {});
    if (!group) fail('group.not_found', { id: groupId });
    if (!user) fail('user.not_found', { id: userId });
  }

  async function list(caller: Caller, query: Query) {
    permit(caller, 'identity:list_groups', listTarget(caller));
    const page = await listGroups(db, pageOf(query), visibleGroups(caller, query));
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  async function listOfUser(caller: Caller, userId: string, query: Query) {
    const user = await findUser(db.read, userId);
    permit(caller, 'identity:list_groups_for_user', userTarget(user));
    if (!user) fail('user.not_found', { id: userId });
    const page = await listGroups(db, pageOf(query), visibleGroups(caller, query), userId);
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  async function create(caller: Caller, body: NewGroup): Promise<GroupRow> {
    const domainId = body.domain_id ?? visibleDomain(caller) ?? 'default';
    permit(caller, 'identity:create_group', { domainId });
    if (!(await findProject(db.read, domainId))?.is_domain) fail('domain.not_found', { id: domainId });
    const row: GroupRow = {
      id: newId(),
      domain_id: domainId,
      name: body.name.trim(),
      description: body.description ?? '',
      extra: JSON.stringify(extraOf(body, groupFields)),
      created_at: seconds(clock),
    };
    await change(caller, async ({ tx, audit }) => {
      await unlessMoved(
        () => fail('domain.not_found', { id: domainId }),
        () => unlessTaken('group', row.name, () => insertGroup(tx, row)),
      );
      audit('group.created', { kind: 'group', id: row.id }, { domain_id: domainId });
    });
    return row;
  }

  async function update(caller: Caller, id: string, body: GroupChanges): Promise<GroupRow> {
    const group = await groupFor(caller, 'identity:update_group', id);
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'group' });
    if (body.domain_id !== undefined && body.domain_id !== group.domain_id) fail('resource.domain_fixed');
    return change(caller, async ({ tx, audit }) => {
      const held = (await lockGroup(db, tx, id)) ?? fail('group.not_found', { id });
      const values = {
        name: body.name?.trim() ?? held.name,
        description: body.description === undefined ? held.description : (body.description ?? ''),
        extra: mergeExtra(held.extra, extraOf(body, groupFields)),
      };
      await unlessTaken('group', values.name, () => updateGroup(tx, id, values));
      audit('group.updated', { kind: 'group', id }, { fields: Object.keys(body) });
      return { ...held, ...values };
    });
  }

  async function remove(caller: Caller, id: string): Promise<void> {
    await groupFor(caller, 'identity:delete_group', id);
    await change(caller, async ({ tx, audit, touch }) => {
      await deleteGroup(tx, id);
      touch(tagOf.group(id));
      audit('group.deleted', { kind: 'group', id });
    });
  }

  async function add(caller: Caller, groupId: string, userId: string): Promise<void> {
    await membershipFor(caller, 'identity:add_user_to_group', groupId, userId);
    // Whoever could join administrators would be one.
    if (!isAdministrator(caller) && (await holdsRoleAnywhere(db.read, { groupId }, 'admin'))) {
      fail('auth.forbidden', { action: 'identity:add_user_to_group' });
    }
    await change(caller, async ({ tx, audit, touch }) => {
      await unlessMoved(
        () => fail('group.not_found', { id: groupId }),
        () => addMember(tx, groupId, userId),
      );
      touch(tagOf.user(userId));
      audit('group.member_added', { kind: 'group', id: groupId }, { user_id: userId });
    });
  }

  async function removeUser(caller: Caller, groupId: string, userId: string): Promise<void> {
    await membershipFor(caller, 'identity:remove_user_from_group', groupId, userId);
    await change(caller, async ({ tx, audit, touch }) => {
      if (!(await removeMember(tx, groupId, userId))) fail('group.not_member', { user: userId, group: groupId });
      touch(tagOf.user(userId));
      audit('group.member_removed', { kind: 'group', id: groupId }, { user_id: userId });
    });
  }

  return {
    get: (caller: Caller, id: string) => groupFor(caller, 'identity:get_group', id),
    list,
    listOfUser,
    create,
    update,
    remove,
    async members(caller: Caller, id: string, query: Query) {
      await groupFor(caller, 'identity:list_users_in_group', id);
      return listMembers(db, caller, id, query);
    },
    add,
    removeUser,
    async check(caller: Caller, groupId: string, userId: string): Promise<void> {
      await membershipFor(caller, 'identity:check_user_in_group', groupId, userId);
      if (!(await isMember(db.read, groupId, userId))) fail('group.not_member', { user: userId, group: groupId });
    },
  };
}

export type Groups = ReturnType<typeof createGroups>;
