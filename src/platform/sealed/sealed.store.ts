// Works on columns with sealed secrets in batches of rows, whatever the table.
import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../database/index.ts';
import { DamagedSeal, keyIdOf, type Seal, UnknownMasterKey } from '../seal/index.ts';

const BATCH = 100;

/** The columns of a row by their names. */
export type SealedRow = Readonly<Record<string, string>>;

export interface SealedColumn {
  readonly table: string;
  /** The primary key. */
  readonly key: string;
  readonly column: string;
  /** Further columns that the context needs. */
  readonly needs?: readonly string[];
  /** The context that the secret is bound to. */
  context(row: SealedRow): string;
}

async function readBatch<S>(db: Kysely<S>, { table, key, column, needs = [] }: SealedColumn, after: string | undefined) {
  const names = sql.join([key, column, ...needs].map((name) => sql.ref(name)));
  const beyond = after === undefined ? sql`` : sql`and ${sql.ref(key)} > ${after}`;
  const { rows } = await sql<SealedRow>`select ${names} from ${sql.table(table)}
    where ${sql.ref(column)} is not null ${beyond} order by ${sql.ref(key)} limit ${BATCH}`.execute(db);
  return { rows, last: rows.length < BATCH ? undefined : rows.at(-1)![key]! };
}

const nameOf = ({ table, key }: SealedColumn, row: SealedRow): string => `${table} ${row[key]}`;

export interface SealedReport {
  /** Secrets that open. */
  readonly count: number;
  /** How many, by the id of the master key that sealed them. */
  readonly byMasterKey: Readonly<Record<string, number>>;
  /** Rows that no key opens: changed, or copied from elsewhere. */
  readonly damaged: readonly string[];
  /** How many are sealed under a master key that was not given. */
  readonly underOtherKeys: number;
}

/** Opens every secret, and forgets it. */
export async function checkSealed<S>(db: Kysely<S>, columns: readonly SealedColumn[], seal: Seal): Promise<SealedReport> {
  let [count, underOtherKeys] = [0, 0];
  const byMasterKey: Record<string, number> = {};
  const damaged: string[] = [];
  for (const one of columns)
    for (let after: string | undefined; ; ) {
      const { rows, last } = await readBatch(db, one, after);
      for (const row of rows) {
        const text = row[one.column]!;
        byMasterKey[keyIdOf(text)] = (byMasterKey[keyIdOf(text)] ?? 0) + 1;
        try {
          seal.open(text, one.context(row)).fill(0);
          count++;
        } catch (error) {
          if (error instanceof UnknownMasterKey) underOtherKeys++;
          else if (error instanceof DamagedSeal) damaged.push(nameOf(one, row));
          else throw error;
        }
      }
      if (last === undefined) break;
      after = last;
    }
  return { count, byMasterKey, damaged, underOtherKeys };
}

export interface ResealResult {
  /** Secrets that were sealed again. */
  readonly count: number;
  /** Rows that no key opens. They stay unchanged. */
  readonly damaged: readonly string[];
}

/**
 * Seals everything again under the current master key, in a short transaction for each batch: requests go on meanwhile. A row that somebody
 * else changes at the same time is not overwritten. It fails if a row is sealed under a key that was not given.
 */
export async function resealColumns<S>(
  db: Pick<Database<S>, 'write'>,
  columns: readonly SealedColumn[],
  seal: Seal & { readonly keyId: string },
  begin: (tx: Tx<S>) => Promise<void> = async () => {},
): Promise<ResealResult> {
  let count = 0;
  const damaged = new Set<string>();

  async function resealRow(tx: Tx<S>, one: SealedColumn, row: SealedRow): Promise<void> {
    const before = row[one.column]!;
    if (keyIdOf(before) === seal.keyId) return;
    let plain: Buffer;
    try {
      plain = seal.open(before, one.context(row));
    } catch (error) {
      if (!(error instanceof DamagedSeal)) throw error;
      damaged.add(nameOf(one, row));
      return;
    }
    const after = seal.seal(plain, one.context(row));
    plain.fill(0);
    const { numAffectedRows } = await sql`update ${sql.table(one.table)} set ${sql.ref(one.column)} = ${after}
      where ${sql.ref(one.key)} = ${row[one.key]} and ${sql.ref(one.column)} = ${before}`.execute(tx);
    // A transaction that failed is repeated, so rows of the failed one may be counted twice. Nobody decides by this number.
    if (numAffectedRows === 1n) count++;
  }

  for (const one of columns)
    for (let after: string | undefined; ; ) {
      const next = await db.write(async (tx) => {
        await begin(tx);
        const { rows, last } = await readBatch(tx, one, after);
        for (const row of rows) await resealRow(tx, one, row);
        return last;
      });
      if (next === undefined) break;
      after = next;
    }
  return { count, damaged: [...damaged] };
}
