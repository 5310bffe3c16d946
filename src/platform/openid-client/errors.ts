// Errors of the provider: it refused, it revoked the grant, or it is unavailable.
import { OutboundError } from '../outbound/index.ts';

/** The provider did not register us, or not as we want. */
export class RegistrationRefused extends Error {}
export class InvalidRequestReference extends Error {}
export class SubjectChangedError extends Error {}
export class InvalidIdTokenError extends Error {}

/** The OAuth error if the provider refused. Undefined for all other failures, which count as unavailability. */
export function providerErrorOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof InvalidIdTokenError || error instanceof InvalidRequestReference) return 'invalid_response';
  if (error.name === 'ResponseBodyError' || error.name === 'AuthorizationResponseError')
    return (error as Error & { error: string }).error;
  if (error.name === 'WWWAuthenticateChallengeError') return 'invalid_token';
  // An invalid response: a wrong signature, nonce, issuer, or audience.
  return error.name === 'ClientError' && !isUnavailable(error) ? 'invalid_response' : undefined;
}

/** OAuth errors for a grant that is no longer valid, or that needs a new login. */
const REVOKED_GRANT_ERRORS = ['invalid_grant', 'access_denied', 'login_required', 'interaction_required', 'consent_required'];

/**
 * The account was closed, the consent withdrawn, or the subject changed. All other failures (an error page of a proxy, a changed
 * client secret) log nobody out.
 */
export const isGrantRevoked = (error: unknown): boolean =>
  error instanceof SubjectChangedError || REVOKED_GRANT_ERRORS.includes(providerErrorOf(error) ?? '');

/** The response of RFC 6750 for a token that expired, was revoked, or never existed. */
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

/** The provider responds with 5xx or 429. Other requests may succeed. */
export function isServerError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.cause instanceof Response && (cause.cause.status >= 500 || cause.cause.status === 429)) return true;
  return false;
}
