// The tokens of the base API that are made from a session: for our own pages, such as the console, and for a dashboard. They end with the
// session.
import { createHash } from 'node:crypto';
import type { Change } from '../../ground/audit/index.ts';
import type { Revocations } from '../../login/tokens/index.ts';

export interface SessionTokenDeps {
  readonly revocations: Pick<Revocations, 'revokeSessions'>;
}

/** How tokens name their session, from the hash of its uid. The uid itself is not told to anybody. */
export const sessionTokenId = (sessionHash: string): string =>
  createHash('sha256').update(`console ${sessionHash}`).digest().subarray(0, 16).toString('base64url');

/** Not for a session that goes on under the same uid, as after a change of one's own password. */
export const endSessionTokens = (
  { revocations }: SessionTokenDeps,
  transaction: Change,
  sessionHashes: readonly string[],
): Promise<void> => revocations.revokeSessions(transaction, sessionHashes.map(sessionTokenId));
