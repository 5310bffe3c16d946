// Groups of users within a domain, and who belongs to them.
import { seconds } from '../../platform/clock.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { findProject, tagOf } from '../access/index.ts';
import { extraOf, mergeExtra } from '../attributes.ts';
import type { Caller } from '../caller.ts';
import { unlessMoved, unlessTaken } from '../conflicts.ts';
import type { GroupRow } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { criteriaOf, type Filters, only, pageOf, single, type Wanted } from '../lists.ts';
import { type Action, listTarget, permit, visibleDomain } from '../policy.ts';
import type { Shield } from '../shield.ts';
import { findUser, listMembers, userTarget } from '../users/index.ts';
import { type CreateGroup, groupFields, type UpdateGroup } from './groups.schema.ts';
import {
  addMembers,
  deleteGroup,
  findGroup,
  insertGroup,
  isMember,
  listGroups,
  lockGroup,
  removeMembers,
  updateGroup,
} from './groups.store.ts';
import { changeMembers, type MemberChange } from './membership.ts';

type NewGroup = Static<typeof CreateGroup>['group'];
type GroupChanges = Static<typeof UpdateGroup>['group'];

/** A change of a group: of what the base API shows, and of what provisioning keeps with it. */
export interface GroupRevision {
  readonly body: GroupChanges;
  readonly externalId?: string | null;
  readonly members?: readonly MemberChange[];
}

const filters: Filters = {
  name: { column: 'groups.name', kind: 'text' },
  domain_id: { column: 'groups.domain_id', kind: 'text' },
};

/** What was asked for, within what the caller may see. */
const wantedGroups = (caller: Caller, query: Query): Wanted => ({
  criteria: criteriaOf(query, filters),
  visible: only('groups.domain_id', visibleDomain(caller)),
});

export function createGroups(deps: Pick<Deps, 'db' | 'clock' | 'change'> & { shield: Shield }) {
  const { db, clock, change, shield } = deps;

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
    const page = await listGroups(db, pageOf(query), wantedGroups(caller, query));
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  async function listOfUser(caller: Caller, userId: string, query: Query) {
    const user = await findUser(db.read, userId);
    permit(caller, 'identity:list_groups_for_user', userTarget(user));
    if (!user) fail('user.not_found', { id: userId });
    const page = await listGroups(db, pageOf(query), wantedGroups(caller, query), userId);
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  async function create(
    caller: Caller,
    body: NewGroup,
    { externalId = null, members = [] }: Omit<GroupRevision, 'body'> = {},
  ): Promise<GroupRow> {
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
      version: 1,
      updated_at: clock.now(),
      external_id: externalId,
    };
    await change(caller, async (inside) => {
      await unlessMoved(
        () => fail('domain.not_found', { id: domainId }),
        () => unlessTaken('group', row.name, () => insertGroup(inside.tx, row)),
      );
      inside.touch(tagOf.census('groups'));
      inside.audit('group.created', { kind: 'group', id: row.id }, { domain_id: domainId });
      // A new group holds nothing that its members could get.
      await changeMembers(inside, row, members, async () => {});
    });
    return row;
  }

  const update = (caller: Caller, id: string, body: GroupChanges): Promise<GroupRow> => revise(caller, id, () => ({ body }));

  /** Changes a group by what it is at that moment: asked once for the checks, and again with the row held. */
  async function revise(caller: Caller, id: string, revisionOf: (group: GroupRow) => GroupRevision): Promise<GroupRow> {
    const group = await groupFor(caller, 'identity:update_group', id);
    await shield(db.read, caller, 'identity:update_group', { groupId: id });
    const { body } = revisionOf(group);
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'group' });
    if (body.domain_id !== undefined && body.domain_id !== group.domain_id) fail('resource.domain_fixed');
    return change(caller, async (inside) => {
      const held = (await lockGroup(db, inside.tx, id)) ?? fail('group.not_found', { id });
      await shield(inside.tx, caller, 'identity:update_group', { groupId: id });
      const { body: fields, externalId, members = [] } = revisionOf(held);
      const values = {
        name: fields.name?.trim() ?? held.name,
        description: fields.description === undefined ? held.description : (fields.description ?? ''),
        extra: mergeExtra(held.extra, extraOf(fields, groupFields)),
        external_id: externalId === undefined ? held.external_id : externalId,
        updated_at: clock.now(),
      };
      const admit = (admits: readonly string[]) =>
        shield(inside.tx, caller, 'identity:update_group', { groupId: id }, { admits });
      const changed = (await changeMembers(inside, held, members, admit)) > 0 || Object.keys(fields).length > 0;
      inside.audit('group.updated', { kind: 'group', id }, { fields: Object.keys(fields) });
      // Clients that provision repeat themselves: what is as they want it keeps its version.
      if (!changed && values.external_id === held.external_id) return held;
      await unlessTaken('group', values.name, () => updateGroup(inside.tx, id, values));
      return { ...held, ...values, version: held.version + 1 };
    });
  }

  async function remove(caller: Caller, id: string): Promise<void> {
    await groupFor(caller, 'identity:delete_group', id);
    await shield(db.read, caller, 'identity:delete_group', { groupId: id });
    await change(caller, async ({ tx, audit, touch }) => {
      await shield(tx, caller, 'identity:delete_group', { groupId: id });
      await deleteGroup(tx, id);
      touch(tagOf.group(id));
      touch(tagOf.census('groups'));
      audit('group.deleted', { kind: 'group', id });
    });
  }

  async function add(caller: Caller, groupId: string, userId: string): Promise<void> {
    await membershipFor(caller, 'identity:add_user_to_group', groupId, userId);
    await shield(db.read, caller, 'identity:add_user_to_group', { groupId });
    await change(caller, async ({ tx, audit, touch }) => {
      await shield(tx, caller, 'identity:add_user_to_group', { groupId }, { admits: [userId] });
      await unlessMoved(
        () => fail('group.not_found', { id: groupId }),
        () => addMembers(tx, groupId, [{ userId, display: null }]),
      );
      await updateGroup(tx, groupId, { updated_at: clock.now() });
      touch(tagOf.user(userId));
      audit('group.member_added', { kind: 'group', id: groupId }, { user_id: userId });
    });
  }

  async function removeUser(caller: Caller, groupId: string, userId: string): Promise<void> {
    await membershipFor(caller, 'identity:remove_user_from_group', groupId, userId);
    await shield(db.read, caller, 'identity:remove_user_from_group', { groupId });
    await change(caller, async ({ tx, audit, touch }) => {
      await shield(tx, caller, 'identity:remove_user_from_group', { groupId });
      if (!(await removeMembers(tx, groupId, [userId]))) fail('group.not_member', { user: userId, group: groupId });
      await updateGroup(tx, groupId, { updated_at: clock.now() });
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
    revise,
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
