// Role assignments on the wire.
import { t } from '../../../platform/http/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import type { Assignment, AssignmentNames } from './assignments.rules.ts';

const Ref = t.open({ id: t.string() }, { name: t.string() });

const RoleAssignment = t.object({ role: Ref, scope: t.open({}), links: t.record(t.string()) }, { user: Ref, group: Ref });
export const RoleAssignmentList = t.object({ links: ListLinks, role_assignments: t.array(RoleAssignment) });
export const SystemList = t.object({ system: t.array(t.object({ all: t.boolean() })), links: Links });

/** Path of the grant an assignment comes from. */
function grantPath({ grant }: Assignment, { isDomain }: AssignmentNames): string {
  const actor = grant.user_id === null ? `groups/${grant.group_id}` : `users/${grant.user_id}`;
  const target = grant.target_id === null ? 'system' : `${isDomain(grant.target_id) ? 'domains' : 'projects'}/${grant.target_id}`;
  const path = `${target}/${actor}/roles/${grant.role_id}`;
  return grant.inherited ? `OS-INHERIT/${path}/inherited_to_projects` : path;
}

export function renderAssignment(base: string, item: Assignment, names: AssignmentNames) {
  const { grant, userId, groupId, targetId } = item;
  const ref = (kind: 'user' | 'group' | 'role' | 'target', id: string) => ({ id, ...names.nameOf(kind, id) });
  const scope =
    targetId === null
      ? { system: { all: true } }
      : { [names.isDomain(targetId) ? 'domain' : 'project']: ref('target', targetId) };
  const throughGroup = userId !== undefined && grant.group_id !== null;
  return {
    role: ref('role', item.roleId),
    ...(userId === undefined ? { group: ref('group', groupId!) } : { user: ref('user', userId) }),
    scope: item.inherited ? { ...scope, 'OS-INHERIT:inherited_to': 'projects' } : scope,
    links: {
      assignment: `${base}/v3/${grantPath(item, names)}`,
      ...(throughGroup ? { membership: `${base}/v3/groups/${grant.group_id}/users/${userId}` } : {}),
      ...(item.priorRoleId === undefined ? {} : { prior_role: `${base}/v3/roles/${item.priorRoleId}` }),
    },
  };
}

t.name({ Reference: Ref, RoleAssignment, RoleAssignmentList, SystemList });
