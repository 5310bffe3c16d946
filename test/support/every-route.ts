// One of everything, and a request for each route of the identity service about it.
import assert from 'node:assert/strict';
import { allNouns } from '../../src/identity/nouns.ts';
import type { Route, Schema } from '../../src/platform/http/index.ts';
import { assertOk } from './answers.ts';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';
import { assign, makeApplication, makePermission, makeRole } from './applications.ts';
import { makeNouns } from './nouns.ts';
import { LOGO } from './pictures.ts';
import { programTokenOf } from './programs.ts';
import { connect, GROUP, ORGANIZATION, patchOf, USER } from './scim.ts';

/** Of the user. */
export const PASSWORD = 'a password of a test';

export type Ids = Readonly<Record<string, string>>;

/** A domain with one of everything. */
export async function makeWorld(api: TestApi) {
  const domain = await api.make('domain', { name: uniqueName('domain') });
  const within = { domain_id: domain.id };
  const project = await api.make('project', { name: uniqueName('project'), tags: ['tagged'], ...within });
  const user = await api.make('user', {
    name: uniqueName('user'),
    password: PASSWORD,
    default_project_id: project.id,
    ...within,
  });
  const group = await api.make('group', { name: uniqueName('group'), ...within });
  const member = await api.roleId('member');
  const application = await makeApplication(api, { redirect_uris: ['https://app.example.org/callback'] });
  const [role, permission] = [await makeRole(api, application), await makePermission(api, application)];
  await api.put(`/v3/groups/${group.id}/users/${user.id}`);
  for (const scope of [`projects/${project.id}`, `domains/${domain.id}`])
    for (const actor of [`users/${user.id}`, `groups/${group.id}`]) await api.put(`/v3/${scope}/${actor}/roles/${member}`);
  await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`);
  await assign(api, { user, application, role });
  await assign(api, { organization: project, application, role });
  const nouns = await makeNouns(
    async (method, path, body) => assertOk(await api.request(method, path, { body }), 201),
    () => uniqueName('noun'),
  );
  const registeredLimit = (
    await api.post('/v3/registered_limits', {
      registered_limits: [{ service_id: nouns.service.id, resource_name: 'things', default_limit: 5 }],
    })
  ).body.registered_limits[0];
  const limit = (
    await api.post('/v3/limits', {
      limits: [{ project_id: project.id, service_id: nouns.service.id, resource_name: 'things', resource_limit: 7 }],
    })
  ).body.limits[0];
  const credential = (
    await api.post('/v3/credentials', { credential: { type: 'note', blob: 'x', user_id: user.id, project_id: project.id } })
  ).body.credential;
  const key = (await api.post(`/v3/users/${user.id}/credentials/OS-EC2`, { tenant_id: project.id })).body.credential;
  const applicationCredential = (
    await api.post(
      `/v3/users/${user.id}/application_credentials`,
      { application_credential: { name: uniqueName('program'), access_rules: [ACCESS_RULE] } },
      { token: await api.logIn({ id: user.id, password: PASSWORD }, { project: { id: project.id } }) },
    )
  ).body.application_credential;
  const trust = (
    await api.post(
      '/v3/OS-TRUST/trusts',
      {
        trust: {
          trustor_user_id: user.id,
          trustee_user_id: user.id,
          impersonation: false,
          project_id: project.id,
          roles: [{ id: member }],
        },
      },
      { token: await api.logIn({ id: user.id, password: PASSWORD }) },
    )
  ).body.trust;
  const oauth1Consumer = (await api.post('/v3/OS-OAUTH1/consumers', { consumer: {} })).body.consumer;
  const type = { id: uniqueName('type').toLowerCase(), application_id: application.id, name: 'Type' };
  const credentialType = (await api.post('/v3/OS-ROLE-CREDENTIALS/types', { credential_type: type })).body.credential_type;
  await api.put(`/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`, { target: { did: `did:web:${type.id}.example` } });
  const connection = (await connect(api)).connection;
  const registrationToken = (
    await api.post('/v3/OS-OAUTH2/registration_tokens', { registration_token: { name: 'of a test', ...within } })
  ).body.registration_token;
  const registered = await makeRegistered(api, domain.id);
  const invitation = (
    await api.post('/v3/OS-REGISTRATION/invitations', { invitation: { email: `${uniqueName('eve')}@example.org`, ...within } })
  ).body.invitation;
  const begun = { import: { source: 'keystone', kind: 'keystone', rehearsal: true } };
  const imported = (await api.post('/v3/OS-IMPORT/imports', begun)).body.import;
  const idp = uniqueName('idp');
  await api.put(`/v3/OS-FEDERATION/mappings/${idp}`, { mapping: MAPPING });
  await api.put(`/v3/OS-FEDERATION/identity_providers/${idp}`, { identity_provider: { domain_id: domain.id } });
  await api.put(`/v3/OS-FEDERATION/identity_providers/${idp}/protocols/openid`, { protocol: { mapping_id: idp } });
  await api.put(`/v3/OS-FEDERATION/identity_providers/${idp}/openid`, { openid: OPENID });
  return {
    domain,
    project,
    user,
    group,
    member,
    application,
    role,
    permission,
    nouns,
    registeredLimit,
    limit,
    credential,
    key,
    applicationCredential,
    trust,
    oauth1Consumer,
    credentialType,
    connection,
    registrationToken,
    registered,
    invitation,
    imported,
    idp,
  };
}
/** An application that registered itself in a domain. */
async function makeRegistered(api: TestApi, domainId: string): Promise<{ id: string; name: string }> {
  const config = { application_registration: { mode: 'open' } };
  await api.put(`/v3/domains/${domainId}/config`, { config });
  const name = uniqueName('stranger');
  const metadata = { client_name: name, redirect_uris: ['https://stranger.example.org/callback'] };
  const answer = await api.post(`/openid/clients?domain_id=${domainId}`, metadata, { token: null });
  return { id: answer.body.client_id, name };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** The real ids of what a path names. */
export function idsFor(path: string, world: World): Ids {
  const ofApplications = path.includes('/OS-ROLES/');
  const ofScim = /\/(Users|Groups|Organizations|Roles)\//.exec(path)?.[1];
  const scim = { Users: world.user.id, Groups: world.group.id, Organizations: world.project.id, Roles: world.member };
  return {
    domain_id: world.domain.id,
    project_id: world.project.id,
    organization_id: world.project.id,
    tag: 'tagged',
    user_id: world.user.id,
    group_id: world.group.id,
    role_id: ofApplications ? world.role.id : world.member,
    prior_role_id: world.member,
    implied_role_id: world.member,
    ...Object.fromEntries(allNouns.map(({ one, parameter }) => [parameter, world.nouns[one].id])),
    group: 'ldap',
    option: 'url',
    registered_limit_id: world.registeredLimit.id,
    limit_id: world.limit.id,
    consumer_id: path.includes('/OS-OAUTH1/') ? world.oauth1Consumer.id : world.application.id,
    request_token_id: 'no-token',
    application_id: world.application.id,
    permission_id: world.permission.id,
    credential_id: path.includes('/OS-ROLE-CREDENTIALS/')
      ? 'no-credential'
      : path.includes('/OS-EC2/')
        ? world.key.access
        : world.credential.id,
    list_id: 'no-list',
    client_id: 'no-client',
    registration_token_id: world.registrationToken.id,
    registered_id: world.registered.id,
    application_credential_id: world.applicationCredential.id,
    access_rule_id: world.applicationCredential.access_rules[0].id,
    trust_id: world.trust.id,
    type_id: world.credentialType.id,
    did: 'did:web:nobody.example',
    offer_id: 'no-offer',
    connection_id: world.connection.id,
    invitation_id: world.invitation.id,
    import_id: world.imported.id,
    delivery_id: 'no-delivery',
    kind: 'token',
    language: 'no-language',
    template: 'invitation',
    idp_id: world.idp,
    mapping_id: world.idp,
    protocol_id: 'openid',
    link_id: 'no-link',
    attempt_id: 'no-attempt',
    device_id: 'no-device',
    passkey_id: 'no-passkey',
    access_token_id: 'no-token',
    session_id: 'no-session',
    delegated_kind: 'application_credential',
    delegated_id: world.applicationCredential.id,
    activation_key: 'no-key',
    token_id: 'no-token',
    id: ofScim ? scim[ofScim as keyof typeof scim] : 'no-id',
  };
}

const ACCESS_RULE = { service: 'identity', path: '/v3/users', method: 'GET' };
const MAPPING = { rules: [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] }] };
const OPENID = { issuer: 'https://login.example.org', client_id: 'x' };
const OPENID4VP = {
  credentials: [{ format: 'dc+sd-jwt', types: ['https://town.example/resident'], subject: ['sub'] }],
  issuers: ['https://town.example'],
};

const ENVELOPES: readonly [RegExp, unknown][] = [
  [/\/OS-ROLE-CREDENTIALS\/credentials\//, { credential: { state: 'suspended' } }],
  [/\/config\/:group\/:option$/, { config: { url: 'ldap://x' } }],
  [/\/config(\/:group)?$/, { config: { ldap: { url: 'ldap://x' } } }],
  [/\/types\/:type_id$/, { credential_type: { description: 'x' } }],
  [/\/OS-ROLE-CREDENTIALS\/offers$/, { offer: { credential_configuration_ids: ['nothing.sd_jwt'] } }],
  [/\/targets\/:application_id$/, { target: { did: 'did:web:x.example' } }],
  [/^PATCH \/v3\/(?:OS-OAUTH2\/|OS-ROLES\/)?(\w+?)s\/:\w+$/, undefined],
  [/^PATCH \/v3\/OS-OAUTH1\/consumers\//, { consumer: { description: 'x' } }],
  [/\/OS-OAUTH1\/authorize\//, { roles: [{ id: 'x' }] }],
  [/\/tags$/, { tags: [] }],
  [/\/OS-EC2$/, { tenant_id: 'x' }],
  [/\/application_credentials$/, { application_credential: { name: 'program' } }],
  [/\/mappings\/:mapping_id$/, { mapping: MAPPING }],
  [/\/protocols\/:protocol_id$/, { protocol: { mapping_id: 'x' } }],
  [/\/identity_providers\/:idp_id$/, { identity_provider: { description: 'x' } }],
  [/\/identity_providers\/:idp_id\/openid$/, { openid: OPENID }],
  [/\/identity_providers\/:idp_id\/openid4vp$/, { openid4vp: OPENID4VP }],
  [/\/sign_in_providers$/, { sign_in_provider: { id: 'x', domain_id: 'nowhere', mapping: MAPPING, openid: OPENID } }],
  [/\/provider_metadata$/, { metadata: { issuer: 'ftp://nowhere.example' } }],
  [/\/password$/, { user: { original_password: 'not the password', password: 'another password of a test' } }],
  [/\/reset_password\/:token_id\//, { user: { password: 'another password of a test' } }],
  [/\/OS-SERVICE\/.*look\/(?:logo|favicon)$/, { picture: LOGO.logo }],
  [/\/OS-SERVICE\/.*look\/preview$/, { look: { name: 'x', color: '#336699' } }],
  [/\/logo$/, LOGO],
  [/two_factor_auth$/, { two_factor_auth: { security_question: 'q', security_answer: 'a' } }],
];

/** A body that the route accepts. The names of things in it do not exist, unless ENVELOPES says more. */
export function bodyOf({ method, path, spec }: Route<never>): unknown {
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return undefined;
  if (/\/(Users|Groups|Organizations|Roles)\/:id$/.test(path)) {
    if (method === 'PATCH' && path.startsWith('/scim/')) return patchOf({ op: 'add', path: 'externalId', value: 'x' });
    if (path.includes('/Users/')) return { schemas: [USER], userName: uniqueName('renamed') };
    if (path.includes('/Groups/')) return { schemas: [GROUP], displayName: uniqueName('renamed') };
    return { schemas: [ORGANIZATION], name: uniqueName('renamed') };
  }
  const noun = allNouns.find(({ schemas }) => schemas.Update === spec.body);
  if (noun) return { [noun.one]: noun.examples.change };
  for (const [pattern, body] of ENVELOPES) {
    const found = pattern.exec(`${method} ${path}`);
    if (found) return body ?? { [found[1]!]: { description: 'x' } };
  }
  return spec.body && sampleOf(spec.body);
}

/** A body the schema accepts, with the values of its example. */
export function sampleOf(schema: Schema): unknown {
  const [example] = (schema.examples ?? []) as unknown[];
  if (example !== undefined) return example;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const type = [schema.type].flat()[0];
  if (type === 'string') return schema.pattern?.toString().includes(':') ? 'http://test' : 'test';
  if (type === 'integer') return 1;
  if (type === 'array') return (schema.minItems as number) > 0 ? [sampleOf(schema.items as Schema)] : [];
  if (type !== 'object') return true;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const required = (schema.required ?? []) as string[];
  const keys = required.length === 0 && schema.minProperties ? Object.keys(properties).slice(0, 1) : required;
  return Object.fromEntries(keys.map((key) => [key, sampleOf(properties[key]!)]));
}

export const fill = (path: string, ids: Ids): string =>
  path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? assert.fail(`${path}: idsFor in every-route.ts has no ${name}`)) +
  (path.endsWith('/sec_question') ? '?security_answer=a' : '') +
  (path.endsWith('/OS-ACCESS/explanation') ? `?domain_id=${ids.domain_id}` : '');

/** A request about these things, with the headers of a caller. */
export function askRoute(
  api: TestApi,
  route: Route<never>,
  ids: Ids,
  headers: Readonly<Record<string, string>>,
): Promise<ApiAnswer> {
  const body = bodyOf(route);
  const type = route.path.startsWith('/scim/') ? { 'Content-Type': 'application/scim+json' } : {};
  return api.request(route.method, fill(route.path, ids), {
    token: null,
    headers: { ...headers, ...(body === undefined ? {} : type) },
    ...(body === undefined ? {} : { body }),
  });
}

/** The content of an answer, without the requested ids. */
export function told({ status, text, headers }: ApiAnswer, ids: Ids): string {
  let body = text.replace(/"(x-openstack-request-id|requestId)":"[^"]*"/gi, '');
  for (const id of Object.values(ids)) body = body.replaceAll(id, '{id}');
  return `${status} ${headers.get('etag') ?? ''} ${body}`;
}

/** The token of an application credential with a role of its user. */
export async function programToken(api: TestApi, role: string, values: Record<string, unknown> = {}): Promise<string> {
  const project = await api.make('project', { name: uniqueName('project') });
  return programTokenOf(api, await api.persona([role], { project: project.id }), values);
}
