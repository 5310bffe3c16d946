// The plans in which the suite is an issuer or a verifier, and the wallet node is the wallet.
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

/** The suite is the verifier, and asks for a credential of the identity service. */
const shows = (plan: string, variant: Variant): PlanRun => ({
  plan,
  variant,
  service: 'node',
  actor: 'wallet',
  config: async (setting) => {
    const { registrations, people } = setting;
    const { url, holder, suiteVerifier } = nodeOf(setting);
    const type = await registrations.roleCredential(people);
    const isDocument = variant.credential_format !== 'sd_jwt_vc';
    await holder.receive(await registrations.offer(people[0]!, isDocument ? type.mdoc : type.sd_jwt_vc));
    const query = isDocument
      ? {
          format: 'mso_mdoc',
          meta: { doctype_value: type.doctype },
          claims: paths([type.doctype, 'name'], [type.doctype, 'roles']),
        }
      : { format: 'dc+sd-jwt', meta: { vct_values: [type.vct] }, claims: paths(['name'], ['roles']) };
    const { issuer } = await registrations.roots();
    return {
      ...common,
      server: { authorization_endpoint: `${url}/open` },
      client: { jwks: { keys: [suiteVerifier.jwk] }, dcql: { credentials: [{ id: 'role', ...query }] } },
      credential: { trust_anchor_pem: issuer, status_list_trust_anchor_pem: issuer },
    };
  },
});

const OFFERS = ['by_value', 'by_reference'] as const;

export const WALLETS: readonly PlanRun[] = [
  ...(['sd_jwt_vc', 'mdoc'] as const).map((format) =>
    receives('oid4vci-1_0-wallet-haip-test-plan', { credential_format: format, vci_credential_offer_variant: OFFERS[0] }),
  ),
  ...OFFERS.map((offer) =>
    receives('oid4vci-1_0-wallet-test-plan', {
      credential_format: 'sd_jwt_vc',
      vci_credential_offer_variant: offer,
      fapi_profile: 'vci',
      client_auth_type: 'client_attestation',
      sender_constrain: 'dpop',
      fapi_request_method: 'unsigned',
      authorization_request_type: 'simple',
      vci_grant_type: offer === 'by_value' ? 'authorization_code' : 'pre_authorization_code',
      vci_credential_issuance_mode: 'immediate',
      vci_credential_encryption: 'plain',
    }),
  ),
  ...(['sd_jwt_vc', 'iso_mdl'] as const).map((format) =>
    shows('oid4vp-1final-wallet-haip-test-plan', { credential_format: format, response_mode: 'direct_post.jwt' }),
  ),
  shows('oid4vp-1final-wallet-test-plan', {
    credential_format: 'sd_jwt_vc',
    response_mode: 'direct_post',
    vp_profile: 'plain_vp',
    client_id_prefix: 'x509_san_dns',
    request_method: 'request_uri_signed',
  }),
];

/** Whom the node trusts besides: the suite, as an issuer and as a verifier. */
export const trustedByNode = (suite: string) => {
  const host = new URL(suite).hostname;
  return { suiteIssuer: signer('suite-issuer', [host]), suiteVerifier: signer('suite-verifier', [host]) };
};
