// Idempotency-Key: a repeated request creates nothing twice. The id of the created resource is stored in the same transaction
// that creates it.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { type Caller, readAs } from '../access/index.ts';
import type { Database, Reader, Tx, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';

const HEADER = 'idempotency-key';
export const IDEMPOTENCY_MS = 24 * 3600 * 1000;

/** The Idempotency-Key of one request. */
export interface IdempotentRequest {
  /** The id of what an earlier request with this key created. */
  earlierResult(): Promise<string | undefined>;
  /** The same, within the change that creates the resource. Stores `resourceId` if there was no earlier request. */
  claim(transaction: WalletChange, resourceId: string): Promise<string | undefined>;
}

/** For requests without an Idempotency-Key. */
export const notIdempotent: IdempotentRequest = { earlierResult: async () => undefined, claim: async () => undefined };

/** JSON with sorted keys: the order of members does not make it another request. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

export function createIdempotency(db: Database, clock: Clock) {
  return {
    of(caller: Caller, route: string, headers: IncomingHttpHeaders, body: unknown): IdempotentRequest {
      const key = headers[HEADER];
      if (key === undefined) return notIdempotent;
      if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key))
        fail('invalid-request', { why: 'Idempotency-Key must be 1 to 200 printable characters' });
      // Only the hash is stored, because a request can contain a private key.
      const hash = createHash('sha256').update(canonical(body)).digest('base64url');
      const { owner } = caller;

      async function find(reader: Reader): Promise<string | undefined> {
        const row = await reader
          .selectFrom('idempotent_requests')
          .where('owner', '=', owner)
          .where('route', '=', route)
          .where('idempotency_key', '=', key as string)
          .where('created_at', '>', clock.now() - IDEMPOTENCY_MS)
          .select(['request_hash', 'resource_id'])
          .executeTakeFirst();
        if (row && row.request_hash !== hash) fail('idempotency-key-reused');
        return row?.resource_id;
      }

      async function remember(tx: Tx, resourceId: string): Promise<void> {
        const values = { request_hash: hash, resource_id: resourceId, created_at: clock.now() };
        await tx
          .insertInto('idempotent_requests')
          .values({ owner, route, idempotency_key: key as string, ...values })
          .onConflict((conflict) => conflict.columns(['owner', 'route', 'idempotency_key']).doUpdateSet(values))
          .execute();
      }

      return {
        earlierResult: () => readAs(db, owner, find),
        async claim({ tx }, resourceId) {
          const earlier = await find(tx);
          if (earlier === undefined) await remember(tx, resourceId);
          return earlier;
        },
      };
    },

    async sweep(tx: Tx): Promise<number> {
      const { numDeletedRows } = await tx
        .deleteFrom('idempotent_requests')
        .where('created_at', '<=', clock.now() - IDEMPOTENCY_MS)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;
