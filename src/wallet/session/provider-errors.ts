// What went wrong at the provider: it refused, it took its word back, or it was not there.
import { OutboundError } from '../../platform/outbound/index.ts';

export class SubjectChangedError extends Error {}
export class InvalidIdTokenError extends Error {}

/** What the provider itself refused, by its own word. Everything else that goes wrong is its absence. */
export function providerErrorOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof InvalidIdTokenError) return 'invalid_response';
  if (error.name === 'ResponseBodyError' || error.name === 'AuthorizationResponseError')
    return (error as Error & { error: string }).error;
  if (error.name === 'WWWAuthenticateChallengeError') return 'invalid_token';
  // An answer that does not hold: a wrong signature, nonce, issuer, or audience.
  return error.name === 'ClientError' && !isUnavailable(error) ? 'invalid_response' : undefined;
}

/** What a provider says of a grant that holds no more, or only after the person was there again. */
const REVOKED_GRANT_ERRORS = ['invalid_grant', 'access_denied', 'login_required', 'interaction_required', 'consent_required'];

/**
 * The provider takes its word back: the account was closed, the consent withdrawn, or the subject is another. All else that goes
 * wrong (a proxy's page, a client secret that was changed) is about us or the way there, and logs nobody out.
 */
export const isGrantRevoked = (error: unknown): boolean =>
  error instanceof SubjectChangedError || REVOKED_GRANT_ERRORS.includes(providerErrorOf(error) ?? '');

/** The word of RFC 6750 for a token that expired, was revoked, or never was. */
export const isInvalidToken = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'WWWAuthenticateChallengeError' &&
  (error as Error & { status: number }).status === 401;

export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError || cause instanceof TypeError || cause.name === 'TimeoutError') return true;
    if ((cause as { code?: string }).code === 'OAUTH_TIMEOUT') return true;
  }
  return isServerError(error);
}

/** It answers, and only not this: it may answer about another. */
export function isServerError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.cause instanceof Response && (cause.cause.status >= 500 || cause.cause.status === 429)) return true;
  return false;
}
