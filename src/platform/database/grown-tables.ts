// PostgreSQL plans by what it counted last. A table that was counted while it was nearly empty is read as a whole to find one row, and so it goes on until
// it is counted again, a minute later: until then, whoever fills it fast makes each row slower than the one before. So tables that we fill are counted
// whenever they may have doubled.
import { type Kysely, sql } from 'kysely';
import { inBackground } from '../deadline.ts';

const FIRST_ROWS = 500;
/** The transaction that brought the rows has to be over. */
const DELAY_MS = 500;

class GrownTables {
  readonly #count: (table: string) => Promise<unknown>;
  readonly #tables = new Map<string, { rows: number; countedAt: number }>();
  readonly #due = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(count: (table: string) => Promise<unknown>) {
    this.#count = count;
  }

  note(table: string, rows: number): void {
    const known = this.#tables.get(table) ?? { rows: 0, countedAt: FIRST_ROWS / 2 };
    this.#tables.set(table, known);
    known.rows += rows;
    if (known.rows < 2 * known.countedAt) return;
    known.countedAt = known.rows;
    this.#due.add(table);
    this.#timer ??= setTimeout(() => void this.#countDue(), DELAY_MS).unref();
  }

  async #countDue(): Promise<void> {
    const tables = [...this.#due];
    this.#due.clear();
    // Somebody else counts it, or it is not ours: then it stays as it is.
    for (const table of tables) await this.#count(table).catch(() => {});
    this.#timer = this.#due.size > 0 ? setTimeout(() => void this.#countDue(), DELAY_MS).unref() : undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

const tablesOf = new WeakMap<object, GrownTables>();
/** All queries of a database have its adapter, those in transactions, too. */
const keyOf = <S>(db: Kysely<S>): object => db.getExecutor().adapter;

export function watchGrowth<S>(
  db: Kysely<S>,
  write: (work: (tx: Kysely<S>) => Promise<unknown>) => Promise<unknown>,
): Pick<GrownTables, 'stop'> {
  const tables = new GrownTables((table) =>
    inBackground(() => write((tx) => sql`analyze (skip_locked) ${sql.table(table)}`.execute(tx))),
  );
  tablesOf.set(keyOf(db), tables);
  return tables;
}

export const noteGrowth = <S>(db: Kysely<S>, table: string, rows: number): void => tablesOf.get(keyOf(db))?.note(table, rows);
