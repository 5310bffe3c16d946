// Opens connections to the servers of a directory, in order; those that failed come last (servers.ts).
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, ResultCodeError } from 'ldapts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { type Bind, type Connection, openConnection, readAuthorities } from './connection.ts';
import { createServers, DirectoryAway } from './servers.ts';

export interface OpeningDeps {
  readonly ldap: LdapSettings;
  readonly domainId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A small search, on a connection bound as the service. Some servers take a bind and then stall. */
  probe(client: Client): Promise<unknown>;
}

export function createOpening(deps: OpeningDeps) {
  const { ldap, domainId, clock, log } = deps;
  const timeoutMs = ldap.connectionTimeout * 1000;
  const ca = readAuthorities(ldap);
  /** As the service binds itself. */
  const own: Bind | undefined = ldap.user === undefined ? undefined : { dn: ldap.user, password: ldap.password ?? '' };
  const urls = ldap.randomizeUrls ? shuffled(ldap.url) : [...ldap.url];
  const servers = createServers({ urls, clock, probe });
  const open = new Set<Connection>();
  const closing = new AbortController();

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
      open.add(connection);
      return connection;
    } catch (error) {
      if (isAnswer(error)) servers.answered(url);
      else {
        servers.failed(url);
        log.warn(
          { domain: domainId, server: url, reason: (error as Error).message },
          'a server of the directory does not answer',
        );
      }
      throw error;
    }
  }

  async function probe(url: string): Promise<void> {
    try {
      const connection = await openOne(url, own);
      try {
        await deps.probe(connection.client);
      } finally {
        close(connection);
      }
    } catch (error) {
      if (!isAnswer(error)) throw error;
    }
  }

  async function openAny(bind: Bind | undefined): Promise<Connection> {
    await servers.ready();
    const until = clock.now() + timeoutMs * urls.length;
    let failure: unknown;
    for (let round = 0; round < ldap.poolRetryMax && !closing.signal.aborted; round++) {
      if (round > 0) {
        if (clock.now() + ldap.poolRetryDelay * 1000 >= until) break;
        await pause(ldap.poolRetryDelay * 1000);
      }
      for (const url of servers.inOrder()) {
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

  return {
    servers,
    own,
    openAny,
    close,
    isClosed: (): boolean => closing.signal.aborted,
    closeAll(): void {
      closing.abort();
      for (const connection of [...open]) close(connection);
    },
  };
}

/** The codes busy and unavailable: another server is tried. */
const BUSY = new Set([51, 52]);

export function isAnswer(error: unknown): error is ResultCodeError {
  return error instanceof ResultCodeError && !BUSY.has(error.code);
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
