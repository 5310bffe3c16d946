// Connections to a directory. Those for searches are pooled; each password check opens one of its own. Servers are tried in order; one that
// failed recently comes last. When all of them failed a moment ago, requests fail at once instead of waiting again.
import { setTimeout as pause } from 'node:timers/promises';
import { ResultCodeError } from 'ldapts';
import type { Clock } from '../../platform/clock.ts';
import { Fault } from '../../platform/faults/index.ts';
import { FairQueue } from '../../platform/limits/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { away } from './away.ts';
import { type Bind, type Connection, openConnection, readAuthorities } from './connection.ts';

/** How long a failed server comes last. */
const LAST_FOR_MS = 30_000;
/** How long nothing is tried after all servers failed. */
const AWAY_MS = 1000;
/** The most requests that wait for a connection. */
const LONGEST_LINE = 1000;

/** No server answered. */
export class DirectoryAway extends Error {}

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
  const closing = new AbortController();

  const sinceFailure = (url: string): number => clock.now() - (failedAt.get(url) ?? Number.NEGATIVE_INFINITY);
  const inOrder = (): string[] =>
    [...servers].sort((a, b) => Number(sinceFailure(a) < LAST_FOR_MS) - Number(sinceFailure(b) < LAST_FOR_MS));

  /** A result code is an answer. Anything else marks the server as failed. */
  async function openOne(url: string, bind: Bind | undefined): Promise<Connection> {
    try {
      const connection = await openConnection(ldap, url, {
        bind,
        ca,
        timeoutMs,
        signal: closing.signal,
        now: clock.now.bind(clock),
      });
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
    for (let round = 0; round < ldap.poolRetryMax && !closing.signal.aborted; round++) {
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
    if (ldap.usePool && !closing.signal.aborted && connection.client.isBound) idle.push(connection);
    else close(connection);
  }

  /** A pooled connection may have been closed by the server: then the work is repeated on a new one. */
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

  const failing = <T>(work: Promise<T>): Promise<T> => orAway(deps, work);

  return {
    /** Runs work on a connection bound as the service. A result code that the work does not handle is a 503. */
    search: <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
      failing(searches.run({ key: 'searches' }, () => withKept(work))),

    /** The same on a connection of its own, for work that takes long: it takes no place from logins. */
    longSearch: <T>(work: (connection: Connection) => Promise<T>): Promise<T> => failing(withNew(own, work, close)),

    /** Whether the server accepts this DN and password. */
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
      closing.abort();
      for (const connection of [...open]) close(connection);
      idle.length = 0;
    },
  };
}

/** Everything but our own faults means that the directory is away. */
async function orAway<T>({ domainId, log }: { readonly domainId: string; readonly log: Log }, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (isAnswer(error)) log.error({ domain: domainId, reason: error.message }, 'the directory refuses the service');
    throw away(domainId, error);
  }
}

export type Pool = ReturnType<typeof createPool>;

function isAnswer(error: unknown): error is ResultCodeError {
  return error instanceof ResultCodeError && !BUSY.has(error.code);
}

/** The codes busy and unavailable: another server is tried. */
const BUSY = new Set([51, 52]);

/**
 * Result codes that refuse a DN and password: wrong (49), no such entry (32), invalid DN (34), no password (48), locked or expired
 * (19, 50, 53). Other codes are about the connection, for example that TLS is required (8, 13).
 */
const REFUSALS = new Set([19, 32, 34, 48, 49, 50, 53]);

const isRefusal = (error: unknown): boolean => isAnswer(error) && REFUSALS.has(error.code);

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
