// The plans: which variant of each is run, and what the suite is told for it. Those in which the suite waits for us to come to it (as a wallet,
// or as a client of its provider) say who has to go there.
import { DOCUMENT_SIGNER } from '../../../test/support/certificates.ts';
import type { Variant } from './api.ts';
import { CIBA } from './ciba-plans.ts';
import { CLIENTS } from './client-plans.ts';
import type { PlanLeft, PlanRun, Setting } from './plan.ts';
import { ALIAS, type FapiWays, newKey, type Registrations } from './registrations.ts';
import { signer, WALLETS } from './signers.ts';
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

/** The suite plays wallets with an attestation of their provider. */
function issuer(plan: string, more: Variant): PlanRun {
  const format = more.credential_format as 'sd_jwt_vc' | 'mdoc';
  return {
    plan,
    variant: { vci_authorization_code_flow_variant: 'wallet_initiated', ...more },
    service: 'issuer',
    config: async ({ service, registrations, provider, people }) => {
      const type = await registrations.roleCredential(people);
      const { issuer: root } = await registrations.roots();
      const [client, client2] = await Promise.all(
        WALLETS.map(async (id) => ({ client_id: id, jwks: { keys: [await newKey('ES256')] } })),
      );
      return {
        alias: ALIAS,
        description: 'Gatehouse',
        browser: [],
        vci: { credential_issuer_url: service, credential_configuration_id: type[format], credential_proof_type_hint: 'jwt' },
        client,
        client2,
        client_attestation: {
          issuer: 'https://provider.suite.example',
          attester_jwks: { keys: [provider.jwk] },
          key_attestation_jwks: { keys: [provider.jwk] },
        },
        credential: { trust_anchor_pem: root, status_list_trust_anchor_pem: root },
      };
    },
  };
}

const ISSUER: readonly PlanRun[] = [
  issuer('oid4vci-1_0-issuer-haip-test-plan', { credential_format: 'sd_jwt_vc' }),
  issuer('oid4vci-1_0-issuer-haip-test-plan', { credential_format: 'mdoc' }),
  issuer('oid4vci-1_0-issuer-test-plan', {
    credential_format: 'sd_jwt_vc',
    fapi_profile: 'vci',
    client_auth_type: 'client_attestation',
    sender_constrain: 'dpop',
    fapi_request_method: 'unsigned',
    fapi_response_mode: 'plain_response',
    openid: 'plain_oauth',
    authorization_request_type: 'simple',
    vci_grant_type: 'authorization_code',
    vci_credential_encryption: 'plain',
  }),
];

/** What the suite has in its wallet, by its formats, what the service asks for, and what the certificate of its issuer is for. */
const SHOWN = {
  sd_jwt_vc: {
    kind: { format: 'dc+sd-jwt', types: ['urn:eudi:pid:1'], subject: ['given_name'], claims: [['given_name'], ['family_name']] },
    use: undefined,
  },
  iso_mdl: {
    kind: {
      format: 'mso_mdoc',
      types: ['org.iso.18013.5.1.mDL'],
      subject: ['org.iso.18013.5.1', 'given_name'],
      claims: [
        ['org.iso.18013.5.1', 'given_name'],
        ['org.iso.18013.5.1', 'family_name'],
      ],
    },
    use: DOCUMENT_SIGNER,
  },
} as const;

/** The suite plays a wallet with a credential of an issuer of its own. It can answer requests for one credential only. */
const verifier = (plan: string, format: keyof typeof SHOWN, more: Variant): PlanRun => ({
  plan,
  variant: { credential_format: format, response_mode: 'direct_post.jwt', ...more },
  service: 'verifier',
  actor: 'verifier',
  config: async ({ registrations, suite }) => {
    const { kind, use } = SHOWN[format];
    const issuer = signer('suite-issuer', [new URL(suite).hostname], use);
    await registrations.trustCredentials(kind, issuer.root);
    return {
      alias: ALIAS,
      description: 'Gatehouse',
      browser: [],
      client: { request_object_trust_anchor_pem: (await registrations.roots()).verifier },
      credential: { signing_jwk: issuer.jwk },
    };
  },
});

const VERIFIER: readonly PlanRun[] = (['sd_jwt_vc', 'iso_mdl'] as const).flatMap((format) => [
  verifier('oid4vp-1final-verifier-haip-test-plan', format, {}),
  verifier('oid4vp-1final-verifier-test-plan', format, {
    vp_profile: 'plain_vp',
    client_id_prefix: 'x509_hash',
    request_method: 'request_uri_signed',
  }),
]);

export const PLANS: readonly PlanRun[] = [...OPENID, ...DYNAMIC, ...FAPI2, ...ISSUER, ...VERIFIER, ...CLIENTS, ...NODES, ...CIBA];

/** So that nobody takes the list above for all that there is. */
export const LEFT: readonly PlanLeft[] = [
  {
    plan: 'oidcc-client-formpost-basic-certification-test-plan',
    why: 'our sign-in takes the answer of a provider in its address only. OAuth 2.0 Form Post Response Mode 1.0 is optional, and a POST from another site comes without our cookies (`SameSite=Lax`)',
  },
  {
    plan: 'oidcc-client-dynamic-certification-test-plan',
    why: 'an administrator registers us at a provider. We do not register ourselves, look nobody up by WebFinger, and send no requests by reference: OpenID Connect Discovery 1.0, 2, and Dynamic Client Registration 1.0 leave that to clients',
  },
  {
    plan: 'fapi2-security-profile-final-client-test-plan',
    why: 'our sign-in at other providers pushes no requests, and binds no tokens. The wallet does so at issuers: the modules for it are part of `oid4vci-1_0-wallet-haip`',
  },
];
