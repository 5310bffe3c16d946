// For updates without a break: processes of the version before hear of changes by NOTIFY only, and write no rows. While one of them is connected,
// we also send NOTIFY, and answer nothing from memory. To be removed in the version after: then nobody updates from that version any more.
import { type Kysely, sql } from 'kysely';

/** The names of their connections. Ours have others. */
const NAMES = `'gatehouse', 'gatehouse feed'`;
export const EARLIER_SESSIONS = `count(*) filter (where application_name in (${NAMES}))`;

const CHANNEL = 'gatehouse_changes';
/** PostgreSQL refuses a payload of 8000 bytes. */
const PAYLOAD_BYTES = 7900;
/** One that lost its connections comes back in less. Also so long after our own start, when one may be just about to come back. */
const GONE_MS = 15_000;

export class EarlierVersion {
  readonly #onChange: (isThere: boolean) => void;
  readonly #startedAt = performance.now();
  #seenAt = Number.NEGATIVE_INFINITY;
  #wasThere = false;

  constructor(onChange: (isThere: boolean) => void) {
    this.#onChange = onChange;
  }

  /** After each look at the connections of the database. Returns whether changes may come that are in no row. */
  look(count: number): boolean {
    if (count > 0) this.#seenAt = performance.now();
    const isThere = performance.now() - this.#seenAt < GONE_MS;
    if (isThere !== this.#wasThere) this.#onChange(isThere);
    this.#wasThere = isThere;
    return isThere;
  }

  /** In the transaction of a change. */
  async tell<S>(trx: Kysely<S>, tags: string): Promise<void> {
    if (performance.now() - Math.max(this.#seenAt, this.#startedAt) > GONE_MS) return;
    await sql`select pg_notify(${CHANNEL}, ${Buffer.byteLength(tags) < PAYLOAD_BYTES ? tags : '*'})`.execute(trx);
  }
}
