// Verifies a presentation: the credential in it, and that its holder made it now, for this verifier and this request (OID4VP 1.0, 8.6
// and appendix B). Whether the issuer is trusted is decided by the formats; the status is not checked here.
import type { Clock } from '../../platform/clock.ts';
import {
  type Binding,
  type ExpectedPresentation,
  type FormatName,
  type Formats,
  type HolderChecks,
  reject,
  type VerifiedCredential,
} from '../formats/index.ts';
import { JwsError, type PublicJwk, verifyJws } from '../jose/index.ts';
import { ResolutionError, type Resolver } from '../resolver/index.ts';

/** Tolerance for clock differences. */
const SKEW_MS = 60_000;
const MAX_LENGTH = 256 * 1024;

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

  const checks: HolderChecks = {
    async signed(jwt, binding, kid) {
      const jwk = await holderKey(binding, kid);
      try {
        await verifyJws(jwt, jwk, MAX_LENGTH);
      } catch (error) {
        if (!(error instanceof JwsError)) throw error;
        reject('wrong-holder', 'the holder did not sign it');
      }
    },
    expected({ nonce, aud, iat }, expected) {
      if (nonce !== expected.nonce) reject('wrong-nonce', 'it was made for another request');
      if (aud !== expected.audience) reject('wrong-audience', 'it was made for another verifier');
      const at = typeof iat === 'number' ? iat * 1000 : Number.NaN;
      // One that is written in whole seconds may seem to be up to a second older.
      if (!(at >= expected.since - SKEW_MS - 1000 && at <= clock.now() + SKEW_MS))
        reject('wrong-time', 'it was made before the request, or in the future');
    },
  };

  function checkStarted({ validFrom }: VerifiedCredential): void {
    if (validFrom !== undefined && validFrom > clock.now() + SKEW_MS) reject('not-yet-valid', 'the credential is not valid yet');
  }

  /** Throws CredentialRejectedError or TrustError. */
  return async function verify(
    format: FormatName,
    presentation: unknown,
    expected: ExpectedPresentation,
  ): Promise<VerifiedCredential> {
    if (typeof presentation !== 'string' || presentation.length > MAX_LENGTH) return reject('malformed', 'it is no presentation');
    const { verifyPresentation } = formats[format];
    if (!verifyPresentation) return reject('unsupported', 'presentations of this format are not read');
    const credential = await verifyPresentation(presentation, expected, checks);
    checkStarted(credential);
    return credential;
  };
}

export type PresentationVerifier = ReturnType<typeof createPresentationVerifier>;
