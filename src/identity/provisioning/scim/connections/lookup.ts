// The connection of a request: when it is verified, and again when its answer is recorded.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { tagOf } from '../../../access/context/index.ts';
import type { Deps } from '../../../ground/resource/index.ts';
import { type ConnectionWithDomain, findConnection } from './connections.store.ts';

/** Identifies our tokens, also for secret scanners. */
export const PREFIX = 'ghs_';

/** Strangers may send unknown tokens to addresses that do not exist, and are answered before the token is looked for. */
const MAX_READS = 10;
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** The token of a connection in the headers of a request. */
function tokenIn({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  const token = BEARER.exec(authorization)?.[1];
  return token?.startsWith(PREFIX) ? token : undefined;
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
export const tagOfConnection = (id: string): string => `scim_connection:${id}`;

export function createConnectionLookup({ db, log }: Pick<Deps, 'db' | 'log'>) {
  /** Keyed by the token: hashing it costs as much as the rest of the check. */
  const cache = db.cached<ConnectionWithDomain>({
    name: 'scim_connections',
    limit: 1000,
    tags: (connection) => [tagOfConnection(connection.id), tagOf.project(connection.domain_id), tagOf.everything],
  });
  const load = (token: string) => cache.getOrLoad(token, () => findConnection(db.read, hashOf(token)));
  /** By the headers of the request. At its answer the cache may not have it: dropped by a change, or off while changes may be missed. */
  const verified = new WeakMap<IncomingHttpHeaders, ConnectionWithDomain>();
  const reads = new Set<Promise<void>>();

  async function read(token: string, use: (found: ConnectionWithDomain) => void): Promise<void> {
    try {
      const found = await load(token);
      if (found) use(found);
    } catch (err) {
      log.warn({ err }, 'could not read the connection of a request');
    }
  }

  return {
    /** Of a request that is verified by this token. */
    async of(token: string, headers: IncomingHttpHeaders): Promise<ConnectionWithDomain | undefined> {
      const connection = await load(token);
      if (connection) verified.set(headers, connection);
      return connection;
    },

    /** At once if the connection was verified; else it is read, if that is wanted and not too many are read already. */
    withConnection(headers: IncomingHttpHeaders, mayRead: boolean, use: (found: ConnectionWithDomain) => void): void {
      const token = tokenIn(headers);
      if (token === undefined) return;
      const known = verified.get(headers) ?? cache.get(token);
      if (known) use(known);
      else if (mayRead && reads.size < MAX_READS) {
        const reading = read(token, use).finally(() => reads.delete(reading));
        reads.add(reading);
      }
    },

    /** After those that are being read now were used. */
    settled: (): Promise<unknown> => Promise.all(reads),
  };
}
