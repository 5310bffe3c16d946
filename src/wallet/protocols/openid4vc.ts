// Callbacks for the libraries of OID4VCI and OID4VP: HTTP client, signing keys and trust.
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import type { CallbackContext, HashAlgorithm, Jwk, JwtSigner } from '@openid4vc/oauth2';
import { Fault } from '../../platform/faults/index.ts';
import { guardedFetch, type Outbound, OutboundError } from '../../platform/outbound/index.ts';
import { decodeJws, JwsError, type PublicJwk, signJws, verifyJws } from '../../verifiable/jose/index.ts';
import { readVerificationJwk } from '../../verifiable/resolver/index.ts';
import { alternativeNamesOf, type Trust } from '../../verifiable/trust/index.ts';
import { fault } from '../ground/faults.ts';

/** A key of the wallet that signs in the libraries' callbacks. */
export interface WalletSigner {
  readonly algorithm: string;
  readonly jwk: PublicJwk;
  sign(data: Buffer): Promise<Buffer>;
}

const NODE_HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' };

/** For callbacks that must not be used. */
const refuse = (): never => {
  throw new Error('nothing is signed here');
};

export function createCallbacks(deps: { outbound: Outbound; trust: Trust; kind: 'issuer' | 'verifier' }) {
  const { outbound, trust, kind } = deps;
  const fetch = guardedFetch(outbound, { kind });

  /** The key that must have signed a JWT of a peer. */
  async function keyOf(signer: JwtSigner, compact: string): Promise<PublicJwk> {
    if (signer.method === 'did')
      return (await trust.keyOfDid(signer.didUrl, signer.didUrl.split('#', 1)[0]!, 'authentication')).jwk;
    if (signer.method === 'x5c') return (await trust.keyOfChain(signer.x5c, kind === 'issuer' ? 'credential' : 'request')).jwk;
    if (signer.method === 'jwk') return readVerificationJwk(signer.publicJwk);
    const attested = signer.method === 'custom' ? attestedKeyIn(compact) : undefined;
    if (attested) return attested;
    throw new JwsError('it is signed in a way that is not supported');
  }

  return (signer?: WalletSigner): CallbackContext => ({
    fetch: fetch as CallbackContext['fetch'] & {},
    hash: (data, algorithm: HashAlgorithm) => createHash(NODE_HASHES[algorithm]!).update(data).digest(),
    generateRandom: (bytes) => randomBytes(bytes),
    async signJwt(_signer, { header, payload }) {
      if (!signer) return refuse();
      return { jwt: await signJws(header, payload, signer.sign), signerJwk: signer.jwk as Jwk };
    },
    async verifyJwt(by, { compact }) {
      const jwk = await keyOf(by, compact);
      try {
        await verifyJws(compact, jwk);
        return { verified: true, signerJwk: jwk as Jwk };
      } catch {
        return { verified: false };
      }
    },
    // We encrypt answers ourselves, because the key needs further checks.
    encryptJwe: refuse,
    decryptJwe: () => ({ decrypted: false }),
    clientAuthentication: () => undefined,
    getX509CertificateMetadata(text) {
      const { dns, uris } = alternativeNamesOf(new X509Certificate(Buffer.from(text, 'base64')));
      return { sanDnsNames: dns, sanUriNames: uris };
    },
  });
}

/**
 * The key of a verifier with an attestation is only in the attestation (OID4VP, 12). The attestation itself is checked later, in
 * presentation/verifier.ts.
 */
function attestedKeyIn(compact: string): PublicJwk | undefined {
  const { header } = decodeJws(compact);
  if (header.typ !== 'oauth-authz-req+jwt' || header.jwt === undefined) return undefined;
  const { cnf } = decodeJws(header.jwt).payload as { cnf?: { jwk?: object } };
  return readVerificationJwk(cnf?.jwk ?? {});
}

interface OAuthError {
  readonly error: string;
  readonly error_description?: string;
}

/** The characters OAuth allows in an error and its description (RFC 6749, 5.2). */
export const OAUTH_TEXT = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,300}$/;

/** The OAuth error of a peer, limited to the characters of the standard. Never the whole body. */
export function protocolError(error: unknown): OAuthError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { errorResponse, response } = cause as {
      errorResponse?: unknown;
      response?: { credentialErrorResponseResult?: { success: boolean; data?: unknown } };
    };
    const found = (errorResponse ?? response?.credentialErrorResponseResult?.data) as Partial<OAuthError> | undefined;
    if (typeof found?.error !== 'string' || !OAUTH_TEXT.test(found.error)) continue;
    const text = found.error_description;
    return { error: found.error, ...(typeof text === 'string' && OAUTH_TEXT.test(text) ? { error_description: text } : {}) };
  }
  return undefined;
}

/** For the log. Only the first line, because error messages may include data of the peer, such as tokens and claims. */
const reasonOf = (error: unknown): string =>
  error instanceof SyntaxError || !(error instanceof Error) ? 'not JSON' : error.message.split('\n', 1)[0]!.slice(0, 200);

/** Turns an error in a call to a peer into a fault for our caller. */
export function upstreamFault(error: unknown, who: 'issuer' | 'verifier', endpoint: string): Fault {
  if (error instanceof Fault) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof OutboundError)) continue;
    const reason = `${endpoint}: ${cause.message}`;
    if (cause.kind === 'blocked')
      return fault('blocked-address', { who: `the ${who}` }, { reason, detail: { protocol: { error: 'blocked', endpoint } } });
    if (cause.kind === 'timeout') return fault('upstream-timeout', { who }, { reason });
    return fault('upstream-error', { who, why: `the ${endpoint} cannot be reached` }, { reason });
  }
  const oauthError = protocolError(error);
  const { status = 0 } = (error as { response?: { status?: number } }).response ?? {};
  const temporary = status >= 500 || status === 429 ? { temporary: true } : {};
  const why = oauthError ? `${endpoint}: ${oauthError.error}` : `${endpoint} gave an answer that cannot be used`;
  return fault(
    'upstream-error',
    { who, why },
    {
      reason: `${endpoint}: ${reasonOf(error)}`,
      detail: { ...(oauthError ? { protocol: { ...oauthError, endpoint } } : {}), ...temporary },
    },
  );
}

/** Runs a call to a peer and turns its errors into faults. */
export async function withUpstreamFaults<T>(who: 'issuer' | 'verifier', endpoint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw upstreamFault(error, who, endpoint);
  }
}
