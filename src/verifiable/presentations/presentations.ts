// Verifies a presentation: the credential in it, and that its holder made it now, for this verifier and this request (OID4VP 1.0, 8.6
// and appendix B). Whether the issuer is trusted is decided by the formats; the status is not checked here.
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { type Binding, CredentialRejectedError, type Formats, type VerifiedCredential } from '../formats/index.ts';
import { decodeJws, JwsError, type PublicJwk, verifyJws } from '../jose/index.ts';
import { ResolutionError, type Resolver } from '../resolver/index.ts';

export type PresentationFormat = 'dc+sd-jwt' | 'jwt_vc_json';

export interface ExpectedPresentation {
  readonly nonce: string;
  /** The verifier, by its full client id. */
  readonly audience: string;
  /** When the request was made, in milliseconds: nobody can have answered before. */
  readonly since: number;
}

/** Tolerance for clock differences. */
const SKEW_MS = 60_000;
const MAX_LENGTH = 256 * 1024;
const HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' };
/** A VCDM 2.0 presentation holds credentials as data: addresses. */
const ENVELOPED = /^data:application\/vc\+jwt[;,]/;

type Claims = Readonly<Record<string, unknown>>;

function reject(code: string, why: string): never {
  throw new CredentialRejectedError(code, why);
}

const isObject = (value: unknown): value is Claims => typeof value === 'object' && value !== null && !Array.isArray(value);

function decoded(text: string, what: string): ReturnType<typeof decodeJws> {
  try {
    return decodeJws(text, MAX_LENGTH);
  } catch {
    return reject('malformed', `${what} cannot be read`);
  }
}

/** The only credential in a presentation as a JWT. */
function credentialIn(payload: Claims): string {
  const presentation = isObject(payload.vp) ? payload.vp : payload;
  if (![presentation.type].flat().includes('VerifiablePresentation')) reject('malformed', 'it is no presentation');
  const [one, ...others] = [presentation.verifiableCredential].flat();
  if (others.length > 0) reject('malformed', 'it holds more than one credential');
  if (typeof one === 'string') return one;
  const id = isObject(one) && typeof one.id === 'string' ? one.id : '';
  return ENVELOPED.test(id) ? id.slice(id.indexOf(',') + 1) : reject('malformed', 'it holds no credential');
}

export function createPresentationVerifier({
  formats,
  clock,
  resolver,
}: {
  readonly formats: Formats;
  readonly clock: Clock;
  /** For credentials that are bound to a DID. */
  readonly resolver?: Resolver | undefined;
}) {
  /** The key that the credential is bound to. The presentation does not choose it. */
  async function holderKey(binding: Binding, kid: unknown): Promise<PublicJwk> {
    if (binding.kind === 'jwk') return binding.jwk;
    if (binding.kind === 'none') return reject('no-key-binding', 'the credential is bound to nobody');
    const { did } = binding;
    const url = typeof kid === 'string' && kid.startsWith('#') ? `${did}${kid}` : kid;
    if (!resolver || typeof url !== 'string' || !url.startsWith(`${did}#`))
      return reject('wrong-holder', 'the key is not one of the holder');
    try {
      return await resolver.verificationMethod(url, 'authentication');
    } catch (error) {
      if (!(error instanceof ResolutionError)) throw error;
      return reject('wrong-holder', 'the DID of the holder does not give the key');
    }
  }

  async function checkSignature(text: string, binding: Binding, kid: unknown): Promise<void> {
    const jwk = await holderKey(binding, kid);
    try {
      await verifyJws(text, jwk, MAX_LENGTH);
    } catch (error) {
      if (!(error instanceof JwsError)) throw error;
      reject('wrong-holder', 'the holder did not sign it');
    }
  }

  function checkExpected({ nonce, aud, iat }: Claims, expected: ExpectedPresentation): void {
    if (nonce !== expected.nonce) reject('wrong-nonce', 'it was made for another request');
    if (aud !== expected.audience) reject('wrong-audience', 'it was made for another verifier');
    const at = typeof iat === 'number' ? iat * 1000 : Number.NaN;
    // One that is written in whole seconds may seem to be up to a second older.
    if (!(at >= expected.since - SKEW_MS - 1000 && at <= clock.now() + SKEW_MS))
      reject('wrong-time', 'it was made before the request, or in the future');
  }

  function checkStarted({ validFrom }: VerifiedCredential): void {
    if (validFrom !== undefined && validFrom > clock.now() + SKEW_MS) reject('not-yet-valid', 'the credential is not valid yet');
  }

  /** The key binding is a JWT of its own, after the last tilde. */
  async function sdJwt(text: string, expected: ExpectedPresentation): Promise<VerifiedCredential> {
    const end = text.lastIndexOf('~') + 1;
    const [presented, binding] = [text.slice(0, end), text.slice(end)];
    if (binding === '') reject('no-key-binding', 'nothing proves who holds it');
    const credential = await formats['dc+sd-jwt'].verify(presented);
    const { header, payload } = decoded(binding, 'the key binding');
    if (header.typ !== 'kb+jwt') reject('no-key-binding', 'its type is not that of a key binding');
    await checkSignature(binding, credential.binding, header.kid);
    checkExpected(payload, expected);
    const { _sd_alg: name = 'sha-256' } = decoded(presented.split('~', 1)[0]!, 'the credential').payload;
    // The format accepted no other.
    const hash = createHash(HASHES[String(name)]!).update(presented).digest('base64url');
    if (payload.sd_hash !== hash) reject('wrong-disclosures', 'the holder showed something else');
    return credential;
  }

  async function jwtVc(text: string, expected: ExpectedPresentation): Promise<VerifiedCredential> {
    const { header, payload } = decoded(text, 'the presentation');
    const credential = await formats.jwt_vc_json.verify(credentialIn(payload));
    await checkSignature(text, credential.binding, header.kid);
    checkExpected(payload, expected);
    if (payload.exp !== undefined && !(typeof payload.exp === 'number' && payload.exp * 1000 > clock.now() - SKEW_MS))
      reject('wrong-time', 'it has expired');
    return credential;
  }

  /** Throws CredentialRejectedError or TrustError. */
  return async function verify(
    format: PresentationFormat,
    presentation: unknown,
    expected: ExpectedPresentation,
  ): Promise<VerifiedCredential> {
    if (typeof presentation !== 'string' || presentation.length > MAX_LENGTH) return reject('malformed', 'it is no presentation');
    const credential = await (format === 'dc+sd-jwt' ? sdJwt : jwtVc)(presentation, expected);
    checkStarted(credential);
    return credential;
  };
}

export type PresentationVerifier = ReturnType<typeof createPresentationVerifier>;
