// Trust in our own credentials: they are signed by a key that this service published, and nobody is asked.
import { X509Certificate } from 'node:crypto';
import { type PublicJwk, publicJwkOf, thumbprintOf } from '../../../verifiable/jose/index.ts';
import { type SignedHeader, type SignerKey, type Trust, TrustError } from '../../../verifiable/trust/index.ts';
import type { VerifierIdentity } from './data.ts';

const refuse = (why: string): never => {
  throw new TrustError('untrusted', why);
};

/** The first certificate, with its public key. The certificates themselves do not matter: the key is ours or it is not. */
function leafOf(x5c: unknown): { readonly leaf: X509Certificate; readonly jwk: PublicJwk } {
  const [first] = Array.isArray(x5c) ? (x5c as unknown[]) : [];
  try {
    const leaf = new X509Certificate(Buffer.from(String(first), 'base64'));
    return { leaf, jwk: publicJwkOf(leaf.publicKey) };
  } catch {
    return refuse('its certificate cannot be read');
  }
}

export function trustInOwnKeys(identity: VerifierIdentity): Trust {
  const published = async () => (await identity.publicKeys()) as readonly (PublicJwk & { readonly kid?: string })[];

  async function keyOfChain(x5c: unknown) {
    const { leaf, jwk } = leafOf(x5c);
    const isOurs = (await published()).some((key) => thumbprintOf(key) === thumbprintOf(jwk));
    return isOurs ? { jwk, leaf, trust: 'issuer-metadata' as const } : refuse('its key is none of ours');
  }

  async function keyOfJwt({ x5c, kid }: SignedHeader, issuer: string | undefined): Promise<SignerKey> {
    const did = identity.did();
    if (issuer === undefined || (issuer !== identity.id() && issuer !== did)) refuse('it is of another issuer');
    if (x5c !== undefined) {
      const { jwk, trust } = await keyOfChain(x5c);
      return { jwk, trust };
    }
    const isSigner = ({ kid: own }: { readonly kid?: string }): boolean =>
      own !== undefined && (kid === own || (did !== undefined && kid === `${did}#${own}`));
    const jwk = (await published()).find(isSigner) ?? refuse('its key is none of ours');
    return { jwk, trust: 'issuer-metadata' };
  }

  return {
    keyOfJwt,
    keyOfChain,
    keyOfDid: async () => refuse('only our own keys count'),
  };
}
