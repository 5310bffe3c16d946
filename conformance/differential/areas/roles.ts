// Roles, implied roles, grants, grants on the system, inherited ones, assignments.
import { type ApiRequest, type Area, as, del, get, head, patch, post, put } from '../request.ts';
import { tour } from '../tour.ts';

export const roles: Area = {
  title: 'roles',
  requests: [
    ...tour({
      path: '/v3/roles',
      one: 'role',
      name: 'toured role',
      good: { name: 'toured', description: 'a role' },
      bad: [
        { name: undefined },
        { name: '' },
        { name: 'x'.repeat(256) },
        { name: 7 },
        { name: null },
        { description: 7 },
        { description: null, name: 'toured-2' },
        { domain_id: 'no-such-domain', name: 'toured-3' },
        { domain_id: 7 },
        { domain_id: null, name: 'toured-4' },
        { options: { no_such: true } },
        { options: { immutable: 'yes' } },
        { anything: 'else', name: 'toured-5' },
      ],
      change: { description: 'changed' },
      badChanges: [{ name: '' }, { name: 7 }, { domain_id: '{acme}' }, { name: 'auditor' }, { options: { immutable: 'x' } }],
      filters: [
        'name=toured',
        'name=no-such',
        'domain_id={acme}',
        'domain_id=no-such',
        'name=toured&name=auditor',
        'name__startswith=tou',
      ],
    }),
    get('/v3/roles/{keeper}'),
    patch('/v3/roles/{keeper}', { role: { domain_id: '{other}' } }),
    patch('/v3/roles/{keeper}', { role: { description: 'of acme' } }),
    patch('/v3/roles/{role admin}', { role: { description: 'changed' } }),
    del('/v3/roles/{role admin}'),
    post('/v3/roles', { role: { name: 'fixed', options: { immutable: true } } }, { keep: { 'fixed role': 'role.id' } }),
    patch('/v3/roles/{fixed role}', { role: { name: 'free' } }),
    del('/v3/roles/{fixed role}'),
    patch('/v3/roles/{fixed role}', { role: { options: { immutable: false } } }),
    del('/v3/roles/{fixed role}'),
  ],
};

const implied = '/v3/roles/{auditor}/implies';

export const inference: Area = {
  title: 'implied roles',
  requests: [
    get('/v3/role_inferences'),
    head('/v3/role_inferences'),
    get(implied),
    get('/v3/roles/no-such/implies'),
    put(`${implied}/{role reader}`),
    put(`${implied}/{role reader}`),
    put(`${implied}/no-such`),
    put(`/v3/roles/no-such/implies/{role reader}`),
    put(`${implied}/{auditor}`),
    put(`${implied}/{role admin}`),
    put(`${implied}/{keeper}`),
    put('/v3/roles/{keeper}/implies/{role reader}'),
    get('/v3/roles/{keeper}/implies'),
    put('/v3/roles/{keeper}/implies/{far-keeper}'),
    get(`${implied}/{role reader}`),
    head(`${implied}/{role reader}`),
    get(`${implied}/{role member}`),
    head(`${implied}/{role member}`),
    get(`${implied}/no-such`),
    get(implied),
    head(implied),
    get('/v3/role_inferences'),
    ...as('project-member', get(implied), put(`${implied}/{role member}`), get('/v3/role_inferences')),
    ...as('nobody', get(implied), get('/v3/role_inferences')),
    del('/v3/roles/{keeper}/implies/{far-keeper}'),
    del(`${implied}/{role reader}`),
    del(`${implied}/{role reader}`),
    del(`${implied}/no-such`),
    post(implied, {}),
  ],
};

/** Everything about one role of one actor in one place. */
function grantsAt(place: string, actor: string, suffix = ''): ApiRequest[] {
  const list = `/v3/${place}/${actor}/roles${suffix === '' ? '' : '/inherited_to_projects'}`;
  const one = (role: string): string => `/v3/${place}/${actor}/roles/${role}${suffix}`;
  const collection = actor.split('/')[0];
  return [
    get(list),
    head(one('{auditor}')),
    del(one('{auditor}')),
    put(one('{auditor}')),
    put(one('{auditor}')),
    head(one('{auditor}')),
    get(one('{auditor}')),
    get(list),
    put(one('no-such-role')),
    get(one('no-such-role')),
    get(one('{role reader}')),
    put(`/v3/${place}/${collection}/no-such/roles/{auditor}${suffix}`),
    get(`/v3/${place}/${collection}/no-such/roles${suffix === '' ? '' : '/inherited_to_projects'}`),
    put(one('{keeper}')),
    put(one('{far-keeper}')),
    ...as('project-member', get(list), put(one('{auditor}'))),
    ...as('nobody', get(list), head(one('{auditor}'))),
    del(one('{auditor}')),
    del(one('{auditor}')),
    del(one('no-such-role')),
  ];
}

const inherit = '/inherited_to_projects';

export const grants: Area = {
  title: 'grants',
  requests: [
    ...grantsAt('projects/{lonely}', 'users/{unscoped}'),
    ...grantsAt('projects/{lonely}', 'groups/{crew}'),
    ...grantsAt('domains/{acme}', 'users/{unscoped}'),
    ...grantsAt('domains/{acme}', 'groups/{crew}'),
    ...grantsAt('OS-INHERIT/projects/{lonely}', 'users/{unscoped}', inherit),
    ...grantsAt('OS-INHERIT/domains/{acme}', 'groups/{crew}', inherit),
    put('/v3/projects/no-such/users/{unscoped}/roles/{auditor}'),
    put('/v3/domains/no-such/users/{unscoped}/roles/{auditor}'),
    put('/v3/projects/{far}/users/{unscoped}/roles/{auditor}'),
    put('/v3/projects/{acme}/users/{unscoped}/roles/{auditor}'),
    put('/v3/domains/{web}/users/{unscoped}/roles/{auditor}'),
    del('/v3/projects/{acme}/users/{unscoped}/roles/{auditor}'),
    del('/v3/projects/{far}/users/{unscoped}/roles/{auditor}'),
    post('/v3/projects/{lonely}/users/{unscoped}/roles/{auditor}', {}),
  ],
};

export const systemGrants: Area = {
  title: 'system grants',
  requests: [
    ...grantsAt('system', 'users/{unscoped}'),
    ...grantsAt('system', 'groups/{crew}'),
    put('/v3/system/users/{unscoped}/roles/{keeper}'),
    del('/v3/system/users/{unscoped}/roles/{keeper}'),
    get('/v3/system/users/{system-reader}/roles'),
  ],
};

const assignments = '/v3/role_assignments';

export const roleAssignments: Area = {
  title: 'role assignments',
  requests: [
    put('/v3/OS-INHERIT/domains/{acme}/users/{unscoped}/roles/{auditor}/inherited_to_projects'),
    put('/v3/projects/{lonely}/groups/{crew}/roles/{auditor}'),
    ...[
      '',
      '?include_names',
      '?include_names=true',
      '?include_names=false',
      '?user.id={unscoped}',
      '?user.id=no-such',
      '?group.id={crew}',
      '?role.id={auditor}',
      '?role.id=no-such',
      '?scope.project.id={web}',
      '?scope.project.id={web}&include_names',
      '?scope.project.id=no-such',
      '?scope.domain.id={acme}',
      '?scope.system=all',
      '?scope.system=all&include_names',
      '?scope.system=other',
      '?scope.OS-INHERIT:inherited_to=projects',
      '?scope.OS-INHERIT:inherited_to=other',
      '?effective',
      '?effective&user.id={project-reader}',
      '?effective&user.id={project-reader}&include_names',
      '?effective&scope.project.id={lonely}',
      '?effective&group.id={crew}',
      '?effective&scope.OS-INHERIT:inherited_to=projects',
      '?effective&scope.domain.id={acme}',
      '?effective=false',
      '?include_subtree&scope.project.id={web}',
      '?include_subtree',
      '?include_subtree&scope.domain.id={acme}',
      '?scope.project.id={web}&scope.domain.id={acme}',
      '?user.id={unscoped}&group.id={crew}',
      '?user.id={unscoped}&user.id={project-member}',
      '?no_such=1',
      '?limit=1',
    ].map((query) => get(`${assignments}${query}`)),
    head(assignments),
    post(assignments, {}),
    ...as(
      'project-member',
      get(assignments),
      get(`${assignments}?user.id={project-member}`),
      get(`${assignments}?scope.project.id={web}&include_subtree`),
    ),
    ...as('project-admin', get(`${assignments}?scope.project.id={web}&include_subtree`)),
    ...as('domain-reader', get(assignments), get(`${assignments}?scope.domain.id={acme}`), get(`${assignments}?include_names`)),
    ...as('system-reader', get(assignments), get(`${assignments}?include_names`)),
    ...as('nobody', get(assignments)),
    del('/v3/OS-INHERIT/domains/{acme}/users/{unscoped}/roles/{auditor}/inherited_to_projects'),
    del('/v3/projects/{lonely}/groups/{crew}/roles/{auditor}'),
  ],
};
