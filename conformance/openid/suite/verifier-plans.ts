// The plans in which the identity service asks wallets for credentials, and the suite plays a wallet.
import { DOCUMENT_SIGNER } from '../../../test/support/certificates.ts';
import type { Variant } from './api.ts';
import type { PlanRun } from './plan.ts';
import { ALIAS } from './registrations.ts';
import { signer } from './signers.ts';

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
const verifier = (
  plan: string,
  format: keyof typeof SHOWN,
  more: Variant,
  service: PlanRun['service'] = 'verifier',
): PlanRun => ({
  plan,
  variant: { credential_format: format, response_mode: 'direct_post.jwt', ...more },
  service,
  actor: 'verifier',
  config: async ({ registrations, suite, service: url }) => {
    const { kind, use } = SHOWN[format];
    const issuer = signer('suite-issuer', [new URL(suite).hostname], use);
    await registrations.trustCredentials(kind, issuer.root);
    return {
      alias: ALIAS,
      description: 'Gatehouse',
      browser: [],
      client: {
        request_object_trust_anchor_pem: (await registrations.roots()).verifier,
        // Where its certificate names it.
        ...(more.client_id_prefix === 'x509_san_dns' ? { client_id: new URL(url).hostname } : {}),
      },
      credential: { signing_jwk: issuer.jwk },
    };
  },
});

const plain = (client_id_prefix: string): Variant => ({
  vp_profile: 'plain_vp',
  client_id_prefix,
  request_method: 'request_uri_signed',
});

export const VERIFIER: readonly PlanRun[] = [
  ...(['sd_jwt_vc', 'iso_mdl'] as const).flatMap((format) => [
    verifier('oid4vp-1final-verifier-haip-test-plan', format, {}),
    verifier('oid4vp-1final-verifier-test-plan', format, plain('x509_hash')),
  ]),
  verifier('oid4vp-1final-verifier-test-plan', 'sd_jwt_vc', plain('x509_san_dns'), 'named-verifier'),
];
