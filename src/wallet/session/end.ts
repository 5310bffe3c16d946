// Ends sessions: by the user, by a logout token, or because the provider no longer confirms them.
import { actAs, actForSession, EVERYONE, ownerOf } from '../access/index.ts';
import type { Database, Tx, WalletChange } from '../ground/database.ts';
import type { SessionDeps } from './deps.ts';
import { type Session, sessionTag, sidHashOf } from './session.ts';
import { deleteSession, deleteSessionsOf } from './sessions.store.ts';

/** Changes one session and drops it from caches. */
export const changeSession = <T>(db: Database, idHash: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.write(async (tx, invalidate) => {
    await actForSession(db, tx, idHash);
    invalidate(sessionTag(idHash));
    return work(tx);
  });

export const endSession = (db: Database, idHash: string): Promise<void> =>
  changeSession(db, idHash, (tx) => deleteSession(tx, idHash));

export async function endUnconfirmedSession(
  { db, log }: Pick<SessionDeps, 'db' | 'log'>,
  { idHash }: Session,
): Promise<undefined> {
  log.info('a session ended: the identity provider does not confirm it any more');
  await endSession(db, idHash);
}

/** Ends the sessions the provider names, within a change. Returns how many. */
export async function endByProvider(
  db: Database,
  { tx, invalidate }: WalletChange,
  { issuer, subject, sid }: { issuer: string; subject: string | undefined; sid: string | undefined },
): Promise<number> {
  const owner = subject === undefined ? undefined : ownerOf(issuer, subject);
  await actAs(db, tx, owner ?? EVERYONE);
  const gone = await deleteSessionsOf(tx, { owner, sidHash: sidHashOf(issuer, sid) ?? undefined });
  for (const { id_hash: idHash } of gone) invalidate(sessionTag(idHash));
  return gone.length;
}
