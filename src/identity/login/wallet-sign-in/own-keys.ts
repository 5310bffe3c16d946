// Trust in our own credentials: they are signed by a key that this service published, and nobody is asked.
import { X509Certificate } from 'node:crypto';
import { type PublicJwk, publicJwkOf, thumbprintOf } from '../../../verifiable/jose/index.ts';
import { type SignedHeader, type SignerKey, type Trust, TrustError } from '../../../verifiable/trust/index.ts';
import type { VerifierIdentity } from './data.ts';

const refuse = (why: string): never => {
  throw new TrustError('untrusted', why);
};

/** The public key of the first certificate. The certificates themselves do not matter: the key is ours or it is not. */
function keyOfLeaf(x5c: unknown): PublicJwk {
  const [leaf] = Array.isArray(x5c) ? (x5c as unknown[]) : [];
  try {
    return publicJwkOf(new X509Certificate(Buffer.from(String(leaf), 'base64')).publicKey);
  } catch {
    return refuse('its certificate cannot be read');
  }
}

export function trustInOwnKeys(identity: VerifierIdentity): Trust {
  async function keyOfJwt({ x5c, kid }: SignedHeader, issuer: string | undefined): Promise<SignerKey> {
    const did = identity.did();
    if (issuer === undefined || (issuer !== identity.id() && issuer !== did)) refuse('it is of another issuer');
    const published = (await identity.publicKeys()) as readonly (PublicJwk & { readonly kid?: string })[];
    const isSigner = (key: PublicJwk & { readonly kid?: string }): boolean =>
      x5c === undefined
        ? key.kid !== undefined && (kid === key.kid || (did !== undefined && kid === `${did}#${key.kid}`))
        : thumbprintOf(key) === thumbprintOf(keyOfLeaf(x5c));
    const jwk = published.find(isSigner) ?? refuse('its key is none of ours');
    return { jwk, trust: 'issuer-metadata' };
  }

  return {
    keyOfJwt,
    keyOfChain: async () => refuse('only our own keys count'),
    keyOfDid: async () => refuse('only our own keys count'),
  };
}
