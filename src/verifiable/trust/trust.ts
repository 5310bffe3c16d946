// Finds the key of an issuer or verifier, and decides whether it is trusted.
import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { type Outbound, OutboundError } from '../../platform/outbound/index.ts';
import { algorithmOf, type PublicJwk, publicJwkOf } from '../jose/index.ts';
import { ResolutionError, type Resolver } from '../resolver/index.ts';
import type { Anchors } from './anchors.ts';
import { parseX5c, type VerifiedChain, verifyChain } from './chain.ts';
import { ChainError, TrustError } from './errors.ts';
import { issuerMetadataKeys } from './issuer-metadata.ts';
import type { CertificatePurpose } from './usages.ts';

export type IssuerTrust = 'anchor' | 'did' | 'issuer-metadata' | 'none';

/** `any`: every valid signature; `listed`: only certificates of anchors, DIDs on the list, and keys that issuers on the list publish. */
export interface TrustPolicy {
  readonly mode: 'any' | 'listed';
  readonly dids: readonly string[];
  /** Addresses. */
  readonly issuers?: readonly string[];
  /**
   * Whoever signs documents has a certificate that says so (ISO/IEC 18013-5, B.1.4). A document names no issuer but its root: without this,
   * every certificate below the root could sign as the issuer.
   */
  readonly documentSignersOnly?: boolean;
}

export interface SignerKey {
  readonly jwk: PublicJwk;
  readonly trust: IssuerTrust;
  readonly authorityKeyIds?: readonly string[];
  readonly leaf?: X509Certificate;
  /** To which the certificate leads. */
  readonly anchor?: X509Certificate;
}

/** The subject of a certificate on one line: `C=DE, O=Bund, CN=Signer`. */
export const subjectOf = (leaf: X509Certificate): string => leaf.subject.split('\n').join(', ');

export interface SignedHeader {
  readonly alg?: unknown;
  readonly kid?: unknown;
  readonly x5c?: unknown;
}

interface ChainKey extends Pick<VerifiedChain, 'uris'> {
  readonly key: SignerKey & { readonly leaf: X509Certificate };
}

function toTrustError(error: unknown): TrustError {
  if (error instanceof TrustError) return error;
  if (error instanceof ChainError) return new TrustError('untrusted', error.message, error);
  if (error instanceof OutboundError) return new TrustError('unreachable', 'the keys of the issuer cannot be fetched', error);
  if (error instanceof ResolutionError)
    return new TrustError(
      error.code === 'failed' ? 'unreachable' : 'mismatch',
      `the DID does not give the key: ${error.code}`,
      error,
    );
  throw error;
}

export function createTrust(deps: {
  outbound: Outbound;
  resolver: Resolver;
  anchors: Anchors;
  clock: Clock;
  policy: TrustPolicy;
  /** Allows peers without https. */
  isDevelopment?: boolean;
}) {
  const { outbound, resolver, anchors, clock, policy, isDevelopment = false } = deps;

  const isListed = (did: string): boolean => policy.mode === 'any' || policy.dids.includes(did);

  async function keyFromChain(x5c: unknown, purpose: CertificatePurpose): Promise<ChainKey> {
    const mustSay = policy.documentSignersOnly === true && purpose === 'document';
    const { leaf, uris, authorityKeyIds, anchor } = verifyChain(parseX5c(x5c), await anchors(), clock.now(), purpose, mustSay);
    if (algorithmOf(leaf.publicKey) === undefined) throw new ChainError('the key of the certificate is not one that is accepted');
    return { key: { jwk: publicJwkOf(leaf.publicKey), trust: 'anchor', authorityKeyIds, leaf, anchor }, uris };
  }

  /** Whether the certificate names this issuer, by URI or by host. */
  function isNamed({ key: { leaf }, uris }: ChainKey, issuer: string): boolean {
    const url = URL.parse(issuer);
    if (uris.includes(issuer) && (isDevelopment || url?.protocol === 'https:')) return true;
    return url?.protocol === 'https:' && leaf.checkHost(url.hostname, { subject: 'never' }) !== undefined;
  }

  async function keyFromDid(didUrl: string, did: string, relationship: 'assertionMethod' | 'authentication'): Promise<SignerKey> {
    if (!isListed(did)) throw new TrustError('untrusted', 'the DID is not on the list of those trusted');
    if (!didUrl.startsWith(`${did}#`)) throw new TrustError('mismatch', 'the key is one of another DID');
    return { jwk: await resolver.verificationMethod(didUrl, relationship), trust: 'did' };
  }

  /** The key for a JWT of this issuer: by x5c, DID or issuer metadata. */
  async function keyFromJwt(header: SignedHeader, issuer: string | undefined, purpose: CertificatePurpose): Promise<SignerKey> {
    const { x5c, kid } = header;
    if (x5c !== undefined) {
      const found = await keyFromChain(x5c, purpose);
      if (issuer !== undefined && !isNamed(found, issuer))
        throw new TrustError('mismatch', 'the certificate is not one of the issuer');
      return found.key;
    }
    if (issuer?.startsWith('did:')) {
      if (typeof kid !== 'string') throw new TrustError('mismatch', 'the header names no key of the DID');
      return keyFromDid(kid.startsWith('#') ? `${issuer}${kid}` : kid, issuer, 'assertionMethod');
    }
    if (issuer !== undefined && /^https?:/.test(issuer) && URL.canParse(issuer)) {
      if (policy.mode === 'listed' && !policy.issuers?.includes(issuer))
        throw new TrustError('untrusted', 'the issuer is not on the list of those trusted');
      return { jwk: await issuerMetadataKeys(outbound, issuer, kid), trust: 'issuer-metadata' };
    }
    throw new TrustError('mismatch', 'nothing says whose key signed it');
  }

  return {
    /** `purpose`: of a certificate, if the header has one. */
    async keyOfJwt(
      header: SignedHeader,
      issuer: string | undefined,
      purpose: CertificatePurpose = 'credential',
    ): Promise<SignerKey> {
      try {
        return await keyFromJwt(header, issuer, purpose);
      } catch (error) {
        throw toTrustError(error);
      }
    },
    /** For mdocs and verifiers, which are identified by the chain alone. */
    async keyOfChain(x5c: unknown, purpose: CertificatePurpose = 'request'): Promise<ChainKey['key']> {
      try {
        return (await keyFromChain(x5c, purpose)).key;
      } catch (error) {
        throw toTrustError(error);
      }
    },
    async keyOfDid(didUrl: string, did: string, relationship: 'assertionMethod' | 'authentication'): Promise<SignerKey> {
      try {
        return await keyFromDid(didUrl, did, relationship);
      } catch (error) {
        throw toTrustError(error);
      }
    },
  };
}

export type Trust = ReturnType<typeof createTrust>;
