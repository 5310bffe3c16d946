// Finds the session of a cookie, records its use, and checks it with the provider when that is due.
import { actForSession, readForSession } from '../access/index.ts';
import type { SessionDeps } from './deps.ts';
import { confirmSession, refreshSession } from './refresh.ts';
import { hashOf, isExpired, openSession, type Session } from './session.ts';
import { findSession, markUsed } from './sessions.store.ts';

/** How precisely the last use is recorded, to save writes. At most a tenth of the idle timeout. */
const USED_MS = 60_000;

async function load(deps: SessionDeps, cookie: string): Promise<Session | undefined> {
  const { db, cookies, cache } = deps;
  const id = cookies.open(cookie, 'session');
  if (id === undefined) return undefined;
  return cache.load(cookie, async () => {
    const idHash = hashOf(id);
    const row = await readForSession(db, idHash, (reader) => findSession(reader, idHash));
    const session = row && openSession(deps, row);
    return session && !isExpired(deps, session) ? session : undefined;
  });
}

/** Runs in the background. Only the idle timeout depends on it. */
function recordUse({ db, clock, rules, log }: SessionDeps, session: Session): void {
  const now = clock.now();
  if (now - session.usedAt < Math.min(USED_MS, rules.idleMs / 10)) return;
  session.usedAt = now;
  const { idHash } = session;
  db.write(async (tx) => {
    await actForSession(db, tx, idHash);
    await markUsed(tx, idHash, now);
  }).catch((error: unknown) => log.warn({ err: error }, 'the use of a session could not be recorded'));
}

/** One call to the provider at a time for each session in this process. Between processes the database ensures that. */
function askOnce(
  { pendingChecks }: SessionDeps,
  { idHash }: Session,
  ask: () => Promise<Session | undefined>,
): Promise<Session | undefined> {
  const running = pendingChecks.get(idHash);
  if (running) return running;
  const started = ask().finally(() => pendingChecks.delete(idHash));
  pendingChecks.set(idHash, started);
  return started;
}

async function use(deps: SessionDeps, session: Session): Promise<Session | undefined> {
  recordUse(deps, session);
  const { refreshAt } = session;
  if (refreshAt !== null && deps.clock.now() >= refreshAt) return askOnce(deps, session, () => refreshSession(deps, session));
  return deps.checks.isDue(session) ? askOnce(deps, session, () => confirmSession(deps, session)) : session;
}

/** The session of a raw cookie; undefined if there is none. */
export async function findByCookie(deps: SessionDeps, cookie: string): Promise<Session | undefined> {
  const cached = deps.cache.get(cookie);
  // A session that is unused here may be in use at another replica, so it is read again.
  const session = cached && !isExpired(deps, cached) ? cached : await load(deps, cookie);
  return session && use(deps, session);
}
