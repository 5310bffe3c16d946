// The plans: which variant of each is run, and what the suite is told for it. Those in which the suite waits for us to come to it (as a wallet,
// or as a client of its provider) say who has to go there.
import type { Variant } from './api.ts';
import { CIBA } from './ciba-plans.ts';
import { CLIENTS } from './client-plans.ts';
import { ISSUER } from './issuer-plans.ts';
import type { PlanLeft, PlanRun, Setting } from './plan.ts';
import { ALIAS, type FapiWays, type Registrations } from './registrations.ts';
import { VERIFIER } from './verifier-plans.ts';
import { WALLETS as NODES } from './wallet-plans.ts';

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

const usual = (plan: string, variant: Variant, config: PlanRun['config']): PlanRun => ({
  plan,
  variant,
  service: 'usual',
  config,
});

const OPENID: readonly PlanRun[] = [
  usual('oidcc-basic-certification-test-plan', STATIC, withClients()),
  usual('oidcc-config-certification-test-plan', {}, async (setting) => common(setting)),
  usual('oidcc-formpost-basic-certification-test-plan', STATIC, withClients()),
  usual('oidcc-rp-initiated-logout-certification-test-plan', LOGOUT, withClients()),
  usual(
    'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
    LOGOUT,
    withClients((registrations) => registrations.backChannel()),
  ),
  usual(
    'oidcc-frontchannel-rp-initiated-logout-certification-test-plan',
    LOGOUT,
    withClients((registrations) => registrations.frontChannel()),
  ),
];

/** The suite registers its clients itself, with a token. */
const DYNAMIC = ['oidcc-dynamic-certification-test-plan', 'oidcc-3rdparty-init-login-certification-test-plan'].map(
  (plan): PlanRun => ({
    plan,
    variant: { response_type: 'code' },
    service: 'registration',
    config: async (setting) => ({
      ...common(setting),
      client: { initial_access_token: await setting.registrations.registrationToken() },
      client2: { initial_access_token: await setting.registrations.registrationToken() },
    }),
  }),
);

function fapi(plan: string, ways: FapiWays, more: Variant): PlanRun {
  return {
    plan,
    variant: {
      fapi_profile: 'plain_fapi',
      openid: 'openid_connect',
      client_auth_type: ways.signs,
      sender_constrain: ways.bound,
      ...more,
    },
    service: 'certificates',
    config: async (setting) => {
      const [first, second] = [await setting.registrations.fapiClient(ways), await setting.registrations.fapiClient(ways)];
      return {
        ...common(setting),
        client: first.client,
        mtls: first.mtls,
        client2: second.client,
        mtls2: second.mtls,
        // A resource that takes the tokens: it answers with claims.
        resource: { resourceUrl: `${setting.service}/openid/userinfo` },
      };
    },
  };
}

const WAYS = (['private_key_jwt', 'mtls'] as const).flatMap((signs) =>
  (['dpop', 'mtls'] as const).map((bound) => ({ signs, bound })),
);

const FAPI2: readonly PlanRun[] = [
  ...WAYS.map((ways) => fapi('fapi2-security-profile-final-test-plan', { ...ways, profile: 'fapi2' }, {})),
  ...WAYS.map((ways) =>
    fapi(
      'fapi2-message-signing-final-test-plan',
      { ...ways, profile: 'fapi2-message-signing' },
      { fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'jarm' },
    ),
  ),
];

export const PLANS: readonly PlanRun[] = [...OPENID, ...DYNAMIC, ...FAPI2, ...ISSUER, ...VERIFIER, ...CLIENTS, ...NODES, ...CIBA];

/** So that nobody takes the list above for all that there is. */
export const LEFT: readonly PlanLeft[] = [
  {
    plan: 'oidcc-basic-certification-test-plan',
    variants: '`client_registration=dynamic_client`, as in the plans of signing out',
    why: 'the same modules; how applications register themselves is what `oidcc-dynamic-certification-test-plan` is about',
  },
  {
    plan: 'fapi2-security-profile-final-test-plan',
    variants:
      '`openid=plain_oauth`, `authorization_request_type=rar`, `client_auth_type=client_attestation`, other profiles, as in `fapi2-message-signing-final-test-plan`',
    why: 'without OpenID Connect the modules are fewer, and the same; attestations are run with the issuer of credentials (`oid4vci-1_0-issuer-haip-test-plan` has the modules of this plan), which is the only one that takes authorization details here; the other profiles are those of countries',
  },
  {
    plan: 'oid4vci-1_0-issuer-test-plan',
    variants:
      '`client_auth_type=private_key_jwt` and `mtls`, `sender_constrain=mtls`, `fapi_request_method=signed_non_repudiation`, `fapi_response_mode=jarm`, `openid=openid_connect`',
    why: 'wallets prove themselves by an attestation here, and bind their tokens by DPoP, as HAIP wants it. The endpoints are those of the provider, which the plans of FAPI 2.0 run in these ways',
  },
  {
    plan: 'oid4vci-1_0-wallet-test-plan',
    variants:
      '`vci_authorization_code_flow_variant=wallet_initiated` and `issuer_initiated_dc_api`, `authorization_request_type=rar`, `client_auth_type=mtls`, `vci_credential_encryption=encrypted`, as in `oid4vci-1_0-wallet-haip-test-plan`',
    why: 'the wallet begins with an offer: there is no list of issuers in it (OpenID4VCI 1.0, 3.4, has both ways); a node has no Digital Credentials API, and proves itself by an attestation or by its key; it asks by scope where a configuration has one, as those of the suite do (OpenID4VCI 1.0, 5.1, has both ways); it encrypts where an issuer requires it, which the suite does not',
  },
  {
    plan: 'oid4vp-1final-verifier-test-plan',
    variants: '`client_id_prefix=redirect_uri`, `request_method=url_query`, `response_mode=direct_post`',
    why: 'requests are always signed, and answers always encrypted. For a DID as the name of the verifier, which the service can have, the suite has no variant',
  },
  {
    plan: 'oid4vp-1final-wallet-test-plan',
    variants: '`request_method=request_uri_unsigned`',
    why: 'the wallet takes no request object without a signature: RFC 9101, 5, knows signed ones, encrypted or not, and no others. A request that is not signed comes in the address',
  },
  {
    plan: 'oid4vp-1final-wallet-test-plan',
    variants: '`client_id_prefix=pre_registered`',
    why: 'the suite puts `pre_registered:` before the client id; one that is known in advance has no prefix (OpenID4VP 1.0, 5.9.2)',
  },
  {
    plan: 'oid4vp-1final-wallet-test-plan',
    variants:
      '`response_mode=dc_api` and `dc_api.jwt`, with `client_id_prefix=web-origin` and `request_method=request_uri_multisigned`, as in `oid4vp-1final-wallet-haip-test-plan`',
    why: 'for the Digital Credentials API of a browser or a phone, which a wallet node does not have',
  },
  {
    plan: 'fapi2-security-profile-final-client-test-plan',
    variants:
      '`client_auth_type=mtls` and `client_attestation`, `sender_constrain=mtls`, `fapi_client_type=plain_oauth`, `authorization_request_type=rar`, other profiles',
    why: 'our sign-in shows no certificates at other providers: it proves itself by a key, and binds tokens by DPoP. It always uses OpenID Connect, and asks for no authorization details; the other profiles are those of countries',
  },
];
