// The plans in which the suite is a provider, and our own sign-in is its client. Who signs in there, and how often, is here, too.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Variant } from './api.ts';
import type { Actor } from './drive.ts';
import type { Person } from './person.ts';
import type { ClientName, PlanRun } from './plan.ts';
import { ALIAS, type Client, PROVIDER, PROVIDER_NAME, type Registrations } from './registrations.ts';

/** Our registration at the suite. */
const OURS: Client = { client_id: 'gatehouse', client_secret: 'the secret of Gatehouse at the suite' };

/** How long the suite waits for what must not come: we are slow on a busy machine. */
const NOTHING_SECONDS = 10;
/** The library asks for new keys of a provider no sooner than a minute after the last time. */
const OTHER_KEYS_MS = 61_000;

const STATIC: Variant = { client_registration: 'static_client', request_type: 'plain_http_request' };

const signIn = (plan: string, variant: Variant, actor: ClientName = 'client'): PlanRun => ({
  plan,
  variant: { ...STATIC, ...variant },
  service: 'usual',
  actor,
  config: async ({ service }) => ({
    alias: ALIAS,
    description: 'Gatehouse',
    browser: [],
    waitTimeoutSeconds: NOTHING_SECONDS,
    client: { ...OURS, redirect_uri: `${service}/openid/providers/${PROVIDER}/callback` },
  }),
});

/** Where the suite is the provider that people of the wallet node log in through. */
export const issuerAt = (suite: string): string => `${suite}/test/a/${ALIAS}/`;
export const loginSettings = (suite: string): Readonly<Record<string, string>> => ({
  GATEHOUSE_WALLET_OIDC_ISSUER: issuerAt(suite),
  GATEHOUSE_WALLET_OIDC_CLIENT_ID: OURS.client_id,
  GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: OURS.client_secret,
});

/** The wallet node is the client: people log in, and out again. */
const logOut = (plan: string): PlanRun => ({
  plan,
  variant: { ...STATIC, client_auth_type: 'client_secret_basic', response_mode: 'default' },
  service: 'login',
  actor: 'login',
  config: async ({ node }) => ({
    alias: ALIAS,
    description: 'Gatehouse',
    browser: [],
    waitTimeoutSeconds: NOTHING_SECONDS,
    client: {
      ...OURS,
      redirect_uri: `${node!.url}/api/v1/auth/callback`,
      post_logout_redirect_uri: `${node!.url}/`,
      backchannel_logout_uri: `${node!.url}/api/v1/auth/backchannel-logout`,
    },
  }),
});

/** All of it is said: what is not said stays as the plan before had it. */
const USUAL = {
  profile: 'none',
  response_mode: 'query',
  client_authentication: 'client_secret_basic',
  request_form: 'parameters',
  token_binding: 'none',
  claims_uri: null,
};
const FAPI = { profile: 'fapi2', response_mode: 'query', signing_alg: 'PS256', claims_uri: null };
const fapiClient: PlanRun = {
  plan: 'fapi2-security-profile-final-client-test-plan',
  variant: {
    fapi_profile: 'plain_fapi',
    fapi_client_type: 'oidc',
    client_auth_type: 'private_key_jwt',
    sender_constrain: 'dpop',
    authorization_request_type: 'simple',
  },
  service: 'usual',
  actor: 'fapi client',
  config: async ({ service, suite, registrations }) => {
    await registrations.signInAt(issuerAt(suite), OURS, FAPI);
    return {
      alias: ALIAS,
      description: 'Gatehouse',
      browser: [],
      waitTimeoutSeconds: NOTHING_SECONDS,
      client: {
        client_id: OURS.client_id,
        scope: 'openid profile email',
        redirect_uri: `${service}/openid/providers/${PROVIDER}/callback`,
        jwks: await registrations.ownKeys(),
      },
    };
  },
};

/** We register ourselves: the suite is told nothing. */
const registeringClient: PlanRun = {
  plan: 'oidcc-client-dynamic-certification-test-plan',
  variant: { client_auth_type: 'private_key_jwt', response_mode: 'default' },
  service: 'usual',
  actor: 'registering client',
  config: async () => ({ alias: ALIAS, description: 'Gatehouse', browser: [], waitTimeoutSeconds: NOTHING_SECONDS, client: {} }),
};

export const CLIENTS: readonly PlanRun[] = [
  signIn('oidcc-client-basic-certification-test-plan', {}),
  signIn('oidcc-client-formpost-basic-certification-test-plan', {}, 'form client'),
  signIn('oidcc-client-config-certification-test-plan', { client_auth_type: 'client_secret_basic', response_mode: 'default' }),
  registeringClient,
  fapiClient,
  logOut('oidcc-client-rp-initiated-logout-rp-basic'),
  logOut('oidcc-client-back-channel-logout-rp-basic'),
];

interface Step {
  readonly registrations: Registrations;
  readonly issuer: string;
  readonly module: string;
}
/** What is done before the sign-in. False: there is none. */
type Begin = (step: Step) => Promise<boolean>;

/** These end with the request that they are about, and fail if a sign-in goes on after it. */
const READS: Readonly<Record<string, (step: Step, clientId: string) => Promise<void>>> = {
  'oidcc-client-test-discovery-openid-config': ({ registrations, issuer }) => registrations.readMetadata({ issuer }),
  'oidcc-client-test-discovery-jwks-uri-keys': ({ registrations, issuer }, clientId) => registrations.readKeys(issuer, clientId),
};
const read = async (step: Step, clientId: string): Promise<boolean> => {
  await READS[step.module]?.(step, clientId);
  return READS[step.module] === undefined;
};

/** Whose provider is looked for, as the modules want it. */
const RESOURCES: Readonly<Record<string, (suite: URL, module: string) => string>> = {
  'oidcc-client-test-discovery-webfinger-acct': ({ host }, module) => `acct:${ALIAS}.${module}@${host}`,
  'oidcc-client-test-discovery-webfinger-url': ({ origin }, module) => `${origin}/${ALIAS}/${module}`,
};

async function beginRegistering(step: Step): Promise<boolean> {
  const { registrations, issuer, module } = step;
  const resource = RESOURCES[module];
  if (resource) {
    await registrations.readMetadata({ resource: resource(new URL(issuer), module) });
    return false;
  }
  if (module.endsWith('openid-config')) return read(step, '');
  const request_form = module.endsWith('request-uri-signed-none') ? 'unsigned_by_reference' : 'signed_by_reference';
  const ways = { ...USUAL, client_authentication: 'private_key_jwt', signing_alg: 'RS256', request_form };
  const clientId = await registrations.registerAt(issuer, ways);
  if (clientId === undefined || module.endsWith('dynamic-registration')) return false;
  return read(step, clientId);
}

const signingInWith =
  (settings: object): Begin =>
  async (step) => {
    // Each module is a provider with keys of its own.
    await step.registrations.signInAt(step.issuer, OURS, settings);
    return read(step, OURS.client_id);
  };

const BEGIN: Readonly<Record<ClientName, Begin>> = {
  client: signingInWith({ ...USUAL, accepts_tokens: true }),
  'form client': signingInWith({ ...USUAL, response_mode: 'form_post' }),
  // The modules end with the API that accounts are read from.
  'fapi client': (step) => signingInWith({ ...FAPI, claims_uri: `${step.issuer}open-banking/v1.1/accounts` })(step),
  'registering client': beginRegistering,
};

/** The person signs in here through the provider that the suite plays. */
const atClient = (person: Person, registrations: Registrations, name: ClientName): Actor => ({
  renew: () => person.renew(),
  visit: (visit) => person.visit(visit),
  begin: async (module, { issuer }) => {
    if (!(await BEGIN[name]({ registrations, issuer: issuer!, module }))) return {};
    const first = await person.useProvider(PROVIDER_NAME);
    if (!module.endsWith('signing-key-rotation')) return first;
    await sleep(OTHER_KEYS_MS);
    await person.renew();
    return person.useProvider(PROVIDER_NAME);
  },
});
export const clientActors = (person: Person, registrations: Registrations): Readonly<Record<ClientName, Actor>> => ({
  client: atClient(person, registrations, 'client'),
  'form client': atClient(person, registrations, 'form client'),
  'fapi client': atClient(person, registrations, 'fapi client'),
  'registering client': atClient(person, registrations, 'registering client'),
});

/** Each module is a provider with keys of its own, so the node forgets the one before. */
export const atLogin = (person: Person, node: string, forget: () => Promise<void>): Actor => ({
  renew: async () => {
    await forget();
    await person.renew();
  },
  visit: (visit) => person.visit(visit),
  begin: () =>
    person.on(async (page) => {
      await page.goto(`${node}/api/v1/auth/login`);
      await page.waitForLoadState('networkidle');
      await page.goto(`${node}/api/v1/auth/logout`);
      await page.waitForLoadState('networkidle');
      return {};
    }),
});
