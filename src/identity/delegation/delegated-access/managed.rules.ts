// What can act for a person, for those who look after the account. A manager ends nothing of people who have more rights.
import type { Caller, FreshLogin, RankGuard } from '../../access/rules/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { DelegatedAccess, DelegatedList } from './delegated-access.rules.ts';

export interface ManagedAccessDeps {
  readonly db: Pick<Database, 'read'>;
  readonly delegatedAccess: DelegatedAccess;
  readonly refuseIfOutranked: RankGuard;
  readonly freshLogin: Pick<FreshLogin, 'require' | 'actorFor'>;
}

export function createManagedDelegatedAccess({ db, delegatedAccess, refuseIfOutranked, freshLogin }: ManagedAccessDeps) {
  /** People manage their own, whatever their rights. */
  async function protect(reader: Reader, caller: Caller, action: string, userId: string): Promise<void> {
    if (caller.userId !== userId) await refuseIfOutranked(reader, caller, action, { userId });
  }
  const ENDS = 'identity:end_delegated_access';
  /** Their own with a recent login, as on the page of the account: among it are keys by which people prove who they are. */
  async function guarded(caller: Caller, userId: string): Promise<Actor> {
    await protect(db.read, caller, ENDS, userId);
    await freshLogin.require(caller, userId);
    const actor = freshLogin.actorFor(caller, userId);
    return {
      ...actor,
      async precondition(database, tx) {
        await actor.precondition?.(database, tx);
        await protect(tx, caller, ENDS, userId);
      },
    };
  }

  return {
    async list(caller: Caller, userId: string): Promise<DelegatedList> {
      await protect(db.read, caller, 'identity:list_delegated_access', userId);
      return delegatedAccess.list(userId);
    },

    async end(caller: Caller, userId: string, kind: string, id: string): Promise<void> {
      if (!(await delegatedAccess.end(await guarded(caller, userId), userId, kind, id)))
        fail('delegated_access.not_found', { id });
    },

    async endAll(caller: Caller, userId: string): Promise<void> {
      await delegatedAccess.endAll(await guarded(caller, userId), userId);
    },
  };
}

export type ManagedDelegatedAccess = ReturnType<typeof createManagedDelegatedAccess>;
