// What a request for tokens writes, of several requests at once: what it uses up, the records that it gets for that, and the use of its session. Nothing
// is stored for what was used up before, so that a code or a refresh token that is sent twice is worth one set of tokens.
import { CompiledQuery } from 'kysely';
import { insertRows } from '../../../platform/database/index.ts';
import type { Database, OpenidRecordRow, Tx } from '../../ground/database/index.ts';
import { consumeRecords } from './records.store.ts';
import { touchSession, USE_STEP } from './sessions.store.ts';

export interface IssuedRows {
  /** The hash of what it uses up. None for a request that has nothing but the secret of its application. */
  readonly uses: string | undefined;
  readonly rows: readonly OpenidRecordRow[];
  /** The hash of the session in which it goes on. */
  readonly session: string | undefined;
}

/** The columns of a record, as PostgreSQL reads them. */
const COLUMNS = {
  id: 'text',
  model: 'text',
  payload: 'text',
  user_id: 'text',
  consumer_id: 'text',
  grant_id: 'text',
  uid: 'text',
  user_code: 'text',
  consumed_at: 'bigint',
  created_at: 'bigint',
  expires_at: 'bigint',
  generation: 'bigint',
} satisfies Record<keyof OpenidRecordRow, string>;
const NAMES = Object.keys(COLUMNS).join(', ');
const TYPED = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);

/** One statement: its text does not depend on how many requests share it. Rows are locked in one order, so that two of them do not wait for each other in a circle. */
const TEXT = `
with used as (
  update openid_records set consumed_at = $1 where id = any($2::text[]) and consumed_at is null returning id
), touched as (
  update openid_sessions set last_used_at = $1 where id = any($3::text[]) and last_used_at < $1 - ${USE_STEP}
), made as (
  insert into openid_records (${NAMES})
  select ${NAMES} from json_to_recordset($4) as one(${[...TYPED, 'for_what text'].join(', ')})
  where for_what is null or for_what in (select id from used)
)
select id from used`;

async function issueTogether(tx: Tx, issued: readonly IssuedRows[], now: number): Promise<string[]> {
  const sorted = (ids: readonly (string | undefined)[]): string[] => [...new Set(ids.filter((id) => id !== undefined))].sort();
  const rows = issued.flatMap(({ uses, rows: some }) => some.map((row) => ({ ...row, for_what: uses })));
  const found = await tx.executeQuery<{ id: string }>(
    CompiledQuery.raw(TEXT, [
      now,
      sorted(issued.map(({ uses }) => uses)),
      sorted(issued.map(({ session }) => session)),
      JSON.stringify(rows),
    ]),
  );
  return found.rows.map(({ id }) => id);
}

async function issueEach(db: Pick<Database, 'dialect'>, tx: Tx, issued: readonly IssuedRows[], now: number): Promise<string[]> {
  const used: string[] = [];
  for (const { uses, rows, session } of issued) {
    const found = uses === undefined ? [] : await consumeRecords(db, tx, [uses], now);
    if (uses !== undefined && found.length === 0) continue;
    used.push(...found);
    await insertRows(tx, { openid_records: rows });
    if (session !== undefined) await touchSession(tx, session, now);
  }
  return used;
}

/** Each uses something else. Returns what was used up by this. */
export const issueRows = (
  db: Pick<Database, 'dialect'>,
  tx: Tx,
  issued: readonly IssuedRows[],
  now: number,
): Promise<string[]> => (db.dialect === 'postgres' ? issueTogether(tx, issued, now) : issueEach(db, tx, issued, now));
