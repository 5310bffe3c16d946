// The plans in which the suite is a provider, and our own sign-in is its client. Who signs in there, and how often, is here, too.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Variant } from './api.ts';
import type { Actor } from './drive.ts';
import type { Person } from './person.ts';
import type { PlanRun } from './plan.ts';
import { ALIAS, type Client, PROVIDER, PROVIDER_NAME, type Registrations } from './registrations.ts';

/** Our registration at the suite. */
const OURS: Client = { client_id: 'gatehouse', client_secret: 'the secret of Gatehouse at the suite' };

/** How long the suite waits for what must not come: we are slow on a busy machine. */
const NOTHING_SECONDS = 10;
/** The library asks for new keys of a provider no sooner than a minute after the last time. */
const OTHER_KEYS_MS = 61_000;

const STATIC: Variant = { client_registration: 'static_client', request_type: 'plain_http_request' };

const signIn = (plan: string, variant: Variant): PlanRun => ({
  plan,
  variant: { ...STATIC, ...variant },
  service: 'usual',
  actor: 'client',
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

export const CLIENTS: readonly PlanRun[] = [
  signIn('oidcc-client-basic-certification-test-plan', {}),
  signIn('oidcc-client-config-certification-test-plan', { client_auth_type: 'client_secret_basic', response_mode: 'default' }),
  logOut('oidcc-client-rp-initiated-logout-rp-basic'),
  logOut('oidcc-client-back-channel-logout-rp-basic'),
];

/** These end with the request that they are about, and fail if a sign-in goes on after it. */
const READS: Readonly<Record<string, (registrations: Registrations, issuer: string) => Promise<void>>> = {
  'oidcc-client-test-discovery-openid-config': (registrations, issuer) => registrations.readMetadata(issuer),
  'oidcc-client-test-discovery-jwks-uri-keys': (registrations, issuer) => registrations.readKeys(issuer, OURS.client_id),
};

/** The person signs in here through the provider that the suite plays. */
export const atClient = (person: Person, registrations: Registrations): Actor => ({
  renew: () => person.renew(),
  visit: (visit) => person.visit(visit),
  begin: async (module, { issuer }) => {
    // Each module is a provider with keys of its own.
    await registrations.signInAt(issuer!, OURS);
    const read = READS[module];
    if (read) {
      await read(registrations, issuer!);
      return {};
    }
    const first = await person.useProvider(PROVIDER_NAME);
    if (!module.endsWith('signing-key-rotation')) return first;
    await sleep(OTHER_KEYS_MS);
    await person.renew();
    return person.useProvider(PROVIDER_NAME);
  },
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
