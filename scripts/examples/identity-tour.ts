// Calls the operations of the identity service, one after the other, with the data of a small town.
import { makeNouns } from '../../test/support/nouns.ts';
import { LOGO } from '../../test/support/pictures.ts';
import { tourDomainConfig, tourEndpointFilter, tourLimits, tourPolicies } from './catalog-tour.ts';
import { tourClientRegistration } from './client-registration-tour.ts';
import { tourApplicationCredentials, tourOAuth1, tourTrusts } from './delegations-tour.ts';
import { tourEc2 } from './ec2-tour.ts';
import { tourFederation } from './federation-tour.ts';
import { tourIssuedCredentials } from './issued-credentials-tour.ts';
import { BACKUP_BEGUN, BACKUPS_KEPT, DID_DOCUMENT, GONE, RECEIPT, TRUSTED_ISSUER, waitingRegistrations } from './rare-answers.ts';
import { documentOf, failingProbes, type Recorder } from './recorder.ts';
import { tourCredentialWallet, tourRoleCredentials } from './role-credentials-tour.ts';
import { tourScim } from './scim-tour.ts';
import { tourSignInRequest } from './sign-in-requests-tour.ts';

export const PASSWORD = 'Correct-horse-9';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQ9bsBAAHPAURf8l/aAAAAAElFTkSuQmCC';

const passwordOf = (name: string, password: string) => ({
  methods: ['password'],
  password: { user: { name, domain: { id: 'default' }, password } },
});

/** What later parts of the tour need. */
interface Town {
  readonly admin: string;
  readonly ada: string;
  readonly grace: string;
  readonly group: string;
  readonly library: string;
  readonly member: string;
}

export async function tourIdentity(api: Recorder): Promise<void> {
  const { call } = { call: api.call.bind(api) };
  for (const path of ['/', '/v3', '/healthz', '/livez', '/readyz']) await call('GET', path);
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/openid/jwks'])
    await call('GET', path);
  await call('GET', '/', { headers: { Accept: 'application/json-home' } });
  failingProbes(api);
  documentOf(api);
  const login = await call('POST', '/v3/auth/tokens', {
    body: { auth: { identity: passwordOf('admin', PASSWORD), scope: { project: { name: 'admin', domain: { id: 'default' } } } } },
  });
  const token = login.headers.get('x-subject-token')!;
  api.headers = { 'X-Auth-Token': token };
  const town = await tourBase(api, login.token.user.id);
  await tourTokens(api, token);
  await tourGrants(api, town);
  await tourCatalog(api, town);
  await tourApplications(api, town);
  await tourSecondFactor(api, token);
  await tourRegistration(api, town);
  await tourFederation(api);
  await tourScim(api, town.ada);
  await tourClientRegistration(api);
  await tourService(api, town);
  api.examples.logIn!.answers!['401'] = RECEIPT;
  api.examples.getIssuerDidDocument = { answers: { 200: DID_DOCUMENT } };
  api.examples.getTrustedIssuer = { answers: { 200: TRUSTED_ISSUER } };
  for (const id of ['getPkiAuthority', 'getPkiCertificates']) api.examples[id] = { answers: { 410: GONE } };
}

async function tourBase(api: Recorder, admin: string): Promise<Town> {
  const call = api.call.bind(api);
  const { domain } = await call('POST', '/v3/domains', {
    body: { domain: { name: 'Harbour', description: 'The people of the harbour' } },
  });
  await call('GET', `/v3/domains/${domain.id}`);
  await call('PATCH', `/v3/domains/${domain.id}`, { body: { domain: { description: 'Everybody who works at the harbour' } } });
  await call('GET', '/v3/domains');
  const { project } = await call('POST', '/v3/projects', {
    body: { project: { name: 'Library', description: 'The library of the town', tags: ['culture'] } },
  });
  await call('GET', `/v3/projects/${project.id}`);
  await call('PATCH', `/v3/projects/${project.id}`, { body: { project: { description: 'The library and its reading room' } } });
  await call('GET', '/v3/projects');
  await call('PUT', `/v3/projects/${project.id}/tags`, { body: { tags: ['culture', 'public'] } });
  await call('GET', `/v3/projects/${project.id}/tags`);
  const person = (name: string, description: string) =>
    call('POST', '/v3/users', {
      body: {
        user: {
          name,
          email: `${name}@town.example`,
          description,
          password: `the password of ${name}`,
          default_project_id: project.id,
        },
      },
    });
  const { user: ada } = await person('ada', 'Ada Lovelace');
  const { user: grace } = await person('grace', 'Grace Hopper');
  await call('GET', `/v3/users/${ada.id}`);
  await call('PATCH', `/v3/users/${ada.id}`, { body: { user: { email: 'ada.lovelace@town.example' } } });
  await call('GET', '/v3/users?limit=2');
  await call('POST', `/v3/users/${grace.id}/password`, {
    body: { user: { original_password: 'the password of grace', password: 'another password of grace' } },
  });
  await call('POST', `/v3/users/${grace.id}/OS-PASSWORD/expire`);
  await call('GET', `/v3/OS-LOCK/locks?user_id=${ada.id},${grace.id}`);
  await call('GET', `/v3/users/${grace.id}/OS-LOCK/lock`);
  await call('DELETE', `/v3/users/${grace.id}/OS-LOCK/lock`);
  const { group } = await call('POST', '/v3/groups', {
    body: { group: { name: 'Librarians', description: 'Everybody who works in the library' } },
  });
  await call('GET', `/v3/groups/${group.id}`);
  await call('PATCH', `/v3/groups/${group.id}`, { body: { group: { description: 'Who lends books' } } });
  await call('GET', '/v3/groups');
  await call('PUT', `/v3/groups/${group.id}/users/${ada.id}`);
  await call('GET', `/v3/groups/${group.id}/users`);
  await call('GET', `/v3/users/${ada.id}/groups`);
  const { role } = await call('POST', '/v3/roles', { body: { role: { name: 'archivist', description: 'Keeps what is old' } } });
  await call('GET', `/v3/roles/${role.id}`);
  await call('PATCH', `/v3/roles/${role.id}`, { body: { role: { description: 'Keeps what is old, and finds it again' } } });
  const { roles } = await call('GET', '/v3/roles?limit=3');
  const { roles: all } = await call('GET', '/v3/roles', { unrecorded: true });
  const member = (all as { id: string; name: string }[]).find(({ name }) => name === 'member')!.id;
  await call('PUT', `/v3/roles/${role.id}/implies/${member}`);
  await call('GET', `/v3/roles/${role.id}/implies`);
  await call('GET', `/v3/roles/${role.id}/implies/${member}`);
  await call('GET', '/v3/role_inferences');
  for (const [kind, id] of [
    ['users', ada.id],
    ['groups', group.id],
    ['projects', project.id],
    ['domains', domain.id],
    ['roles', roles[0].id],
  ] as const)
    await call('GET', `/v3/${kind}/${id}/OS-IMPACT/deletion`);
  await tourApplicationCredentials({ call }, admin);
  await tourTrusts({ call }, admin);
  tourIssuedCredentials(api, admin);
  await tourEc2({ call }, admin);
  await tourOAuth1({ call }, admin);
  const { credential } = await call('POST', '/v3/credentials', {
    body: { credential: { type: 'cert', blob: 'a certificate', user_id: ada.id } },
  });
  await call('GET', '/v3/credentials');
  await call('GET', `/v3/credentials/${credential.id}`);
  await call('PATCH', `/v3/credentials/${credential.id}`, { body: { credential: { blob: 'a newer certificate' } } });
  return { admin, ada: ada.id, grace: grace.id, group: group.id, library: project.id, member };
}

async function tourTokens(api: Recorder, token: string): Promise<void> {
  await api.call('GET', '/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });
  for (const path of ['catalog', 'projects', 'domains', 'system', 'OS-ACCESS/allowed']) await api.call('GET', `/v3/auth/${path}`);
}

async function tourGrants(api: Recorder, { ada, group, library, member }: Town): Promise<void> {
  const places = [
    '/v3/system',
    '/v3/domains/default',
    `/v3/projects/${library}`,
    '/v3/OS-INHERIT/domains/default',
    `/v3/OS-INHERIT/projects/${library}`,
  ];
  for (const place of places)
    for (const who of [`users/${ada}`, `groups/${group}`]) {
      const end = place.includes('INHERIT') ? '/inherited_to_projects' : '';
      await api.call('PUT', `${place}/${who}/roles/${member}${end}`);
      await api.call('GET', `${place}/${who}/roles${end}`);
    }
  await api.call('GET', `/v3/role_assignments?include_names=true&user.id=${ada}&scope.project.id=${library}`);
  await api.call('GET', `/v3/users/${ada}/projects`);
  await api.call('GET', `/v3/users/${ada}/OS-ACCESS/explanation?project_id=${library}&role_id=${member}`);
  await api.call('GET', `/v3/users/${ada}/OS-ACCESS/sign-in`);
}

async function tourCatalog(api: Recorder, town: Town): Promise<void> {
  const call = api.call.bind(api);
  // Their own examples follow from their definitions.
  const made = await makeNouns((method, path, body) => call(method, path, { body, unrecorded: true }));
  const { service, endpoint, endpoint_group, policy } = made;
  const staff = await call('POST', '/v3/domains', { body: { domain: { name: 'staff' } }, unrecorded: true });
  await tourDomainConfig(api, staff.domain.id);
  await tourEndpointFilter(api, endpoint_group.id, endpoint.id, town.library);
  await tourPolicies(api, policy.id, endpoint.id);
  await tourLimits(api, service.id, town.library);
}

async function tourApplications(api: Recorder, town: Town): Promise<void> {
  const call = api.call.bind(api);
  const orders = {
    name: 'Orders',
    description: 'Where the town orders what it needs',
    client_type: 'confidential',
    grant_type: 'authorization_code',
    redirect_uris: ['https://orders.town.example/callback'],
    scopes: ['all_info'],
  };
  const { consumer } = await call('POST', '/v3/OS-OAUTH2/consumers', { body: { consumer: orders } });
  const one = `/v3/OS-OAUTH2/consumers/${consumer.id}`;
  await call('GET', '/v3/OS-OAUTH2/consumers');
  await call('GET', one);
  await call('PATCH', one, { body: { consumer: { description: 'Orders of the whole town' } } });
  await call('PUT', `${one}/logo`, { body: { logo: { content: PNG } } });
  await call('GET', `${one}/logo`);
  await call('POST', `${one}/sign-in-attempts`);
  await call('GET', `${one}/OS-IMPACT/deletion`);
  const { consumer: other } = await call('POST', '/v3/OS-ROLES/consumers', {
    body: { consumer: { ...orders, name: 'Orders of the library' } },
  });
  await call('GET', '/v3/OS-ROLES/consumers');
  await call('GET', `/v3/OS-ROLES/consumers/${other.id}`);
  await call('PATCH', `/v3/OS-ROLES/consumers/${other.id}`, { body: { consumer: { description: 'Books and shelves' } } });
  const { role } = await call('POST', '/v3/OS-ROLES/roles', { body: { role: { name: 'Buyer', application_id: consumer.id } } });
  await call('GET', `/v3/OS-ROLES/roles/${role.id}`);
  await call('PATCH', `/v3/OS-ROLES/roles/${role.id}`, { body: { role: { name: 'Purchaser' } } });
  await call('GET', `/v3/OS-ROLES/roles?application_id=${consumer.id}`);
  const { permission } = await call('POST', '/v3/OS-ROLES/permissions', {
    body: { permission: { name: 'Place orders', application_id: consumer.id, action: 'POST', resource: '/orders' } },
  });
  await call('GET', `/v3/OS-ROLES/permissions/${permission.id}`);
  await call('PATCH', `/v3/OS-ROLES/permissions/${permission.id}`, { body: { permission: { resource: '/orders/new' } } });
  await call('GET', `/v3/OS-ROLES/permissions?application_id=${consumer.id}`);
  await call('PUT', `/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`);
  await call('GET', `/v3/OS-ROLES/roles/${role.id}/permissions`);
  const { ada, library } = town;
  const ofUser = `/v3/OS-ROLES/users/${ada}`;
  const ofOrganization = `/v3/OS-ROLES/organizations/${library}`;
  await call('PUT', `${ofOrganization}/applications/${consumer.id}/roles/${role.id}`);
  await call('PUT', `${ofUser}/organizations/${library}/applications/${consumer.id}/roles/${role.id}`);
  await call('GET', '/v3/OS-ROLES/users/role_assignments?include_names=true');
  await call('GET', '/v3/OS-ROLES/organizations/role_assignments?include_names=true');
  await call('GET', `${ofUser}/applications/${consumer.id}/permissions`);
  await call('GET', `${ofUser}/applications/${consumer.id}/explanation?role_id=${role.id}`);
  for (const who of [ofOrganization, `${ofUser}/organizations/${library}`])
    for (const what of ['applications/allowed', 'applications/allowed_roles', 'roles/allowed'])
      await call('GET', `${who}/${what}`);
  await tourRoleCredentials({ call }, { applicationId: consumer.id, roleId: role.id });
  const login = await call('POST', '/v3/auth/tokens', {
    body: { auth: { identity: passwordOf('ada', 'the password of ada') } },
    unrecorded: true,
  });
  const token = login.headers.get('x-subject-token') as string;
  await tourCredentialWallet({ call }, { userId: ada, token, configurationId: 'town-buyer.sd_jwt' });
  await tourOAuth(api, consumer);
  await call('GET', `${one}/grants`);
  await call('POST', `${one}/secret`, { body: { grace_seconds: 86_400 } });
}

async function tourOAuth(api: Recorder, { id, secret }: { id: string; secret: string }): Promise<void> {
  const call = api.call.bind(api);
  const redirect = 'https://orders.town.example/callback';
  const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
  const challenge = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
  const request = {
    client_id: id,
    response_type: 'code',
    redirect_uri: redirect,
    scope: 'openid all_info',
    state: 'af0ifjsldkj',
    ...challenge,
  };
  await call('POST', '/openid/par', { form: request, headers: basic });
  api.addExample('POST', '/openid/authorize', request);
  api.addExample('POST', '/openid/logout', { client_id: id, post_logout_redirect_uri: 'https://orders.town.example/' });
  const ada = await call('POST', '/v3/auth/tokens', {
    body: { auth: { identity: passwordOf('ada', 'the password of ada') } },
    unrecorded: true,
  });
  const own = { 'X-Auth-Token': ada.headers.get('x-subject-token')! };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirect,
    scope: 'all_info',
    state: 'x',
  });
  const approve = async () => {
    await call('GET', `/v3/OS-OAUTH2/authorize?${query}`, { headers: own });
    const approval = { client_id: id, user_id: ada.token.user.id, scopes: ['all_info'] };
    return call('POST', '/v3/OS-OAUTH2/authorize', { body: { user_auth: approval }, headers: own });
  };
  const codeOf = ({ headers }: { headers: Headers }): string => new URL(headers.get('location')!).searchParams.get('code')!;
  const code = { grant_type: 'authorization_code', redirect_uri: redirect };
  const { access_token: token } = await call('POST', '/v3/OS-OAUTH2/access_token', {
    form: { ...code, code: codeOf(await approve()) },
    headers: basic,
  });
  await call('GET', `/v3/access-tokens/${token}`);
  const ofUser = `/v3/users/${ada.token.user.id}/OS-OAUTH2/access_tokens`;
  const { access_tokens: tokens } = await call('GET', ofUser);
  await call('GET', `${ofUser}/${tokens[0].id}`);
  await call('POST', '/openid/token', { form: { ...code, code: codeOf(await approve()) }, headers: basic });
  await call('POST', '/openid/introspect', { form: { token }, headers: basic });
  api.addExample('GET', '/openid/userinfo', undefined, {
    200: { sub: ada.token.user.id, preferred_username: 'ada', email: 'ada.lovelace@town.example' },
  });
  api.addExample('POST', '/openid/userinfo', undefined, {
    200: { sub: ada.token.user.id, preferred_username: 'ada', email: 'ada.lovelace@town.example' },
  });
  await call('POST', '/openid/revoke', { form: { token, token_type_hint: 'access_token' }, headers: basic });
  await call('POST', '/openid/device/authorize', { form: { client_id: id, scope: 'openid' }, headers: basic });
  await tourSignInRequest(api);
}

async function tourSecondFactor(api: Recorder, admin: string): Promise<void> {
  const call = api.call.bind(api);
  const { user } = await call('POST', '/v3/users', {
    body: { user: { name: 'karen', password: 'the password of karen' } },
    unrecorded: true,
  });
  const login = await call('POST', '/v3/auth/tokens', {
    body: { auth: { identity: passwordOf('karen', 'the password of karen') } },
    unrecorded: true,
  });
  const own = { 'X-Auth-Token': login.headers.get('x-subject-token')! };
  const factor = `/v3/users/${user.id}/OS-TWO-FACTOR`;
  await call('POST', `${factor}/two_factor_auth`, {
    body: { two_factor_auth: { security_question: 'The name of your first pet', security_answer: 'Rex' } },
    headers: own,
  });
  api.headers = { 'X-Auth-Token': admin };
  await call('GET', `${factor}/two_factor_auth`);
  await call('GET', `${factor}/two_factor_data`);
  await call('POST', `${factor}/recovery_codes`);
  await call('POST', `/v3/OS-TWO-FACTOR/devices?user_id=${user.id}`);
  await call('GET', `${factor}/devices`);
  await call('GET', `/v3/users/${user.id}/OS-PASSKEYS/passkeys`);
  await call('GET', `/v3/users/${user.id}/OS-SESSIONS/sessions`);
  await call('GET', `/v3/users/${user.id}/OS-DELEGATED/access`);
}

async function tourRegistration(api: Recorder, { library, group }: Town): Promise<void> {
  const call = api.call.bind(api);
  const { user } = await call('POST', '/v3/OS-REGISTRATION/users', {
    body: { user: { name: 'hedy@town.example', username: 'hedy', password: 'the password of hedy', domain_id: 'default' } },
  });
  const of = `/v3/OS-REGISTRATION/users/${user.id}`;
  const { activation_key: key } = await call('GET', `${of}/activate`);
  await call('PATCH', `/v3/OS-REGISTRATION/activate/${key.id}/users/${user.id}`);
  const { reset_token: reset } = await call('GET', `${of}/reset_password`);
  await call('PATCH', `/v3/OS-REGISTRATION/reset_password/${reset.id}/users/${user.id}`, {
    body: { user: { password: 'a new password of hedy' } },
  });
  const { invitation } = await call('POST', '/v3/OS-REGISTRATION/invitations', {
    body: { invitation: { email: 'eve@town.example', organization_id: library, groups: [group], language: 'en' } },
  });
  api.addExample('GET', '/v3/OS-REGISTRATION/waiting', undefined, { 200: waitingRegistrations(user.id) });
  api.addExample('POST', `/v3/OS-REGISTRATION/waiting/${user.id}/refuse`, { refusal: { reason: 'We do not know you.' } }, {});
  await call('GET', '/v3/OS-REGISTRATION/invitations');
  await call('GET', `/v3/OS-REGISTRATION/invitations/${invitation.id}`);
  await call('POST', `/v3/OS-REGISTRATION/invitations/${invitation.id}/resend`);
  const run = { source: 'keystone', kind: 'keystone', rehearsal: true, merge: ['role'] };
  const { import: begun } = await call('POST', '/v3/OS-IMPORT/imports', { body: { import: run } });
  const [records, kinds] = [[{ key: 'f1', name: 'Harbour' }], { domain: { read: 1, made: 1 } }];
  await call('POST', `/v3/OS-IMPORT/imports/${begun.id}/batches`, { body: { batch: { kind: 'domain', records } } });
  await call('PATCH', `/v3/OS-IMPORT/imports/${begun.id}`, { body: { import: { report: { kinds }, state: 'finished' } } });
  await call('GET', '/v3/OS-IMPORT/imports');
  await call('GET', `/v3/OS-IMPORT/imports/${begun.id}`);
  await call('GET', '/v3/OS-ACCOUNT/deletions');
  api.addExample('GET', `/v3/users/${user.id}/OS-ACCOUNT/deletion`, undefined, {
    200: {
      deletion: {
        user_id: user.id,
        user_name: 'hedy@town.example',
        domain_id: 'default',
        requested_at: '2026-11-17T09:00:00.000000Z',
        due_at: '2026-12-01T09:00:00.000000Z',
        links: { self: `http://127.0.0.1:5000/v3/users/${user.id}/OS-ACCOUNT/deletion` },
      },
    },
  });
}

async function tourService(api: Recorder, { admin }: Town): Promise<void> {
  const call = api.call.bind(api);
  for (const path of ['overview', 'settings', 'keys', 'certificates', 'deliveries', 'replicas'])
    await call('GET', `/v3/OS-SERVICE/${path}`);
  api.addExample('GET', '/v3/OS-SERVICE/backups', undefined, { 200: BACKUPS_KEPT });
  api.addExample('POST', '/v3/OS-SERVICE/backups', undefined, { 202: BACKUP_BEGUN });
  await call('PATCH', '/v3/OS-SERVICE/settings', {
    body: { settings: { GATEHOUSE_IDENTITY_DEVICE_DAYS: '30', GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: null } },
  });
  await call('POST', '/v3/OS-SERVICE/mail/test', { body: { mail: { to: 'ada@town.example', language: 'en' } } });
  const mailText = '/v3/OS-SERVICE/mail/texts/en/invitation';
  const body = {
    mail_text: { subject: 'Come to {{organization}}', body: '{{inviter}} invites you:\n\n{{link}}\n\nUntil then!' },
  };
  await call('GET', '/v3/OS-SERVICE/mail/texts');
  await call('GET', mailText);
  await call('POST', `${mailText}/preview`, { body });
  await call('PUT', mailText, { body });
  await call('DELETE', mailText);
  for (const kind of ['logo', 'favicon']) {
    await call('PUT', `/v3/OS-SERVICE/look/${kind}`, { body: { picture: LOGO.logo } });
    await call('GET', `/v3/OS-SERVICE/look/${kind}`);
    await call('DELETE', `/v3/OS-SERVICE/look/${kind}`);
  }
  await call('POST', '/v3/OS-SERVICE/look/preview', {
    body: {
      look: { name: 'Harbour', color: '#aa0000', terms_url: 'https://town.example/terms', language: 'en', scheme: 'dark' },
    },
  });
  await call('POST', '/v3/OS-SERVICE/keys/token/rotate');
  await call('GET', `/v3/OS-AUDIT/events?limit=2&actor_id=${admin}`);
  await call('GET', '/v3/OS-AUDIT/counts?interval=day');
}
