// Sample data for pictures of the screens: a small town with people, organizations and an application.
import { generateKeyPairSync } from 'node:crypto';
import type { TestApi } from '../test/support/api.ts';
import { TestCredentialWallet } from '../test/support/role-credentials.ts';

export interface Samples {
  readonly person: string;
  /** The same person, who has roles and a wallet. */
  readonly holder: { readonly name: string; readonly password: string };
  readonly disabled: string;
  readonly group: string;
  readonly organization: string;
  readonly application: string;
  /** One with a FAPI profile and keys, and one of a workload. */
  readonly bank: string;
  readonly workload: string;
  /** One that asks people who are somewhere else: the holder has not answered yet. */
  readonly counter: string;
  readonly api: string;
}

type Made = { readonly id: string };

const PEOPLE = [
  ['Ada Lovelace', 'ada'],
  ['Alan Turing', 'alan'],
  ['Barbara Liskov', 'barbara'],
  ['Edsger Dijkstra', 'edsger'],
  ['Grace Hopper', 'grace'],
  ['Hedy Lamarr', 'hedy'],
  ['Karen Spärck Jones', 'karen'],
  ['Ramón Llull', 'ramon'],
] as const;
const ORGANIZATIONS = ['Library', 'Museum', 'Harbour'] as const;
const PERMISSIONS = ['See orders', 'Place orders', 'Cancel orders', 'See reports'] as const;
const ROLES = ['Buyer', 'Clerk', 'Auditor'] as const;

type Call = <Answer>(method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;

async function logIn(identity: string, user: Readonly<Record<string, unknown>>, scope?: object): Promise<string> {
  const auth = { identity: { methods: ['password'], password: { user } }, ...(scope ? { scope } : {}) };
  const login = await fetch(`${identity}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  return login.headers.get('x-subject-token')!;
}

/** Somebody adds a credential to their wallet; with `again`, the wallet gets it anew. */
async function addToWallet(
  identity: string,
  call: Call,
  user: { id: string; password: string },
  configuration: string,
  again = false,
) {
  const offers = `/v3/users/${user.id}/OS-ROLE-CREDENTIALS/offers`;
  const { offer } = await call<{ offer: { uri: string; tx_code: string } }>(
    'POST',
    offers,
    { offer: { credential_configuration_ids: [configuration] } },
    await logIn(identity, user),
  );
  const service = { url: identity, service: { issuer: () => identity }, clock: { now: () => Date.now() } };
  const wallet = new TestCredentialWallet(service as unknown as TestApi);
  const token = await wallet.token(offer.uri, offer.tx_code);
  await wallet.receive(token, configuration);
  if (!again) return;
  // Times are in seconds.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await wallet.receive(token, configuration);
}

/** A type of credential about roles, and wallets of people that have it. */
async function makeCredentials(identity: string, call: Call, applicationId: string, people: readonly string[]): Promise<void> {
  const types = '/v3/OS-ROLE-CREDENTIALS/types';
  for (const credential_type of [
    {
      id: 'town-buyer',
      name: 'Buyer of the town',
      description: 'Shows shops that you may order for the town.',
      claims: ['name', 'organization'],
      application_id: applicationId,
    },
    { id: 'auditor', name: 'Auditor', application_id: applicationId, enabled: false },
  ])
    await call('POST', types, { credential_type });
  for (const [at, [, name]] of PEOPLE.slice(0, 3).entries())
    await addToWallet(identity, call, { id: people[at]!, password: `the password of ${name}` }, 'town-buyer.sd_jwt', at === 0);
  const issued = '/v3/OS-ROLE-CREDENTIALS/credentials';
  const of = async (user: string): Promise<string> =>
    (await call<{ credentials: readonly Made[] }>('GET', `${issued}?user_id=${user}`)).credentials[0]!.id;
  await call('PATCH', `${issued}/${await of(people[1]!)}`, { credential: { state: 'suspended' } });
  await call('DELETE', `${issued}/${await of(people[2]!)}`);
}

/** People who registered and wait for approval. */
async function makeWaiting(call: Call): Promise<void> {
  const confirmedBy = (who: string | null) =>
    call('PATCH', '/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_REGISTRATION_CONFIRMED_BY: who } });
  await confirmedBy('administrator');
  for (const name of ['mary', 'niklaus']) {
    const address = `${name}@town.example`;
    const body = { user: { name: address, email: address, username: name, password: `the password of ${name}` } };
    const { user } = await call<{ user: Made & { activation_key: string } }>('POST', '/v3/OS-REGISTRATION/users', body);
    await call('PATCH', `/v3/OS-REGISTRATION/activate/${user.activation_key}/users/${user.id}`);
  }
  await confirmedBy(null);
}

/** Applications without a secret, APIs with scopes, and programs that registered themselves. */
async function makePrograms(
  identity: string,
  call: Call,
  make: (kind: string, path: string, values: Readonly<Record<string, unknown>>) => Promise<string>,
  application: string,
): Promise<Pick<Samples, 'bank' | 'workload' | 'counter' | 'api'>> {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const bank = await make('consumer', '/v3/OS-OAUTH2/consumers', {
    name: 'Bank of the town',
    description: 'Payments, with the profile of banks',
    redirect_uris: ['https://bank.town.example/callback'],
    security_profile: 'fapi2',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [{ ...key, kid: 'bank-2026', use: 'sig', alg: 'ES256' }] },
    dpop_bound_access_tokens: true,
  });
  const workload = await make('consumer', '/v3/OS-OAUTH2/consumers', {
    name: 'Nightly report',
    description: 'Runs in the cluster',
    token_endpoint_auth_method: 'workload_jwt',
    workload_identities: [
      {
        issuer: 'https://kubernetes.town.example',
        subject: 'system:serviceaccount:reports:nightly',
        audience: identity,
      },
    ],
    allowed_grant_types: ['client_credentials'],
  });
  const api = await make('api', '/v3/OS-OAUTH2/apis', {
    identifier: 'https://papers.town.example/',
    name: 'Papers',
    description: 'What the town wrote, and what was written to it',
    application_id: application,
    applications: [application, bank],
    scopes: [
      { name: 'papers:read', description: 'to read your papers' },
      { name: 'papers:write', description: 'to write papers in your name' },
    ],
  });
  const reports = await make('api', '/v3/OS-OAUTH2/apis', {
    identifier: 'urn:town:reports',
    name: 'Reports',
    token_format: 'opaque',
    applications: null,
    scopes: [{ name: 'reports:read', description: 'to read reports of the town' }],
  });
  const exchanges = [{ application_id: application, subject_scope: 'papers:read', scope: 'reports:read' }];
  await call('PATCH', `/v3/OS-OAUTH2/apis/${reports}`, { api: { exchanges } });
  await call('PUT', '/v3/domains/default/config', { config: { application_registration: { mode: 'open' } } });
  for (const [name, place] of [
    ['Photo prints', 'https://prints.example.net/callback'],
    ['Assistant', 'http://127.0.0.1:9999/callback'],
  ])
    await call('POST', '/openid/clients?domain_id=default', { client_name: name, redirect_uris: [place] });
  await call('POST', '/v3/OS-OAUTH2/registration_tokens', {
    registration_token: { name: 'For the library', domain_id: 'default', uses: 5 },
  });
  return { bank, workload, counter: await makeCounter(identity, call), api };
}

async function makeCounter(identity: string, call: Call): Promise<string> {
  const { consumer } = await call<{ consumer: Made & { secret: string } }>('POST', '/v3/OS-OAUTH2/consumers', {
    consumer: {
      name: 'Counter of the library',
      description: 'Asks who wants to borrow a book',
      allowed_grant_types: ['urn:openid:params:grant-type:ciba'],
      allowed_scopes: ['openid', 'profile'],
      backchannel_user_code_parameter: true,
    },
  });
  const asked = await fetch(`${identity}/openid/backchannel`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${consumer.id}:${consumer.secret}`).toString('base64')}` },
    body: new URLSearchParams({
      scope: 'openid profile',
      login_hint: PEOPLE[0][1],
      binding_message: 'Counter 7, W4SCT',
      requested_expiry: '600',
    }),
  });
  if (!asked.ok) throw new Error(`the counter asks: ${asked.status} ${await asked.text()}`);
  return consumer.id;
}

export async function makeSamples(identity: string, password: string): Promise<Samples> {
  const admin = await logIn(identity, { name: 'admin', domain: { id: 'default' }, password }, { system: { all: true } });
  async function call<Answer>(method: string, path: string, body?: unknown, token = admin): Promise<Answer> {
    const answer = await fetch(identity + path, {
      method,
      headers: { 'X-Auth-Token': token, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Answer;
  }
  const make = async (kind: string, path: string, values: Readonly<Record<string, unknown>>): Promise<string> =>
    (await call<Record<string, Made>>('POST', path, { [kind]: values }))[kind]!.id;

  const people: string[] = [];
  for (const [displayName, name] of PEOPLE)
    people.push(
      await make('user', '/v3/users', {
        name,
        email: `${name}@town.example`,
        description: displayName,
        password: `the password of ${name}`,
        enabled: name !== 'edsger',
      }),
    );
  const organizations: string[] = [];
  for (const name of ORGANIZATIONS)
    organizations.push(await make('project', '/v3/projects', { name, description: `The ${name.toLowerCase()} of the town` }));
  await make('project', '/v3/projects', { name: 'Children’s books', parent_id: organizations[0]! });
  const group = await make('group', '/v3/groups', { name: 'Librarians', description: 'Everybody who works in the library' });
  for (const person of people.slice(0, 4)) await call('PUT', `/v3/groups/${group}/users/${person}`);
  await call('POST', '/v3/OS-FEDERATION/sign_in_providers', {
    sign_in_provider: {
      id: 'harbour',
      domain_id: 'default',
      description: 'Accounts of the harbour',
      enabled: true,
      mapping: {
        schema_version: '2.0',
        rules: [
          { local: [{ user: { name: '{0}', email: '{1}' } }], remote: [{ type: 'preferred_username' }, { type: 'email' }] },
          {
            local: [{ groups: '{0}', domain: { id: 'default' } }],
            remote: [{ type: 'groups', whitelist: ['Librarians'] }],
          },
        ],
      },
      openid: {
        issuer: 'https://login.harbour.example',
        client_id: 'gatehouse',
        client_secret: 'a secret of the samples',
        button_name: 'Harbour',
        email_domains: ['harbour.example'],
      },
    },
  });
  const { roles } = await call<{ roles: readonly { id: string; name: string }[] }>('GET', '/v3/roles');
  const role = (name: string): string => roles.find((one) => one.name === name)!.id;
  await call('PUT', `/v3/projects/${organizations[0]}/groups/${group}/roles/${role('member')}`);
  await call('PUT', `/v3/projects/${organizations[0]}/users/${people[0]}/roles/${role('owner')}`);
  await call('PUT', `/v3/domains/default/users/${people[1]}/roles/${role('manager')}`);

  const application = await make('consumer', '/v3/OS-OAUTH2/consumers', {
    name: 'Orders',
    description: 'Where the town orders what it needs',
    redirect_uris: ['https://orders.town.example/callback'],
  });
  const permissions: string[] = [];
  for (const name of PERMISSIONS)
    permissions.push(await make('permission', '/v3/OS-ROLES/permissions', { name, application_id: application }));
  for (const [index, name] of ROLES.entries()) {
    const id = await make('role', '/v3/OS-ROLES/roles', { name, application_id: application });
    for (const permission of permissions.filter((_, at) => at <= index || at === 3))
      await call('PUT', `/v3/OS-ROLES/roles/${id}/permissions/${permission}`);
    const holder = `/v3/OS-ROLES/users/${people[0]}/organizations/${organizations[0]}`;
    if (index < 2) await call('PUT', `${holder}/applications/${application}/roles/${id}`);
    if (index === 1)
      for (const person of people.slice(1, 3))
        await call(
          'PUT',
          `/v3/OS-ROLES/users/${person}/organizations/${organizations[0]}/applications/${application}/roles/${id}`,
        );
  }
  await makeWaiting(call);
  await makeCredentials(identity, call, application, people);
  for (const email of ['eve@town.example', 'frank@town.example'])
    await call('POST', '/v3/OS-REGISTRATION/invitations', { invitation: { email, organization_id: organizations[1] } });
  const holder = { name: PEOPLE[0][1], password: `the password of ${PEOPLE[0][1]}` };
  const programs = await makePrograms(identity, call, make, application);
  return { ...programs, person: people[0]!, holder, disabled: people[3]!, group, organization: organizations[0]!, application };
}
