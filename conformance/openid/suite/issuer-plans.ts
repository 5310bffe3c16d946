// The plans in which the identity service issues credentials, and the suite plays wallets with an attestation of their provider.
import type { Variant } from './api.ts';
import type { Actor } from './drive.ts';
import type { Offers } from './offers.ts';
import type { PlanRun } from './plan.ts';
import { ALIAS, newKey, type OfferGrant } from './registrations.ts';
import { WALLETS } from './signers.ts';

const GRANTS: Readonly<Record<string, OfferGrant>> = {
  authorization_code: 'authorization_code',
  pre_authorization_code: 'pre-authorized_code',
};

/** The person signs in and agrees, and brings the wallets what they wait for. */
export const atIssuer = (provider: Actor, offers: Offers): Actor => ({
  ...provider,
  answers: {
    VCIWaitForCredentialOffer: (exposed) => offers.give(exposed.credential_offer_endpoint!),
    VCIWaitForTxCode: (exposed) => offers.giveCode(exposed.tx_code_endpoint!),
  },
});

function issuer(plan: string, variant: Variant): PlanRun {
  const format = variant.credential_format as 'sd_jwt_vc' | 'mdoc';
  return {
    plan,
    variant,
    service: 'issuer',
    actor: 'issuer',
    config: async ({ service, registrations, provider, people, offers }) => {
      const type = await registrations.roleCredential(people);
      offers.want(people[0]!, type[format], GRANTS[variant.vci_grant_type ?? 'authorization_code']!);
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

const haip = (begun: string, credential_format: string): PlanRun =>
  issuer('oid4vci-1_0-issuer-haip-test-plan', { vci_authorization_code_flow_variant: begun, credential_format });

const plain = (begun: string, credential_format: string, more: Variant = {}): PlanRun =>
  issuer('oid4vci-1_0-issuer-test-plan', {
    vci_authorization_code_flow_variant: begun,
    credential_format,
    fapi_profile: 'vci',
    client_auth_type: 'client_attestation',
    sender_constrain: 'dpop',
    fapi_request_method: 'unsigned',
    fapi_response_mode: 'plain_response',
    openid: 'plain_oauth',
    authorization_request_type: 'simple',
    vci_grant_type: 'authorization_code',
    vci_credential_encryption: 'plain',
    ...more,
  });

export const ISSUER: readonly PlanRun[] = [
  ...['wallet_initiated', 'issuer_initiated'].flatMap((begun) => ['sd_jwt_vc', 'mdoc'].map((format) => haip(begun, format))),
  plain('wallet_initiated', 'sd_jwt_vc'),
  plain('wallet_initiated', 'mdoc', { authorization_request_type: 'rar', vci_credential_encryption: 'encrypted' }),
  plain('issuer_initiated', 'mdoc', { vci_grant_type: 'pre_authorization_code' }),
];
