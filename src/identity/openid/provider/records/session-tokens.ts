// The tokens of the base API that our own pages get in a session, such as the console. They end with the session.
import { createHash } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import type { Change } from '../../../audit/index.ts';
import type { Revocations } from '../../../tokens/index.ts';

/** They live this long at most. The page renews them. */
export const SESSION_TOKEN_MS = 5 * 60_000;

export interface SessionTokenDeps {
  readonly clock: Clock;
  readonly revocations: Pick<Revocations, 'revokeSessions'>;
}

/** How tokens name their session, from the hash of its uid. The uid itself is not told to anybody. */
export const sessionTokenId = (sessionHash: string): string =>
  createHash('sha256').update(`console ${sessionHash}`).digest().subarray(0, 16).toString('base64url');

/** Not for a session that goes on under the same uid, as after a change of one's own password. */
export const endSessionTokens = (
  { clock, revocations }: SessionTokenDeps,
  transaction: Change,
  sessionHashes: readonly string[],
): Promise<void> => revocations.revokeSessions(transaction, sessionHashes.map(sessionTokenId), clock.now() + SESSION_TOKEN_MS);
