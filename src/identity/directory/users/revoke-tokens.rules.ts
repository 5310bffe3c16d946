// All tokens of a user end, and with them the sessions and what applications got: whoever has these would get new tokens. Passwords,
// remembered devices and what the user passed on to programs stay.

import { tagOf } from '../../access/context/index.ts';
import type { Caller, RankGuard } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { endUserTokensIssuedBefore, revokeTokensOfUser } from './users.store.ts';

export interface RevokeTokensDeps extends Pick<Deps, 'db' | 'change' | 'clock'> {
  readonly refuseIfOutranked: RankGuard;
  /** Ends sessions and tokens of applications; applications are told. */
  endSessions(change: Change, userId: string): Promise<void>;
}

export function createTokenRevocation({ db, change, clock, refuseIfOutranked, endSessions }: RevokeTokensDeps) {
  /** People end their own tokens, whatever their rights. */
  async function protect(reader: Reader, caller: Caller, userId: string): Promise<void> {
    if (caller.userId !== userId) await refuseIfOutranked(reader, caller, 'identity:revoke_tokens_for_user', { userId });
  }

  return async function revokeTokens(caller: Caller, { id }: UserRow): Promise<void> {
    await protect(db.read, caller, id);
    await change(caller, async (transaction) => {
      const { tx, invalidate, audit } = transaction;
      if (!(await revokeTokensOfUser(tx, id, clock.now()))) fail('user.not_found', { id });
      await protect(tx, caller, id);
      await endSessions(transaction, id);
      invalidate(tagOf.user(id));
      audit('user.tokens_revoked', { kind: 'user', id });
    });
  };
}

/** Of those that a Keystone issued: the ones until then (milliseconds), which it revoked. False when there is no such user. */
export async function endUserTokensBefore({ tx, audit, invalidate }: Change, id: string, at: number): Promise<boolean> {
  if (!(await endUserTokensIssuedBefore(tx, id, at))) return false;
  invalidate(tagOf.user(id));
  audit('user.tokens_revoked', { kind: 'user', id }, { by: 'keystone' });
  return true;
}
