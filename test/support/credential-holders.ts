// Credentials of roles in the wallets of people: a type, somebody who has the role, and the credential in their hands.
import assert from 'node:assert/strict';
import { type TestApi, uniqueName } from './api.ts';
import { assign, assignmentPath, makeApplication, makeRole } from './applications.ts';
import { Holder } from './holder.ts';
import { makeUser } from './relying-party.ts';

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const SUFFIXES: Readonly<Record<string, string>> = { 'dc+sd-jwt': 'sd_jwt', 'vc+sd-jwt': 'sd_jwt_older', jwt_vc_json: 'jwt_vc' };

export interface RoleCredentialWorld {
  readonly application: { readonly id: string };
  readonly role: { readonly id: string; readonly name: string };
  readonly typeId: string;
}

export async function makeCredentialType(api: TestApi, values: Record<string, unknown> = {}): Promise<RoleCredentialWorld> {
  const application = await makeApplication(api);
  const role = await makeRole(api, application);
  const typeId = uniqueName('type')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const type = {
    id: typeId,
    application_id: application.id,
    name: 'A role',
    formats: ['dc+sd-jwt', 'jwt_vc_json'],
    claims: ['name', 'email'],
    ...values,
  };
  const answer = await api.post('/v3/OS-ROLE-CREDENTIALS/types', { credential_type: type });
  assert.equal(answer.status, 201, answer.text);
  return { application, role, typeId };
}

async function asJson(response: Response): Promise<any> {
  const text = await response.text();
  assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** An offer with a pre-authorized code, which only the person gets. */
export async function offerTo(
  api: TestApi,
  person: { readonly id: string; readonly token: string },
  configurationId: string,
): Promise<{ uri: string; tx_code: string }> {
  const offered = await api.post(
    `/v3/users/${person.id}/OS-ROLE-CREDENTIALS/offers`,
    { offer: { credential_configuration_ids: [configurationId] } },
    { token: person.token },
  );
  assert.equal(offered.status, 201, offered.text);
  return offered.body.offer;
}

/** Receives a credential, as a wallet does with a pre-authorized code. */
export async function receiveCredential(
  api: TestApi,
  person: { readonly id: string; readonly token: string },
  configurationId: string,
  holder = new Holder(() => api.clock.now()),
): Promise<Holder> {
  const { uri, tx_code: txCode } = await offerTo(api, person, configurationId);
  const offer = await asJson(await fetch(new URL(uri).searchParams.get('credential_offer_uri')!));
  const { token_endpoint: endpoint } = await asJson(await fetch(`${api.url}/.well-known/oauth-authorization-server`));
  const { access_token: token, authorization_details: details } = await asJson(
    await fetch(endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: PRE_AUTHORIZED,
        'pre-authorized_code': offer.grants[PRE_AUTHORIZED]['pre-authorized_code'],
        tx_code: txCode,
      }),
    }),
  );
  const metadata = await asJson(await fetch(`${api.url}/.well-known/openid-credential-issuer`));
  const { c_nonce: nonce } = await asJson(await fetch(metadata.nonce_endpoint, { method: 'POST' }));
  const identifier = details?.[0]?.credential_identifiers?.[0];
  const asked =
    identifier === undefined ? { credential_configuration_id: configurationId } : { credential_identifier: identifier };
  const { credentials } = await asJson(
    await fetch(metadata.credential_endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ ...asked, proofs: { jwt: [await holder.proof(metadata.credential_issuer, nonce)] } }),
    }),
  );
  holder.raw = credentials[0].credential;
  return holder;
}

/** Somebody with the role, in an organization of their own, with a recent login. */
export async function makeRoleHolder(api: TestApi, world: RoleCredentialWorld, values: Record<string, unknown> = {}) {
  const { domain_id: domainId = 'default' } = values;
  const organization = await api.make('project', { name: uniqueName('own'), domain_id: domainId });
  const person = await makeUser(api, { ...values, default_project_id: organization.id });
  await api.put(`/v3/projects/${organization.id}/users/${person.id}/roles/${await api.roleId('member')}`);
  await assign(api, { user: person, application: world.application, role: world.role });
  return { ...person, token: await api.logIn({ id: person.id, password: person.password }) };
}

/** Somebody with the role, and its credential in their wallet. */
export async function makeCredentialHolder(
  api: TestApi,
  world: RoleCredentialWorld,
  { format = 'dc+sd-jwt', ...values }: Record<string, unknown> & { format?: string } = {},
) {
  const person = await makeRoleHolder(api, world, values);
  return { ...person, holder: await receiveCredential(api, person, `${world.typeId}.${SUFFIXES[format]}`) };
}

/** Takes the role away. */
export async function takeRole(api: TestApi, { id }: { id: string }, { application, role }: RoleCredentialWorld): Promise<void> {
  const answer = await api.delete(assignmentPath({ user: { id }, application, role }));
  assert.equal(answer.status, 204, answer.text);
}

/** The credential of a person, as administrators see it. */
export async function issuedTo(api: TestApi, { id }: { id: string }): Promise<any> {
  const answer = await api.get(`/v3/OS-ROLE-CREDENTIALS/credentials?user_id=${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.credentials[0];
}
