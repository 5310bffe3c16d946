// Credential responses: credentials, or a transaction id for later (OID4VCI, 8.3).
import { fail, fault } from '../ground/faults.ts';
import { isObject } from './credential-error.ts';

export type CredentialResponse =
  | { readonly kind: 'credentials'; readonly credentials: readonly unknown[]; readonly notificationId?: string }
  | { readonly kind: 'deferred'; readonly transactionId: string; readonly intervalSeconds: number };

const MAX_CREDENTIALS = 100;
const MAX_NAME = 2000;
export const DEFAULT_INTERVAL = 60;
const LONGEST_INTERVAL = 7 * 24 * 3600;

/** Drafts use `credential`, the final version `credentials: [{credential}]`. */
export function responseOf(body: unknown): CredentialResponse {
  if (!isObject(body)) throw fault('upstream-error', { who: 'issuer', why: 'credential: its answer is not an object' });
  const { transaction_id: transactionId, interval, notification_id: notificationId } = body;
  if (typeof transactionId === 'string' && transactionId.length <= MAX_NAME) {
    const seconds =
      typeof interval === 'number' && interval > 0 ? Math.min(Math.ceil(interval), LONGEST_INTERVAL) : DEFAULT_INTERVAL;
    return { kind: 'deferred', transactionId, intervalSeconds: seconds };
  }
  const list = Array.isArray(body.credentials)
    ? body.credentials.map((one: unknown) => (isObject(one) && 'credential' in one ? one.credential : one))
    : body.credential === undefined
      ? []
      : [body.credential];
  if (list.length === 0) fail('credential-rejected', { why: 'the issuer sent none' });
  if (list.length > MAX_CREDENTIALS) fail('credential-rejected', { why: 'the issuer sent too many' });
  // An overlong notification id is ignored.
  const canBeTold = typeof notificationId === 'string' && notificationId.length <= MAX_NAME;
  return { kind: 'credentials', credentials: list, ...(canBeTold ? { notificationId } : {}) };
}
