// The points of this service at which a test can act (platform/test-points.ts). Those that lie before a transaction are for both databases; in a
// transaction, SQLite lets nobody else write.
import { createTestPoints } from '../platform/test-points.ts';

export type TestPoint =
  /** A browser returned from a provider with an answer that belongs to its sign-in; it is used now. */
  | 'provider-answer.before-use'
  /** A provider vouched for a person, and the mapping was applied; the transaction of the sign-in begins. */
  | 'provider-login.before-transaction';

export const { testPoint, actAt } = createTestPoints<TestPoint>();
