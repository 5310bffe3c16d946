// Resolves DIDs of the supported methods, and finds keys in their documents.
import {
  type DIDDocument,
  type DIDResolutionMetadata,
  type DIDResolutionResult,
  type DIDResolver,
  Resolver as MethodResolver,
  type ResolverRegistry,
  type VerificationRelationship,
} from 'did-resolver';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { PublicJwk } from '../jose/index.ts';
import { createCache } from './cache.ts';
import { documentOfDidJwk } from './did-jwk.ts';
import { documentOfDidKey } from './did-key.ts';
import { fetchDidWeb } from './did-web.ts';
import { type ResolutionCode, ResolutionError } from './errors.ts';
import { didOfMethod, keyInDocument } from './verification-method.ts';

/** The longest valid DID is a did:jwk of 8 KiB. Longer ones are not parsed. */
const MAX_LENGTH = 12 * 1024;

export interface ResolveOptions {
  /** Bypasses the cache, for example after a key was not found. */
  readonly fresh?: boolean;
}

export interface Resolver {
  /** Does not throw for errors of a DID or its host: `didResolutionMetadata.error` is a ResolutionCode. */
  resolve(did: string, options?: ResolveOptions): Promise<DIDResolutionResult>;
  /** The key of a DID URL. Throws ResolutionError unless its document lists it under `relationship`. */
  verificationMethod(didUrl: string, relationship?: VerificationRelationship, options?: ResolveOptions): Promise<PublicJwk>;
}

export interface ResolverOptions {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly insecureHosts?: readonly string[];
  readonly cacheSeconds?: number;
}

interface ResolvedDocument {
  readonly document: DIDDocument;
  readonly contentType: string;
  readonly maxAge?: number | undefined;
}

const resultOf = (didDocument: DIDDocument | null, didResolutionMetadata: DIDResolutionMetadata): DIDResolutionResult => ({
  didResolutionMetadata,
  didDocument,
  didDocumentMetadata: {},
});

const reasonOf = (error: Error): string | undefined => (error.cause instanceof Error ? error.cause.message : undefined);

const driver =
  (read: (did: string) => ResolvedDocument | Promise<ResolvedDocument>): DIDResolver =>
  async (did) => {
    try {
      const { document, ...metadata } = await read(did);
      return resultOf(document, metadata);
    } catch (error) {
      if (!(error instanceof ResolutionError)) throw error;
      return resultOf(null, { error: error.code, message: error.message, reason: reasonOf(error) });
    }
  };

const local = (document: DIDDocument): ResolvedDocument => ({ document, contentType: 'application/did+ld+json' });

export function createResolver({ outbound, clock, insecureHosts = [], cacheSeconds = 300 }: ResolverOptions): Resolver {
  const cache = createCache(clock, cacheSeconds);
  // Without a prototype, because the library looks up methods by name, and `did:constructor` would find one.
  const registry: ResolverRegistry = Object.assign(Object.create(null), {
    key: driver((did) => local(documentOfDidKey(did))),
    jwk: driver((did) => local(documentOfDidJwk(did))),
    web: driver((did) => fetchDidWeb(outbound, did, { insecureHosts })),
  });
  const methods = new MethodResolver(registry, {
    // Only did:web is fetched and worth caching.
    cache: (parsed, read, options) => (parsed.method === 'web' ? cache(parsed, read, options) : read()),
  });

  async function resolve(did: string, { fresh = false }: ResolveOptions = {}): Promise<DIDResolutionResult> {
    if (did.length > MAX_LENGTH) return resultOf(null, { error: 'invalidDid', message: 'the DID is too long' });
    const result = await methods.resolve(did, { fresh });
    if (result.didResolutionMetadata.error !== 'unsupportedDidMethod') return result;
    return resultOf(null, { error: 'methodNotSupported', message: 'DIDs of this method are not resolved here' });
  }

  return {
    resolve,

    async verificationMethod(didUrl, relationship, options) {
      if (didUrl.length > MAX_LENGTH) throw new ResolutionError('invalidDid', 'the DID URL is too long');
      const did = didOfMethod(didUrl);
      const { didDocument, didResolutionMetadata } = await resolve(did, options);
      const { error, message, reason } = didResolutionMetadata;
      if (didDocument) return keyInDocument(didDocument, didUrl, relationship);
      throw new ResolutionError((error ?? 'failed') as ResolutionCode, message ?? `${did} is not a DID`, { cause: reason });
    },
  };
}
