// Sessions: begun by a login, found by their cookie, refreshed before the provider's word runs out, ended for good.
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { newSecret } from '../../platform/ids.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { actAs, actForSession, EVERYONE, ownerOf, readAs, readForSession } from '../access/index.ts';
import type { Change, Database, SessionRow, Tx } from '../database.ts';
import type { Cookies } from './cookies.ts';
import { type Grant, isTakenBack, isTurnedAway, type Provider } from './provider.ts';
import {
  claimRefresh,
  countSessions,
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  markUsed,
  replaceGrant,
  sweepSessions,
} from './sessions.store.ts';

const LIMIT = 20_000;
/** How exact the time of last use is: each write costs, and reads are many. At most, a tenth of how long a session may lie unused. */
const USED_MS = 60_000;
const REFRESH_EARLY_MS = 60_000;
const REFRESH_AGAIN_MS = 30_000;
/** So old the provider's word may be that a session in use still holds. */
const CHECK_MS = 60_000;
/** A provider that did not answer is not asked by every request. */
const AWAY_MS = 30_000;

export interface SessionRules {
  readonly idleMs: number;
  readonly lifeMs: number;
}

/**
 * What the sealed column holds: who it is, and until when. The plain columns beside it are there to find and to sweep rows by;
 * whoever can write to the table can write what they like there.
 */
interface Kept extends Omit<Grant, 'expiresAt'> {
  readonly authTime: number;
  readonly endsAt: number;
  /** When the access token runs out; what asks about it then learns nothing. */
  readonly accessEndsAt: number | undefined;
}

export interface Session extends Kept {
  readonly idHash: string;
  readonly owner: string;
  usedAt: number;
  readonly refreshAt: number | null;
}

const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url');
const sessionTag = (idHash: string): string => `session:${idHash}`;
/** The session at the provider, found without saying which it is. */
const sidHashOf = (issuer: string, sid: string | undefined): string | null =>
  sid === undefined
    ? null
    : createHash('sha256')
        .update(JSON.stringify([issuer, sid]))
        .digest('base64url');
export const sessionPlace = (idHash: string): string => `wallet session ${idHash}`;

export function createSessions(deps: {
  db: Database;
  clock: Clock;
  seal: Seal;
  cookies: Cookies;
  provider: Provider;
  rules: SessionRules;
  log: Log;
}) {
  const { db, clock, seal, cookies, provider, rules, log } = deps;
  /** By the cookie as it comes: opening it costs more than everything else a request does. */
  const cache = db.cached<Session>({
    name: 'sessions',
    limit: LIMIT,
    tags: ({ idHash }) => [sessionTag(idHash)],
  });
  const usedMs = Math.min(USED_MS, rules.idleMs / 10);
  const refreshing = new Map<string, Promise<Session | undefined>>();
  /** When the provider was last asked whether a session holds. Here: whoever writes to the database could say anything. */
  const checked = new Map<string, number>();
  let awayAt = Number.NEGATIVE_INFINITY;

  const sealed = (idHash: string, grant: Kept): string => seal.seal(Buffer.from(JSON.stringify(grant)), sessionPlace(idHash));

  /** Undefined when the row is not as it was written: then it says nothing about anybody. */
  function sessionOf(row: SessionRow): Session | undefined {
    let kept: Kept;
    try {
      kept = JSON.parse(seal.open(row.sealed, sessionPlace(row.id_hash)).toString()) as Kept;
    } catch (error) {
      log.warn({ err: error }, 'a session cannot be opened; it counts as ended');
      return undefined;
    }
    const owner = ownerOf(kept.issuer, kept.subject);
    if (owner !== row.owner || sidHashOf(kept.issuer, kept.sid) !== row.sid_hash) {
      log.warn('the row of a session names another owner, or session, than its sealed content; it counts as ended');
      return undefined;
    }
    return {
      ...kept,
      idHash: row.id_hash,
      owner,
      // Rows of former versions have it in the column only.
      endsAt: Math.min(kept.endsAt ?? row.ends_at, row.ends_at),
      usedAt: row.used_at,
      refreshAt: row.refresh_at,
    };
  }

  const endOf = ({ expiresAt }: Grant): number | undefined =>
    expiresAt === undefined ? undefined : clock.now() + Math.floor(expiresAt - Date.now());

  function noteCheck(idHash: string, at = clock.now()): void {
    checked.delete(idHash);
    checked.set(idHash, at);
    if (checked.size > LIMIT) checked.delete(checked.keys().next().value!);
  }

  /** Before it runs out; of a short one, half-way. Null when there is nothing to ask with. */
  function refreshTime({ refreshToken, expiresAt }: Grant): number | null {
    if (refreshToken === undefined || expiresAt === undefined) return null;
    const left = expiresAt - Date.now();
    // A whole number: the column is one, and whoever claims the refresh compares it.
    return clock.now() + Math.floor(Math.max(left - REFRESH_EARLY_MS, left / 2, 0));
  }

  const isOver = (session: Session): boolean => clock.now() >= session.endsAt || clock.now() >= session.usedAt + rules.idleMs;

  /** A change of one session; whoever remembers it reads it again. */
  const change = <T>(idHash: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    db.write(async (tx, touch) => {
      await actForSession(db, tx, idHash);
      touch(sessionTag(idHash));
      return work(tx);
    });

  const end = (idHash: string): Promise<void> => change(idHash, (tx) => deleteSession(tx, idHash));

  async function endUnconfirmed({ idHash }: Session): Promise<undefined> {
    log.info('a session ended: the identity provider does not confirm it any more');
    await end(idHash);
  }

  async function load(text: string): Promise<Session | undefined> {
    const id = cookies.open(text, 'session');
    if (id === undefined) return undefined;
    return cache.load(text, async () => {
      const idHash = hashOf(id);
      const row = await readForSession(db, idHash, (reader) => findSession(reader, idHash));
      const session = row && sessionOf(row);
      return session && !isOver(session) ? session : undefined;
    });
  }

  /** Nobody waits for this, and nothing depends on it but that an unused session ends. */
  function noteUse(session: Session): void {
    const now = clock.now();
    if (now - session.usedAt < usedMs) return;
    session.usedAt = now;
    const { idHash } = session;
    db.write(async (tx) => {
      await actForSession(db, tx, idHash);
      await markUsed(tx, idHash, now);
    }).catch((error: unknown) => log.warn({ err: error }, 'session use not noted'));
  }

  async function refresh(session: Session): Promise<Session | undefined> {
    const { idHash, refreshToken } = session;
    const claimed = await change(idHash, (tx) => claimRefresh(tx, idHash, session.refreshAt, clock.now() + REFRESH_AGAIN_MS));
    if (!claimed) return session;
    try {
      const { claims, idToken, subject } = session;
      const grant = await provider.refresh({ claims, idToken, subject, refreshToken: refreshToken! });
      const { expiresAt: _, ...rest } = grant;
      const { issuer, authTime, endsAt, sid } = session;
      const next = { ...rest, issuer, authTime, endsAt, sid, accessEndsAt: endOf(grant) };
      const alive = await change(idHash, (tx) => replaceGrant(tx, idHash, sealed(idHash, next), refreshTime(grant)));
      noteCheck(idHash);
      if (alive) return { ...session, ...next };
      // Logged out meanwhile: what came since is not to be used either.
      if (grant.refreshToken !== undefined) provider.revoke(grant.refreshToken).catch(() => undefined);
      return undefined;
    } catch (error) {
      if (!isTakenBack(error)) {
        log.warn({ err: error }, 'a session could not be refreshed; it will be tried again');
        return session;
      }
      return endUnconfirmed(session);
    }
  }

  /** Password changed, account closed, session ended there: the provider knows before anything runs out. */
  async function check(session: Session): Promise<Session | undefined> {
    const active = await provider.isActive(session.accessToken, session.subject).catch((error: unknown) => {
      if (!isTurnedAway(error)) awayAt = clock.now();
      log.warn({ err: error }, 'the identity provider cannot be asked about sessions; they go on');
      return undefined;
    });
    if (active !== false) {
      noteCheck(session.idHash);
      return session;
    }
    // Asked again soon, should the next step fail for another reason.
    noteCheck(session.idHash, clock.now() - CHECK_MS + AWAY_MS);
    // The access token may have ended alone, or have been replaced a moment ago: what renews it has the last word.
    return session.refreshToken === undefined ? endUnconfirmed(session) : refresh(session);
  }

  /** One question at a time for each session of this process; the database sees to the others. */
  function askOnce(session: Session, ask: (session: Session) => Promise<Session | undefined>): Promise<Session | undefined> {
    const running = refreshing.get(session.idHash);
    if (running) return running;
    const started = ask(session).finally(() => refreshing.delete(session.idHash));
    refreshing.set(session.idHash, started);
    return started;
  }

  function isCheckDue({ idHash, accessToken, accessEndsAt }: Session, now: number): boolean {
    // A clock that was set back makes no check last longer.
    const since = (at: number): number => Math.abs(now - at);
    const isDue = since(checked.get(idHash) ?? Number.NEGATIVE_INFINITY) >= CHECK_MS && since(awayAt) >= AWAY_MS;
    // A token that is known to have run out tells nothing. Of one without an end, or of a former version, the provider knows.
    return isDue && accessToken !== undefined && (accessEndsAt === undefined || now < accessEndsAt);
  }

  async function inUse(session: Session): Promise<Session | undefined> {
    noteUse(session);
    const now = clock.now();
    if (session.refreshAt !== null && now >= session.refreshAt) return askOnce(session, refresh);
    return isCheckDue(session, now) ? askOnce(session, check) : session;
  }

  return {
    /** The session of a cookie as it came; undefined when there is none any more, or never was. */
    async find(text: string): Promise<Session | undefined> {
      const cached = cache.get(text);
      // One that seems unused here may be in use at another replica.
      const session = cached && !isOver(cached) ? cached : await load(text);
      return session && inUse(session);
    },

    async begin(grant: Grant, formerCookie: string | undefined): Promise<{ id: string; session: Session }> {
      const id = newSecret();
      const idHash = hashOf(id);
      const now = clock.now();
      const { expiresAt: _, ...rest } = grant;
      const authTime = typeof grant.claims.auth_time === 'number' ? grant.claims.auth_time * 1000 : now;
      const row: SessionRow = {
        id_hash: idHash,
        owner: ownerOf(grant.issuer, grant.subject),
        sealed: sealed(idHash, { ...rest, authTime, endsAt: now + rules.lifeMs, accessEndsAt: endOf(grant) }),
        created_at: now,
        used_at: now,
        ends_at: now + rules.lifeMs,
        refresh_at: refreshTime(grant),
        sid_hash: sidHashOf(grant.issuer, grant.sid),
      };
      const former = formerCookie === undefined ? undefined : cookies.open(formerCookie, 'session');
      await db.write(async (tx, touch) => {
        if (former !== undefined) {
          await actForSession(db, tx, hashOf(former));
          await deleteSession(tx, hashOf(former));
          touch(sessionTag(hashOf(former)));
        }
        await actForSession(db, tx, idHash);
        await insertSession(tx, row);
      });
      noteCheck(idHash);
      return { id, session: sessionOf(row)! };
    },

    end,

    /** Of everybody: those that have not ended. */
    countActive: (): Promise<number> => readAs(db, EVERYONE, (reader) => countSessions(reader, clock.now())),
    sweep: (tx: Tx): Promise<number> => sweepSessions(tx, clock.now(), clock.now() - rules.idleMs),

    /** Within a change: what the provider says is over. Counts what ended. */
    async endWithin(
      { tx, touch }: Change,
      { issuer, subject, sid }: { issuer: string; subject: string | undefined; sid: string | undefined },
    ): Promise<number> {
      const owner = subject === undefined ? undefined : ownerOf(issuer, subject);
      await actAs(db, tx, owner ?? EVERYONE);
      const gone = await deleteSessionsOf(tx, { owner, sidHash: sidHashOf(issuer, sid) ?? undefined });
      for (const { id_hash: idHash } of gone) touch(sessionTag(idHash));
      return gone.length;
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;
