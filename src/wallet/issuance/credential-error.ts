// Error responses of an issuer, and the faults for our caller.
import { OutboundError } from '../../platform/outbound/index.ts';
import { fault } from '../ground/faults.ts';
import { OAUTH_TEXT as OAUTH_WORD, upstreamFault } from '../protocols/index.ts';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An error response: an error code of the protocol, or our description of the failure. Never the body. */
export class CredentialError extends Error {
  readonly isWord: boolean;
  readonly description: string | undefined;
  readonly status: number;
  /** Drafts of OID4VCI send a new nonce with the error. */
  readonly nonce: string | undefined;
  constructor(
    error: string,
    more: { isWord?: boolean; status?: number; nonce?: unknown; description?: string | undefined } = {},
  ) {
    super(error);
    this.isWord = more.isWord ?? false;
    this.description = more.description;
    this.status = more.status ?? 200;
    this.nonce = typeof more.nonce === 'string' ? more.nonce : undefined;
  }
}

const WORD = /^[a-z_]{1,60}$/;
export function refusalOf(body: unknown, status: number): CredentialError {
  const { error, error_description: text, c_nonce: nonce } = isObject(body) ? body : {};
  const description = typeof text === 'string' && OAUTH_WORD.test(text) ? text : undefined;
  return typeof error === 'string' && WORD.test(error)
    ? new CredentialError(error, { isWord: true, status, nonce, description })
    : new CredentialError(`status ${status}`, { status });
}

/** Whether a later attempt may succeed. Older drafts report pending credentials as an error. */
export function isTransient(error: unknown): boolean {
  if (error instanceof CredentialError)
    return error.message === 'issuance_pending' || error.status >= 500 || error.status === 429;
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutboundError) return cause.kind === 'timeout' || cause.kind === 'failed';
  return false;
}

/** The fault for our caller. */
export function toFault(error: unknown, endpoint: string): unknown {
  if (!(error instanceof CredentialError)) return upstreamFault(error, 'issuer', endpoint);
  const { description } = error;
  const words = { error: error.message, ...(description === undefined ? {} : { error_description: description }) };
  const protocol = error.isWord ? { protocol: { ...words, endpoint } } : {};
  const detail = { detail: { ...protocol, ...(isTransient(error) ? { temporary: true } : {}) } };
  if (error.message === 'credential_request_denied') return fault('issuance-denied', undefined, detail);
  return fault('upstream-error', { who: 'issuer', why: `${endpoint}: ${error.message}` }, detail);
}
