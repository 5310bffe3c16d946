// Connections to a directory. Those for searches are pooled; each password check opens one of its own.
import { notCounted } from '../../../platform/deadline.ts';
import { Fault } from '../../../platform/faults/index.ts';
import { FairQueue } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { away } from './away.ts';
import type { Bind, Connection } from './connection.ts';
import { createOpening, isAnswer, type OpeningDeps } from './opening.ts';

/** The most requests that wait for a connection. */
const LONGEST_LINE = 1000;

export function createPool(deps: OpeningDeps) {
  const { ldap, clock } = deps;
  const patienceMs = (ldap.poolConnectionTimeout ?? ldap.connectionTimeout) * 1000;
  const { servers, own, openAny, close, closeAll, isClosed } = createOpening(deps);
  const searches = new FairQueue({ slots: ldap.poolSize, maxWaiting: LONGEST_LINE, patienceMs });
  const logins = new FairQueue({ slots: ldap.authPoolSize, maxWaiting: LONGEST_LINE, patienceMs });
  const idle: Connection[] = [];

  function takeIdle(): Connection | undefined {
    for (let one = idle.pop(); one; one = idle.pop()) {
      const isFresh = clock.now() - one.openedAt < ldap.poolConnectionLifetime * 1000;
      if (one.client.isBound && isFresh && !servers.hasFailed(one.url)) return one;
      close(one);
    }
    return undefined;
  }

  function giveBack(connection: Connection): void {
    if (ldap.usePool && !isClosed() && connection.client.isBound) idle.push(connection);
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
      if (isTimeout(error)) servers.failed(kept.url);
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
      servers.answered(connection.url);
      afterwards(connection);
      return result;
    } catch (error) {
      if (isAnswer(error)) afterwards(connection);
      else {
        close(connection);
        if (!(error instanceof Fault)) servers.failed(connection.url);
      }
      throw error;
    }
  }

  /** The directory has time limits of its own. */
  const failing = <T>(work: () => Promise<T>): Promise<T> => notCounted(() => orAway(deps, work()));

  return {
    /** Runs work on a connection bound as the service. A result code that the work does not handle is a 503. */
    search: <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
      failing(() => searches.run({ key: 'searches' }, () => withKept(work))),

    /** The same on a connection of its own, for work that takes long: it takes no place from logins. */
    longSearch: <T>(work: (connection: Connection) => Promise<T>): Promise<T> => failing(() => withNew(own, work, close)),

    /** Whether the server accepts this DN and password. */
    bind: (bind: Bind, place: { readonly key: string; readonly signal?: AbortSignal | undefined }): Promise<boolean> =>
      failing(() =>
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
      closeAll();
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

/** The words of the library, when a question is not answered in time. */
const isTimeout = (error: unknown): boolean => error instanceof Error && error.message.endsWith('timed out');

/**
 * Result codes that refuse a DN and password: wrong (49), no such entry (32), invalid DN (34), no password (48), locked or expired
 * (19, 50, 53). Other codes are about the connection, for example that TLS is required (8, 13).
 */
const REFUSALS = new Set([19, 32, 34, 48, 49, 50, 53]);

const isRefusal = (error: unknown): boolean => isAnswer(error) && REFUSALS.has(error.code);
