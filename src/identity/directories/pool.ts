// The connections to a directory: some for searches, which are kept; one for each password that is checked, which is not. Servers are tried in
// order. One that failed lately comes last, and while all of them failed just now nobody waits for them.
import { setTimeout as pause } from 'node:timers/promises';
import { ResultCodeError } from 'ldapts';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults/index.ts';
import { FairQueue } from '../../platform/limits/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { fault } from '../faults.ts';
import { type Bind, type Connection, openConnection, readAuthorities } from './connection.ts';

/** Other servers are tried first for so long after one failed. */
const LAST_FOR_MS = 30_000;
/** After all of them failed, nobody tries again for so long. */
const AWAY_MS = 1000;
/** Those who wait for a connection. */
const LONGEST_LINE = 1000;

/** The directory did not answer: not what it said, but that it said nothing, or nothing that would help anybody. */
export class DirectoryAway extends Error {}

export const away = (domainId: string, cause: unknown): Fault =>
  fault(
    'directory.unavailable',
    { domain: domainId },
    {
      headers: { 'Retry-After': '5' },
      reason: `directory: ${cause instanceof Error ? cause.message.split('\n')[0] : 'no answer'}`,
    },
  );

export function createPool(deps: {
  readonly ldap: LdapSettings;
  readonly domainId: string;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { ldap, domainId, clock, log } = deps;
  const timeoutMs = ldap.connectionTimeout * 1000;
  const patienceMs = (ldap.poolConnectionTimeout ?? ldap.connectionTimeout) * 1000;
  const ca = readAuthorities(ldap);
  const own: Bind | undefined = ldap.user === undefined ? undefined : { dn: ldap.user, password: ldap.password ?? '' };
  const servers = ldap.randomizeUrls ? shuffled(ldap.url) : [...ldap.url];
  const failedAt = new Map<string, number>();
  const searches = new FairQueue({ slots: ldap.poolSize, maxWaiting: LONGEST_LINE, patienceMs });
  const logins = new FairQueue({ slots: ldap.authPoolSize, maxWaiting: LONGEST_LINE, patienceMs });
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  let isClosed = false;

  const sinceFailure = (url: string): number => clock.now() - (failedAt.get(url) ?? Number.NEGATIVE_INFINITY);
  const inOrder = (): string[] =>
    [...servers].sort((a, b) => Number(sinceFailure(a) < LAST_FOR_MS) - Number(sinceFailure(b) < LAST_FOR_MS));

  /** What a server says about the bind is an answer; that it says nothing makes it one to try later. */
  async function openOne(url: string, bind: Bind | undefined): Promise<Connection> {
    try {
      const connection = await openConnection(ldap, url, { bind, ca, timeoutMs, now: clock.now.bind(clock) });
      failedAt.delete(url);
      open.add(connection);
      return connection;
    } catch (error) {
      if (!isAnswer(error)) {
        failedAt.set(url, clock.now());
        log.warn(
          { domain: domainId, server: url, reason: (error as Error).message },
          'a server of the directory does not answer',
        );
      }
      throw error;
    }
  }

  async function openAny(bind: Bind | undefined): Promise<Connection> {
    if (servers.every((url) => Math.abs(sinceFailure(url)) < AWAY_MS)) throw new DirectoryAway('all servers failed just now');
    const until = clock.now() + timeoutMs * servers.length;
    let failure: unknown;
    for (let round = 0; round < ldap.poolRetryMax && !isClosed; round++) {
      if (round > 0) {
        if (clock.now() + ldap.poolRetryDelay * 1000 >= until) break;
        await pause(ldap.poolRetryDelay * 1000);
      }
      for (const url of inOrder()) {
        try {
          return await openOne(url, bind);
        } catch (error) {
          if (isAnswer(error)) throw error;
          failure = error;
        }
      }
    }
    throw new DirectoryAway((failure as Error | undefined)?.message ?? 'closed', { cause: failure });
  }

  function close(connection: Connection): void {
    open.delete(connection);
    connection.client.unbind().catch(() => {});
    connection.destroy();
  }

  function takeIdle(): Connection | undefined {
    for (let one = idle.pop(); one; one = idle.pop()) {
      if (one.client.isBound && clock.now() - one.openedAt < ldap.poolConnectionLifetime * 1000) return one;
      close(one);
    }
    return undefined;
  }

  function giveBack(connection: Connection): void {
    if (ldap.usePool && !isClosed && connection.client.isBound) idle.push(connection);
    else close(connection);
  }

  /** A connection that was kept may have ended unnoticed: then once more, with a new one. */
  async function withKept<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const kept = takeIdle();
    if (!kept) return withNew(own, work, giveBack);
    try {
      const result = await work(kept);
      giveBack(kept);
      return result;
    } catch (error) {
      if (isAnswer(error)) giveBack(kept);
      else close(kept);
      if (isAnswer(error) || error instanceof Fault) throw error;
      return withNew(own, work, giveBack);
    }
  }

  async function withNew<T>(
    bind: Bind | undefined,
    work: (connection: Connection) => Promise<T>,
    afterwards: (connection: Connection) => void,
  ): Promise<T> {
    const connection = await openAny(bind);
    try {
      const result = await work(connection);
      afterwards(connection);
      return result;
    } catch (error) {
      if (isAnswer(error)) afterwards(connection);
      else {
        close(connection);
        if (!(error instanceof Fault)) failedAt.set(connection.url, clock.now());
      }
      throw error;
    }
  }

  const failing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Fault) throw error;
      if (isAnswer(error)) log.error({ domain: domainId, reason: error.message }, 'the directory refuses the service');
      throw away(domainId, error);
    }
  };

  return {
    /** With a connection of the service's own. What the server refuses is what the directory cannot do for us: 503 as well. */
    search: <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
      failing(searches.run({ key: 'searches' }, () => withKept(work))),

    /** Whether the server lets them in. */
    bind: (bind: Bind, place: { readonly key: string; readonly signal?: AbortSignal | undefined }): Promise<boolean> =>
      failing(
        logins.run(place, async () => {
          try {
            return await withNew(bind, async () => true, close);
          } catch (error) {
            if (isRefusal(error)) return false;
            throw error;
          }
        }),
      ),

    close(): void {
      isClosed = true;
      for (const connection of [...open]) close(connection);
      idle.length = 0;
    },
  };
}

export type Pool = ReturnType<typeof createPool>;

function isAnswer(error: unknown): error is ResultCodeError {
  return error instanceof ResultCodeError && !BUSY.has(error.code);
}

/** busy, unavailable, and the code of a connection that the server ends: another server may know better. */
const BUSY = new Set([51, 52]);

/**
 * The codes by which a server says no to a name and its password: wrong (49), no such entry (32), one without a password (48), locked
 * or expired (19, 53, 50). Others are about the connection, as that it wants TLS (8, 13).
 */
const REFUSALS = new Set([19, 32, 34, 48, 49, 50, 53]);

const isRefusal = (error: unknown): boolean => isAnswer(error) && REFUSALS.has(error.code);

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
