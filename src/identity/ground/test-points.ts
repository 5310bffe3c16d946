// The points of this service at which a test can act (platform/test-points.ts). They lie before the transaction that checks again. In a
// transaction, SQLite lets nobody else write.
import { createTestPoints } from '../../platform/test-points.ts';

export type TestPoint =
  /** Any change: everything was checked, and its transaction begins. For requests that make one change. */
  | 'change.before-transaction'
  /** A browser returned from a provider with an answer that belongs to its sign-in; it is used now. */
  | 'provider-answer.before-use'
  /** Somebody has proved who they are; what their token, or the session here, says is read. */
  | 'login.before-token'
  /** Nothing is missing in a login; what it may do in the scope is read. */
  | 'login.before-scope'
  /** The record of a session, or of an access token, was found; the state of its account is read, and then the user. */
  | 'session.before-state'
  | 'session.before-user'
  /** A provider vouched for a person, and the mapping was applied; the transaction of the sign-in begins. */
  | 'provider-login.before-transaction'
  /** The link of the person was looked for, and their account is not locked yet. On PostgreSQL only. */
  | 'provider-login.in-transaction'
  /** The token, the type and the key proofs of a request for a credential are good; the transaction that records it begins. */
  | 'issuance.before-transaction'
  /** What a person allows an application, or need not be asked, is stored; the transaction begins. */
  | 'application-grant.before-transaction'
  /** What a usual request for tokens needs was found and is good; it is used up, and the tokens are stored. */
  | 'usual-tokens.before-issue'
  /** A token may be exchanged; the new one is made and stored. */
  | 'token-exchange.before-token'
  /** An issued credential that is to change was found. On PostgreSQL only. */
  | 'credential-change.in-transaction'
  /** The token of a remembered device is good, and not replaced yet. On PostgreSQL only. */
  | 'device-renewal.in-transaction'
  /** A code is right, and not used up yet. On PostgreSQL only. */
  | 'code.in-transaction';

export const { testPoint, actAt } = createTestPoints<TestPoint>();
