// The tabs of a group in the console, with their acts.
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import type { Act, ConsoleScreen, ConsoleWorld } from './console-acts.ts';

const { people, organizations, grants } = words;

export function groupScreens({ group, user, project, domain, member }: ConsoleWorld): ConsoleScreen[] {
  const ids = { group_id: group.id };
  const path = `/v3/groups/${group.id}`;
  const grantIds = { group_id: group.id, project_id: project.id, role_id: member };
  const grant = `/v3/projects/${project.id}/groups/${group.id}/roles/${member}`;
  const tabs: Record<string, Act[]> = {
    members: [
      { name: organizations.addMember, rule: 'identity:add_user_to_group', ids: { ...ids, user_id: user.id } },
      {
        name: `${people.remove} ${user.name}`,
        rule: 'identity:remove_user_from_group',
        ids: { ...ids, user_id: user.id },
        request: ['DELETE', `${path}/users/${user.id}`],
      },
    ],
    roles: [
      { name: grants.give, rule: 'identity:create_grant', ids: grantIds, request: ['PUT', grant] },
      { name: grants.take, row: project.name, rule: 'identity:revoke_grant', ids: grantIds, request: ['DELETE', grant] },
      {
        name: grants.take,
        row: domain.name,
        rule: 'identity:revoke_grant',
        ids: { ...ids, domain_id: domain.id, role_id: member },
      },
    ],
    settings: [
      { name: texts.save, rule: 'identity:update_group', ids, request: ['PATCH', path, { group: { description: 'x' } }] },
    ],
  };
  return Object.entries(tabs).map(([tab, acts]) => ({
    route: '/groups/:id',
    path: `/groups/${group.id}?tab=${tab}`,
    opens: ['identity:get_group'],
    ...(tab === 'roles' ? { needs: ['identity:list_role_assignments'] } : {}),
    ids,
    acts: [{ name: organizations.delete, rule: 'identity:delete_group', ids, request: ['DELETE', path] }, ...acts],
  }));
}
