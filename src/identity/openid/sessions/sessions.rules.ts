// The sessions of a person at the OpenID provider, for administrators, managers of their domain, and the person. They are those of
// /account, and end as they do there: with the tokens that applications got in them, and applications are told.

import { tagOf } from '../../access/context/index.ts';
import type { Caller, RankGuard } from '../../access/rules/index.ts';
import { namesOfConsumers } from '../../applications/consumers/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import { FEDERATED } from '../provider/index.ts';
import type { Records, UserSession } from '../records/index.ts';

export interface SessionWithApplications extends UserSession {
  readonly applications: readonly { readonly id: string; readonly name: string }[];
}

export interface UserSessionsDeps extends Pick<Deps, 'db' | 'change'> {
  readonly records: Pick<Records, 'listSessions' | 'endSession' | 'endSessions'>;
  readonly refuseIfOutranked: RankGuard;
  readonly federation: Pick<Federation, 'sessions'>;
}

/** The sessions of a person, but for those that a provider has ended: they are stored until they expire, and open nothing. */
export async function liveSessionsOf(
  { records, federation }: Pick<UserSessionsDeps, 'records' | 'federation'>,
  userId: string,
): Promise<UserSession[]> {
  const sessions = await records.listSessions(userId);
  if (!sessions.some(({ amr }) => amr.includes(FEDERATED))) return sessions;
  const live = await federation.sessions.liveHashesOf(userId);
  return sessions.filter(({ id, amr }) => !amr.includes(FEDERATED) || live.has(id));
}

export function createUserSessions(deps: UserSessionsDeps) {
  const { db, change, records, refuseIfOutranked } = deps;

  /** People manage their own sessions, whatever their rights. */
  async function protect(reader: Reader, caller: Caller, action: string, userId: string): Promise<void> {
    if (caller.userId !== userId) await refuseIfOutranked(reader, caller, action, { userId });
  }

  async function end(caller: Caller, userId: string, work: (transaction: Change) => Promise<void>): Promise<void> {
    await protect(db.read, caller, 'identity:end_user_sessions', userId);
    await change(caller, async (transaction) => {
      await protect(transaction.tx, caller, 'identity:end_user_sessions', userId);
      await work(transaction);
      transaction.invalidate(tagOf.user(userId));
    });
  }

  return {
    async list(caller: Caller, userId: string): Promise<SessionWithApplications[]> {
      await protect(db.read, caller, 'identity:list_user_sessions', userId);
      const sessions = await liveSessionsOf(deps, userId);
      const names = await namesOfConsumers(db.read, [...new Set(sessions.flatMap(({ clientIds }) => clientIds))]);
      return sessions.map((session) => ({
        ...session,
        applications: session.clientIds.flatMap((id) => {
          const name = names.get(id);
          return name === undefined ? [] : [{ id, name }];
        }),
      }));
    },

    endOne: (caller: Caller, userId: string, id: string): Promise<void> =>
      end(caller, userId, async (transaction) => {
        if (!(await records.endSession(transaction, userId, id))) fail('session.not_found', { id });
        transaction.audit('session.ended', { kind: 'user', id: userId }, { session_id: id });
      }),

    endAll: (caller: Caller, userId: string): Promise<void> =>
      end(caller, userId, async (transaction) => {
        await records.endSessions(transaction, userId);
        transaction.audit('session.all_ended', { kind: 'user', id: userId });
      }),
  };
}

export type UserSessions = ReturnType<typeof createUserSessions>;
