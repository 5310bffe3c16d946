// Words of users in the database: kept with every change, and searched.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { beginsWith, lockRow } from '../../../platform/database/index.ts';
import type { Database, Reader, Tx, UserRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { wordsOf } from './words.ts';

type NamedUser = Pick<UserRow, 'id' | 'domain_id' | 'name' | 'profile' | 'version'>;

/** Writes only what differs. */
async function writeWords(tx: Tx, { id, domain_id, name, profile }: NamedUser, stored: readonly string[]): Promise<void> {
  const words = wordsOf(name, parseJson(profile));
  const gone = stored.filter((word) => !words.includes(word));
  const added = words.filter((word) => !stored.includes(word));
  if (gone.length > 0) await tx.deleteFrom('user_words').where('user_id', '=', id).where('word', 'in', gone).execute();
  if (added.length > 0)
    await tx
      .insertInto('user_words')
      .values(added.map((word) => ({ user_id: id, domain_id, word })))
      .execute();
}

/** Of a user to be stored. */
export const wordRowsOf = ({ id, domain_id, name, profile }: NamedUser) =>
  wordsOf(name, parseJson(profile)).map((word) => ({ user_id: id, domain_id, word }));

/** After a change of the name or the profile, in its transaction. Returns the user as it is now. */
export async function refreshWords(tx: Tx, id: string): Promise<NamedUser | undefined> {
  const user = await tx
    .selectFrom('users')
    .where('id', '=', id)
    .select(['id', 'domain_id', 'name', 'profile', 'version'])
    .executeTakeFirst();
  if (!user) return undefined;
  const stored = await tx.selectFrom('user_words').where('user_id', '=', id).select('word').execute();
  await writeWords(
    tx,
    user,
    stored.map(({ word }) => word),
  );
  await tx.updateTable('users').set({ words_version: user.version }).where('id', '=', id).execute();
  return user;
}

/**
 * Stores the words of some users that have none, or others than those of their last change: they are of before, or an older version of
 * the service changed them. Returns how many these were. An index holds exactly these users.
 */
export async function fillMissingWords(db: Database, limit: number): Promise<number> {
  const ids = await db.read
    .selectFrom('users')
    .where(sql<SqlBool>`words_version <> version`)
    .orderBy('id')
    .limit(limit)
    .select('id')
    .execute();
  if (ids.length > 0)
    await db.write(async (tx) => {
      for (const { id } of ids) {
        // Locked: the words are those of the name that stays.
        await lockRow(db, tx, 'users', id);
        await refreshWords(tx, id);
      }
    });
  return ids.length;
}

const word = sql.ref('user_words.word');

/** Words are counted up to these numbers, one after the other, until one word has fewer: as little as is needed to tell them apart. */
const COUNTED = [1000, 30_000, 200_000];

/** A word leads without more counting when so many of the first that it finds have the other words, too. */
const DENSE = COUNTED[0]! / 50;

/** Counts those, up to as many as are needed. All words were found to be broad. */
async function isDense(db: Reader, [first = '', ...others]: readonly string[]): Promise<boolean> {
  const tried = sql`select user_id from user_words where ${beginsWith(word, first)} order by word, user_id limit ${COUNTED[0]}`;
  const has = others.map((prefix) => sql`(${leastWord(sql.ref('tried.user_id'), prefix)}) is not null`);
  const found = sql`select 1 from (${tried}) as tried where ${sql.join(has, sql` and `)} limit ${DENSE}`;
  const { rows } = await sql<{ found: unknown }>`select count(*) as found from (${found}) as found`.execute(db);
  return Number(rows[0]!.found) >= DENSE;
}

/**
 * The word that finds the fewest leads the search: of all it finds, the others are looked for. Broad words that people have together
 * need not be told apart: a page is full soon, and counting them would read all that begin so. All pages of a search come to
 * the same word.
 */
export async function rarestFirst(db: Reader, words: readonly string[]): Promise<string[]> {
  if (words.length < 2) return [...words];
  let counts: readonly number[] = words.map(() => 0);
  for (const most of COUNTED) {
    const columns = words.map((prefix, at) => {
      const found = sql`select 1 from user_words where ${beginsWith(word, prefix)} limit ${most}`;
      return sql`(select count(*) from (${found}) as found) as ${sql.ref(`word${at}`)}`;
    });
    const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(db);
    counts = words.map((_, at) => Number(rows[0]![`word${at}`]));
    if (counts.some((count) => count < most)) break;
    if (most === COUNTED[0])
      for (const first of words) {
        const ordered = [first, ...words.filter((other) => other !== first)];
        if (await isDense(db, ordered)) return ordered;
      }
  }
  const countOf = (prefix: string): number => counts[words.indexOf(prefix)]!;
  return words.toSorted((one, other) => countOf(one) - countOf(other));
}

const leastWord = (userId: RawBuilder<unknown>, prefix: string) =>
  sql`select min(other.word) from user_words as other where other.user_id = ${userId} and ${beginsWith(sql.ref('other.word'), prefix)}`;

/** Whether the user of the row has a word that begins so. As a value, so that it is asked for each row that was found, not for all. */
const hasWord = (prefix: string) => sql<SqlBool>`(${leastWord(sql.ref('user_words.user_id'), prefix)}) is not null`;

/**
 * Users with words that begin like each of these. The first word leads, in the order of an index: (word, user) or, with a condition
 * for `user_words.domain_id`, (domain, word, user). Of several words of one user that begin so, the first counts. That is written with `<=` because PostgreSQL
 * expects one row in three from it. From `=` it expects next to none, and would read and sort all that begin so.
 */
export function usersWithWords(db: Reader, [first = '', ...others]: readonly string[]) {
  const found = db
    .selectFrom('user_words')
    .innerJoin('users', 'users.id', 'user_words.user_id')
    .where(beginsWith(word, first))
    .where(sql<SqlBool>`${word} <= (${leastWord(sql.ref('user_words.user_id'), first)})`);
  return others.reduce((narrowed, prefix) => narrowed.where(hasWord(prefix)), found);
}
