// What can act for a person, for those who look after the account. A manager ends nothing of people who have more rights.
import type { Caller, RankGuard } from '../../access/rules/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { DelegatedAccess, DelegatedList } from './delegated-access.rules.ts';

export interface ManagedAccessDeps {
  readonly db: Pick<Database, 'read'>;
  readonly delegatedAccess: DelegatedAccess;
  readonly refuseIfOutranked: RankGuard;
}

export function createManagedDelegatedAccess({ db, delegatedAccess, refuseIfOutranked }: ManagedAccessDeps) {
  /** People manage their own, whatever their rights. */
  async function protect(reader: Reader, caller: Caller, action: string, userId: string): Promise<void> {
    if (caller.userId !== userId) await refuseIfOutranked(reader, caller, action, { userId });
  }
  const ENDS = 'identity:end_delegated_access';
  /** Asked again in the transaction. */
  const guarded = (caller: Caller, userId: string): Actor => ({
    ...caller,
    precondition: async (database, tx) => {
      await caller.precondition?.(database, tx);
      await protect(tx, caller, ENDS, userId);
    },
  });

  return {
    async list(caller: Caller, userId: string): Promise<DelegatedList> {
      await protect(db.read, caller, 'identity:list_delegated_access', userId);
      return delegatedAccess.list(userId);
    },

    async end(caller: Caller, userId: string, kind: string, id: string): Promise<void> {
      await protect(db.read, caller, ENDS, userId);
      if (!(await delegatedAccess.end(guarded(caller, userId), userId, kind, id))) fail('delegated_access.not_found', { id });
    },

    async endAll(caller: Caller, userId: string): Promise<void> {
      await protect(db.read, caller, ENDS, userId);
      await delegatedAccess.endAll(guarded(caller, userId), userId);
    },
  };
}

export type ManagedDelegatedAccess = ReturnType<typeof createManagedDelegatedAccess>;
