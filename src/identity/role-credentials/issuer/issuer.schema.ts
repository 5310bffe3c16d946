// What the issuer of credentials publishes, as JSON.
import { t } from '../../../platform/http/index.ts';

const PublicKey = t.object({
  kty: t.string(),
  crv: t.string(),
  x: t.string(),
  y: t.string(),
  kid: t.string(),
  alg: t.string(),
  use: t.string(),
});

export const DidDocument = t.open({ id: t.string() });
export const JwtVcIssuer = t.object({ issuer: t.string(), jwks: t.object({ keys: t.array(PublicKey) }) });
export const IssuerEnvelope = t.envelope(
  'issuer',
  t.object({
    id: t.string({ description: 'The address, which is also `iss`.' }),
    did: t.nullable(t.string({ description: 'Null unless the address is https with the name of a host and no path.' })),
    is_for_development: t.boolean({
      description: 'True: the chain is that of a CA that was made here. Nobody else vouches for it.',
    }),
    chain: t.array(t.string(), { description: 'Certificates (DER in base64), that of the active key first, without the root.' }),
    chain_expires_at: t.string(),
    root: t.nullable(
      t.string({ description: 'The root of the development CA in PEM, for verifiers that shall trust it. Else null.' }),
    ),
    verifier: t.object(
      { is_for_development: t.boolean(), chain: t.array(t.string()), chain_expires_at: t.string(), root: t.nullable(t.string()) },
      {},
      { description: 'The same of the certificate with which it signs requests to wallets.' },
    ),
    keys: t.array(PublicKey, { description: 'Published keys: announced, active, and those of what is still valid.' }),
  }),
);

t.name({ IssuerDidDocument: DidDocument, JwtVcIssuer, IssuerPublicKey: PublicKey, CredentialIssuerEnvelope: IssuerEnvelope });
