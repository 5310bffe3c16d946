// The plans in which the suite is an issuer or a verifier, and the wallet node is the wallet.
import { ToyIssuer } from '../../../test/support/toy-issuer.ts';
import type { Variant } from './api.ts';
import type { PlanRun, Setting } from './plan.ts';
import { ALIAS, newKey } from './registrations.ts';
import { signer } from './signers.ts';

const common = { alias: ALIAS, description: 'Gatehouse', browser: [] };

const nodeOf = ({ node }: Setting) => node!;

/** The suite is the issuer, and its offers lead to the wallet. */
const receives = (plan: string, variant: Variant): PlanRun => ({
  plan,
  variant: { vci_authorization_code_flow_variant: 'issuer_initiated', ...variant },
  service: 'node',
  actor: 'wallet',
  config: async (setting) => {
    const { url, clientId, redirectUri, jwks, attester, suiteIssuer } = nodeOf(setting);
    return {
      ...common,
      server: { jwks: { keys: [await newKey('ES256')] } },
      client: { client_id: clientId, redirect_uri: redirectUri, jwks },
      credential: { signing_jwk: suiteIssuer.jwk },
      client_attestation: { issuer: url, trust_anchor: attester, key_attestation_trust_anchor_pem: attester },
      vci: { credential_offer_endpoint: `${url}/open` },
    };
  },
});

const paths = (...all: string[][]) => all.map((path) => ({ path }));

/** What the person has, and how the suite asks for it. */
interface Shown {
  readonly query: object;
  /** Who certifies it, if somebody does. */
  readonly root?: string;
}

/** A credential of the identity service. */
async function ownCredential({ registrations, people, node }: Setting, isDocument: boolean): Promise<Shown> {
  const type = await registrations.roleCredential(people);
  await node!.holder.receive(await registrations.offer(people[0]!, isDocument ? type.mdoc : type.sd_jwt_vc));
  const { issuer: root } = await registrations.roots();
  if (!isDocument)
    return { root, query: { format: 'dc+sd-jwt', meta: { vct_values: [type.vct] }, claims: paths(['name'], ['roles']) } };
  const claims = paths([type.doctype, 'name'], [type.doctype, 'roles']);
  return { root, query: { format: 'mso_mdoc', meta: { doctype_value: type.doctype }, claims } };
}

/** Of an issuer without status lists: outside of HAIP the suite cannot verify ours (see the reasons). */
async function otherCredential({ node }: Setting): Promise<Shown> {
  const issuer = await new ToyIssuer().start();
  try {
    await node!.holder.receive({ uri: issuer.offer(), tx_code: null });
  } finally {
    await issuer.stop();
  }
  const meta = { vct_values: ['https://example.org/identity'] };
  return { query: { format: 'dc+sd-jwt', meta, claims: paths(['given_name'], ['family_name']) } };
}

/** The suite is the verifier. */
const shows = (plan: string, variant: Variant): PlanRun => ({
  plan,
  variant,
  service: 'node',
  actor: 'wallet',
  config: async (setting) => {
    const { url, suiteVerifier } = nodeOf(setting);
    const isDocument = variant.credential_format !== 'sd_jwt_vc';
    const isOurs = isDocument || variant.vp_profile === undefined;
    const { query, root } = await (isOurs ? ownCredential(setting, isDocument) : otherCredential(setting));
    return {
      ...common,
      server: { authorization_endpoint: `${url}/open` },
      client: {
        ...(variant.client_id_prefix === 'decentralized_identifier'
          ? await didClient()
          : { jwks: { keys: [suiteVerifier.jwk] } }),
        dcql: { credentials: [{ id: 'role', ...query }] },
      },
      credential: { trust_anchor_pem: root, status_list_trust_anchor_pem: root },
    };
  },
});

/** A DID that is its key. */
async function didClient(): Promise<object> {
  const { kty, crv, x, y, ...rest } = await newKey('ES256');
  const did = `did:jwk:${Buffer.from(JSON.stringify({ kty, crv, x, y })).toString('base64url')}`;
  return { client_id: did, jwks: { keys: [{ ...rest, kty, crv, x, y, kid: `${did}#0` }] } };
}

/** Without HAIP: how the verifier names itself, and how its request comes. */
const plain = (credential_format: string, response_mode: string, client_id_prefix: string, request_method: string): PlanRun => ({
  ...shows('oid4vp-1final-wallet-test-plan', {
    credential_format,
    response_mode,
    vp_profile: 'plain_vp',
    client_id_prefix,
    request_method,
  }),
  notApplicable: NOT_APPLICABLE[request_method]!.map((module) => `oid4vp-1final-wallet-${module}`),
});

/** By the way of the request; the reasons say why. */
const NOT_APPLICABLE: Readonly<Record<string, readonly string[]>> = {
  request_uri_signed: ['negative-test-response-uri-not-client-id', 'multisigned-one-invalid-signature'],
  url_query: [
    'negative-test-response-uri-not-client-id',
    'multisigned-one-invalid-signature',
    'negative-test-redirect-uri-with-direct-post',
    'negative-test-missing-nonce',
  ],
};

const haip = (credential_format: string, vci_credential_offer_variant: string): PlanRun =>
  receives('oid4vci-1_0-wallet-haip-test-plan', { credential_format, vci_credential_offer_variant });

/** Without HAIP. */
const receivesPlain = (credential_format: string, vci_credential_offer_variant: string, more: Variant): PlanRun =>
  receives('oid4vci-1_0-wallet-test-plan', {
    credential_format,
    vci_credential_offer_variant,
    fapi_profile: 'vci',
    client_auth_type: 'client_attestation',
    sender_constrain: 'dpop',
    fapi_request_method: 'unsigned',
    authorization_request_type: 'simple',
    vci_grant_type: 'authorization_code',
    vci_credential_issuance_mode: 'immediate',
    vci_credential_encryption: 'plain',
    ...more,
  });

export const WALLETS: readonly PlanRun[] = [
  ...['sd_jwt_vc', 'mdoc'].map((format) => haip(format, 'by_value')),
  haip('sd_jwt_vc', 'by_reference'),
  receivesPlain('sd_jwt_vc', 'by_value', {}),
  receivesPlain('sd_jwt_vc', 'by_reference', { vci_grant_type: 'pre_authorization_code' }),
  receivesPlain('mdoc', 'by_reference', {
    client_auth_type: 'private_key_jwt',
    vci_credential_issuance_mode: 'deferred',
  }),
  ...['sd_jwt_vc', 'iso_mdl'].map((format) =>
    shows('oid4vp-1final-wallet-haip-test-plan', { credential_format: format, response_mode: 'direct_post.jwt' }),
  ),
  plain('sd_jwt_vc', 'direct_post', 'x509_san_dns', 'request_uri_signed'),
  plain('sd_jwt_vc', 'direct_post.jwt', 'decentralized_identifier', 'request_uri_signed'),
  plain('iso_mdl', 'direct_post.jwt', 'redirect_uri', 'url_query'),
];

/** Whom the node trusts besides: the suite, as an issuer and as a verifier. */
export const trustedByNode = (suite: string) => {
  const host = new URL(suite).hostname;
  return { suiteIssuer: signer('suite-issuer', [host]), suiteVerifier: signer('suite-verifier', [host]) };
};
