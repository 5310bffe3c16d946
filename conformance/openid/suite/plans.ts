// The plans: which variant of each is run, and what the suite is told for it. Those in which the suite waits for us to come to it (as a wallet,
// or as a client of its provider) say who has to go there.
import type { Variant } from './api.ts';
import { ALIAS, type Registrations } from './registrations.ts';

export interface Setting {
  /** The address of the service under test. */
  readonly service: string;
  readonly registrations: Registrations;
}

export interface PlanRun {
  readonly plan: string;
  readonly variant: Variant;
  /** The configuration of the suite. */
  config(setting: Setting): Promise<object>;
}

/** One that is not run by this driver. */
export interface PlanLeft {
  readonly plan: string;
  readonly why: string;
}

const common = ({ service }: Setting): object => ({
  alias: ALIAS,
  description: 'Gatehouse',
  server: { discoveryUrl: `${service}/.well-known/openid-configuration` },
  // Chromium is the browser, and not that of the suite.
  browser: [],
});

/** Three applications: the usual one, one that sends its secret in the body, and a stranger to the first. */
const withClients =
  (more: (registrations: Registrations) => object = () => ({})): PlanRun['config'] =>
  async (setting) => {
    const { registrations } = setting;
    const values = more(registrations);
    return {
      ...common(setting),
      client: await registrations.client(values),
      client_secret_post: await registrations.client({ ...values, token_endpoint_auth_method: 'client_secret_post' }),
      client2: await registrations.client(values),
    };
  };

const STATIC: Variant = { server_metadata: 'discovery', client_registration: 'static_client' };
const LOGOUT: Variant = { client_registration: 'static_client', response_type: 'code' };

const OPENID: readonly PlanRun[] = [
  { plan: 'oidcc-basic-certification-test-plan', variant: STATIC, config: withClients() },
  { plan: 'oidcc-config-certification-test-plan', variant: {}, config: async (setting) => common(setting) },
  { plan: 'oidcc-formpost-basic-certification-test-plan', variant: STATIC, config: withClients() },
  { plan: 'oidcc-rp-initiated-logout-certification-test-plan', variant: LOGOUT, config: withClients() },
  {
    plan: 'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
    variant: LOGOUT,
    config: withClients((registrations) => registrations.backChannel()),
  },
  {
    plan: 'oidcc-frontchannel-rp-initiated-logout-certification-test-plan',
    variant: LOGOUT,
    config: withClients((registrations) => registrations.frontChannel()),
  },
];

/** The suite registers its clients itself. */
const DYNAMIC: readonly PlanRun[] = [
  {
    plan: 'oidcc-dynamic-certification-test-plan',
    variant: { response_type: 'code' },
    config: async (setting) => common(setting),
  },
  {
    plan: 'oidcc-3rdparty-init-login-certification-test-plan',
    variant: { response_type: 'code' },
    config: async (setting) => common(setting),
  },
];

const FAPI: Variant = {
  fapi_profile: 'plain_fapi',
  client_auth_type: 'private_key_jwt',
  sender_constrain: 'dpop',
  openid: 'openid_connect',
};

const withKeys: PlanRun['config'] = async (setting) => {
  const { service, registrations } = setting;
  return {
    ...common(setting),
    client: await registrations.keyedClient(),
    client2: await registrations.keyedClient(),
    // A resource that takes the tokens: it answers with claims.
    resource: { resourceUrl: `${service}/openid/userinfo` },
  };
};

const FAPI2: readonly PlanRun[] = [
  {
    plan: 'fapi2-security-profile-final-test-plan',
    variant: { ...FAPI, fapi_request_method: 'unsigned', fapi_response_mode: 'plain_response' },
    config: withKeys,
  },
  {
    plan: 'fapi2-message-signing-final-test-plan',
    variant: { ...FAPI, fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'jarm' },
    config: withKeys,
  },
];

export const PLANS: readonly PlanRun[] = [...OPENID, ...DYNAMIC, ...FAPI2];

const OTHERS = 'the suite waits for a client, a wallet or a verifier of ours to come: this driver plays the person at a provider';
const AS_ISSUER =
  'the suite plays a wallet with an attestation: its provider has to be trusted by the service, which the driver does not set up';

/** So that nobody takes the list above for all that there is. */
export const LEFT: readonly PlanLeft[] = [
  { plan: 'fapi-ciba-id1-test-plan', why: 'there is no backchannel authentication endpoint' },
  ...['oid4vci-1_0-issuer-test-plan', 'oid4vci-1_0-issuer-haip-test-plan'].map((plan) => ({ plan, why: AS_ISSUER })),
  ...[
    'oid4vp-1final-verifier-test-plan',
    'oid4vp-1final-verifier-haip-test-plan',
    'oid4vci-1_0-wallet-test-plan',
    'oid4vci-1_0-wallet-haip-test-plan',
    'oid4vp-1final-wallet-test-plan',
    'oid4vp-1final-wallet-haip-test-plan',
    'oidcc-client-basic-certification-test-plan',
    'oidcc-client-config-certification-test-plan',
    'oidcc-client-formpost-basic-certification-test-plan',
    'oidcc-client-dynamic-certification-test-plan',
    'oidcc-client-rp-initiated-logout-rp-basic',
    'oidcc-client-back-channel-logout-rp-basic',
    'fapi2-security-profile-final-client-test-plan',
  ].map((plan) => ({ plan, why: OTHERS })),
];
