// The world that all areas share: a domain, projects, roles, and a user for each persona.
import { ADMIN_PASSWORD } from '../../support/service.ts';
import { type ApiRequest, type Area, become, get, PASSWORD, passwordLogin, post, put } from '../request.ts';

const WEB = { project: { id: '{web}' } };
const ACME = { domain: { id: '{acme}' } };
const SYSTEM = { system: { all: true } };

export const ADMIN_SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };

/** Who asks, beside the administrator of the project admin. */
export const PERSONAS = [
  'system-admin',
  'system-reader',
  'domain-admin',
  'domain-reader',
  'project-admin',
  'project-member',
  'project-reader',
  'unscoped',
  'nobody',
] as const;

/** A user in the domain acme, with this role in this place, and logged in there. */
function persona(name: string, role: string, place: string, scope: unknown): ApiRequest[] {
  const target = place === 'system' ? 'system' : place;
  return [
    post(
      '/v3/users',
      { user: { name, password: PASSWORD, domain_id: '{acme}', email: `${name}@example.org` } },
      { keep: { [name]: 'user.id' } },
    ),
    put(`/v3/${target}/users/{${name}}/roles/{role ${role}}`),
    become(name, `{${name}}`, scope),
  ];
}

const project = (name: string, more: object = {}): ApiRequest =>
  post('/v3/projects', { project: { name, domain_id: '{acme}', ...more } }, { keep: { [name]: 'project.id' } });

export const setup: Area = {
  title: 'setup',
  requests: [
    passwordLogin({ name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD }, ADMIN_SCOPE, {
      keep: {
        'token of admin': 'header x-subject-token',
        'admin user': 'token.user.id',
        'admin project': 'token.project.id',
        'audit id': 'token.audit_ids.0',
      },
    }),
    get('/v3/auth/tokens', { headers: { 'x-subject-token': '{token of admin}' } }),
    ...['admin', 'member', 'reader'].map((name) => get(`/v3/roles?name=${name}`, { keep: { [`role ${name}`]: 'roles.0.id' } })),
    get('/v3/services?type=identity', { keep: { 'identity service': 'services.0.id' } }),
    get('/v3/endpoints?interface=public', { keep: { 'public endpoint': 'endpoints.0.id' } }),
    post('/v3/domains', { domain: { name: 'acme', description: 'of the comparison' } }, { keep: { acme: 'domain.id' } }),
    post('/v3/domains', { domain: { name: 'other' } }, { keep: { other: 'domain.id' } }),
    project('web', { description: 'a web shop', tags: ['blue'] }),
    project('shop', { parent_id: '{web}' }),
    project('lonely'),
    post('/v3/projects', { project: { name: 'far', domain_id: '{other}' } }, { keep: { far: 'project.id' } }),
    post('/v3/roles', { role: { name: 'auditor', description: 'reads the books' } }, { keep: { auditor: 'role.id' } }),
    post('/v3/roles', { role: { name: 'keeper', domain_id: '{acme}' } }, { keep: { keeper: 'role.id' } }),
    post('/v3/roles', { role: { name: 'far-keeper', domain_id: '{other}' } }, { keep: { 'far-keeper': 'role.id' } }),
    post('/v3/groups', { group: { name: 'crew', domain_id: '{acme}' } }, { keep: { crew: 'group.id' } }),
    ...persona('system-admin', 'admin', 'system', SYSTEM),
    ...persona('system-reader', 'reader', 'system', SYSTEM),
    ...persona('domain-admin', 'admin', 'domains/{acme}', ACME),
    ...persona('domain-reader', 'reader', 'domains/{acme}', ACME),
    ...persona('project-admin', 'admin', 'projects/{web}', WEB),
    ...persona('project-member', 'member', 'projects/{web}', WEB),
    ...persona('project-reader', 'reader', 'projects/{web}', WEB),
    post('/v3/users', { user: { name: 'unscoped', password: PASSWORD, domain_id: '{acme}' } }, { keep: { unscoped: 'user.id' } }),
    become('unscoped', '{unscoped}'),
    put('/v3/groups/{crew}/users/{project-reader}'),
  ],
};
