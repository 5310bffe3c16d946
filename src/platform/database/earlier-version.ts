// For updates without a break: processes of the version before hear of changes by NOTIFY only, and write no rows. While one of them is connected,
// we also send NOTIFY, and answer nothing from memory. To be removed in the version after: then nobody updates from that version any more.
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { withNext } from './with-next.ts';

const CHANNEL = 'gatehouse_changes';
/** PostgreSQL refuses a payload of 8000 bytes. */
const PAYLOAD_BYTES = 7900;
/** One that lost its connections comes back in less. Also so long after our own start, when one may be just about to come back. */
const GONE_MS = 15_000;
/** Looking costs the server something for each connection that it has. */
const LOOK_MS = 1_000;

/**
 * How many of their connections there are. Ours have other names. `name`: the one that the operator chose in the URL, which was theirs then.
 * A pooler may put ` - ` and an address behind a name.
 */
export const earlierSessions = (name: string | undefined): string => {
  const names = ['gatehouse', 'gatehouse feed', ...(name === undefined ? [] : [name])].map((one) => pg.escapeLiteral(one));
  return `(select count(*) from pg_stat_activity where datname = current_database() and split_part(application_name, ' - ', 1) in (${names}))`;
};

export class EarlierVersion {
  readonly #onChange: (isThere: boolean) => void;
  readonly #now: () => number;
  readonly #startedAt: number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seenAt = Number.NEGATIVE_INFINITY;
  #wasThere = false;

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(onChange: (isThere: boolean) => void, now = () => performance.now()) {
    this.#onChange = onChange;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Whether it is time to look at the connections of the database again. */
  mustLook(): boolean {
    return this.#now() - this.#lookedAt >= LOOK_MS;
  }

  /** After an answer of the database, which says how many there are if it was asked. Returns whether changes may come that are in no row. */
  look(count: number | null): boolean {
    const now = this.#now();
    if (count !== null) this.#lookedAt = now;
    if (count) this.#seenAt = now;
    const isThere = now - this.#seenAt < GONE_MS;
    if (isThere !== this.#wasThere) this.#onChange(isThere);
    this.#wasThere = isThere;
    return isThere;
  }

  /** Unless we looked just now, and there has been none for long: who could not look does not know. */
  mustTell(): boolean {
    const now = this.#now();
    return now - this.#lookedAt >= 2 * LOOK_MS || now - Math.max(this.#seenAt, this.#startedAt) < GONE_MS;
  }

  /** In the transaction of a change. */
  async tell<S>(trx: Kysely<S>, tags: string): Promise<void> {
    if (!this.mustTell()) return;
    await sql`${withNext}select pg_notify(${CHANNEL}, ${Buffer.byteLength(tags) < PAYLOAD_BYTES ? tags : '*'})`.execute(trx);
  }
}
