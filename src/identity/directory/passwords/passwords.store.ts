// Passwords and their history, and the count of failed logins.
import { sql } from 'kysely';
import { insertRows, preparedRows } from '../../../platform/database/index.ts';
import type { Database, PasswordRow, Reader, Tables, Tx } from '../../ground/database/index.ts';

const newest = preparedRows<Tables, [user: string], PasswordRow>((db, user) =>
  db.selectFrom('passwords').where('user_id', '=', user).orderBy('serial', 'desc').limit(1).selectAll(),
);

export const findPassword = async (db: Reader, userId: string): Promise<PasswordRow | undefined> => (await newest(db, userId))[0];

export const hasPassword = async (db: Reader, userId: string): Promise<boolean> => (await findPassword(db, userId)) !== undefined;

export function readHistory(db: Reader, userId: string, count: number): Promise<PasswordRow[]> {
  return db.selectFrom('passwords').where('user_id', '=', userId).orderBy('serial', 'desc').limit(count).selectAll().execute();
}

export async function insertPassword(tx: Tx, row: PasswordRow): Promise<void> {
  await tx.insertInto('passwords').values(row).execute();
}

/** Of people who have none. */
export const insertPasswords = (tx: Tx, rows: readonly PasswordRow[]): Promise<void> => insertRows(tx, { passwords: rows });

/** The form of the imported hash in force, and where it is counted. */
export function formOfUser(tx: Tx, userId: string): Promise<{ form: string; domainId: string } | undefined> {
  return tx
    .selectFrom('passwords')
    .innerJoin('users', 'users.id', 'passwords.user_id')
    .where('passwords.user_id', '=', userId)
    .where('passwords.serial', '=', (eb) =>
      eb
        .selectFrom('passwords')
        .where('user_id', '=', userId)
        .select((e) => e.fn.max('serial').as('serial')),
    )
    .where('passwords.imported_form', 'is not', null)
    .select(['passwords.imported_form as form', 'users.domain_id as domainId'])
    .$narrowType<{ form: string }>()
    .executeTakeFirst();
}

/** One of which there is none left stays: somebody may be counting it just now. */
export async function countForms(
  tx: Tx,
  { domainId, form, count }: { readonly domainId: string; readonly form: string; readonly count: number },
): Promise<void> {
  const stored = Math.max(0, count);
  await tx
    .insertInto('imported_forms')
    .values({ domain_id: domainId, form, passwords: stored, stored })
    .onConflict((conflict) =>
      conflict.columns(['domain_id', 'form']).doUpdateSet({
        passwords: sql`imported_forms.passwords + ${count}`,
        stored: sql`imported_forms.stored + ${stored}`,
      }),
    )
    .execute();
}

/** More forms than systems have. A source that was made to have many is cut. */
const MOST_FORMS = 500;

export interface CountedForm {
  readonly domain_id: string;
  readonly form: string;
  readonly passwords: number;
  readonly stored: number;
}

/** Those that most have first. */
export const readForms = (db: Reader): Promise<CountedForm[]> =>
  db
    .selectFrom('imported_forms')
    .where('form', '<>', '')
    .orderBy('stored', 'desc')
    .orderBy('domain_id')
    .orderBy('form')
    .limit(MOST_FORMS)
    .selectAll()
    .execute();

/** People whose hash is still that of another system, in one domain or in all. */
export async function countImported(db: Reader, domainId?: string): Promise<number> {
  let query = db.selectFrom('imported_forms').select((eb) => eb.fn.sum<number | string | null>('passwords').as('count'));
  if (domainId !== undefined) query = query.where('domain_id', '=', domainId);
  return Number((await query.executeTakeFirstOrThrow()).count ?? 0);
}

/** A secret of the service that all its processes share: made with the first hash that is stored. */
const STAND_IN_KEY = 'stand_in_key';

export async function ensureStandInKey(tx: Tx, key: string): Promise<void> {
  await tx
    .insertInto('service_facts')
    .values({ name: STAND_IN_KEY, value: key })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export const findStandInKey = async (db: Reader): Promise<string | undefined> =>
  (await db.selectFrom('service_facts').where('name', '=', STAND_IN_KEY).select('value').executeTakeFirst())?.value;

export async function deletePasswords(tx: Tx, userId: string, upToSerial: number): Promise<void> {
  await tx.deleteFrom('passwords').where('user_id', '=', userId).where('serial', '<=', upToSerial).execute();
}

/** False when the user has no password. One that has expired keeps its time. */
export async function expirePassword(tx: Tx, userId: string, now: number): Promise<boolean> {
  const current = await findPassword(tx, userId);
  if (!current) return false;
  if (current.expires_at === null || current.expires_at > now)
    await tx.updateTable('passwords').set({ expires_at: now }).where('id', '=', current.id).execute();
  return true;
}

/** Only if the hash is still the one that was checked. A password changed meanwhile stays. */
export async function replaceHash(tx: Tx, id: string, oldHash: string, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('passwords')
    .set({ hash, imported_form: null })
    .where('id', '=', id)
    .where('hash', '=', oldHash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function findFailures(db: Reader, userId: string): Promise<{ failures: number; last_at: number } | undefined> {
  return db.selectFrom('login_failures').where('user_id', '=', userId).select(['failures', 'last_at']).executeTakeFirst();
}

interface FailureTimes {
  readonly now: number;
  readonly forgetBefore: number;
}

const nextCount = (forgetBefore: number) =>
  sql<number>`case when login_failures.last_at < ${forgetBefore} then 1 else login_failures.failures + 1 end`;

/** One statement, so that parallel failures all count. Restarts at 1 when the last failure is older than the lock-out. */
export async function countFailure(tx: Tx, userId: string, { now, forgetBefore }: FailureTimes): Promise<number> {
  const row = await tx
    .insertInto('login_failures')
    .values({ user_id: userId, failures: 1, last_at: now })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ failures: nextCount(forgetBefore), last_at: now }))
    .returning('failures')
    .executeTakeFirstOrThrow();
  return row.failures;
}

/** Counts a failure unless it reaches the limit. Returns whether it counted. */
export async function countFailureBelow(
  tx: Tx,
  userId: string,
  { now, forgetBefore, limit }: FailureTimes & { readonly limit: number },
): Promise<boolean> {
  if (limit <= 1) return false;
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('login_failures')
    .values({ user_id: userId, failures: 1, last_at: now })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ failures: nextCount(forgetBefore), last_at: now })
        .where(nextCount(forgetBefore), '<', limit),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** After the clock was set back: the lock-out starts now, so that it does not last longer than configured. */
export async function clampFailureTime(tx: Tx, userId: string, now: number): Promise<void> {
  await tx.updateTable('login_failures').set({ last_at: now }).where('user_id', '=', userId).where('last_at', '>', now).execute();
}

export async function forgetFailures(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('login_failures').where('user_id', '=', userId).execute();
}

/** So many failures, the last of them after this time. */
export interface FailuresAtLeast {
  readonly least: number;
  readonly after: number;
}

export interface CountedGuesses {
  readonly failures: number;
  readonly last_at: number;
}

export const usersWithFailures = (
  db: Reader,
  userIds: readonly string[],
  { least, after }: FailuresAtLeast,
): Promise<(CountedGuesses & { readonly user_id: string })[]> =>
  db
    .selectFrom('login_failures')
    .where('user_id', 'in', userIds)
    .where('failures', '>=', least)
    .where('last_at', '>', after)
    .select(['user_id', 'failures', 'last_at'])
    .execute();

export type WrongPasswords = CountedGuesses;

/** A guess allowed after a pause: its time, and the time of the last wrong guess before it. */
export interface GuessTurn {
  readonly at: number;
  readonly before: number;
}

const wrongFor = preparedRows<Tables, [account: string], WrongPasswords>((db, account) =>
  db.selectFrom('wrong_passwords').where('account', '=', account).select(['failures', 'last_at']),
);

export const findWrongPasswords = async (db: Reader, account: string): Promise<WrongPasswords | undefined> =>
  (await wrongFor(db, account))[0];

/** Compare and set, so that only one of several parallel guesses gets the turn. It also succeeds when failures were forgiven meanwhile. */
export async function claimTurn(tx: Tx, account: string, now: number, seen: WrongPasswords): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('wrong_passwords')
    .set({ last_at: now })
    .where('account', '=', account)
    .where('last_at', '=', seen.last_at)
    .where('failures', '<=', seen.failures)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** One statement, so that parallel failures all count. A guess with a turn keeps the time of the turn, which is already in the row. */
export async function countWrongPassword(
  tx: Tx,
  account: string,
  { now, forgetBefore, hadTurn }: { readonly now: number; readonly forgetBefore: number; readonly hadTurn: boolean },
): Promise<void> {
  await tx
    .insertInto('wrong_passwords')
    .values({ account, failures: 1, last_at: now })
    .onConflict((conflict) =>
      conflict.column('account').doUpdateSet({
        failures: sql`case when wrong_passwords.last_at < ${forgetBefore} then 1 else wrong_passwords.failures + 1 end`,
        last_at: hadTurn ? sql`wrong_passwords.last_at` : now,
      }),
    )
    .execute();
}

/** Also gives the turn back, unless there was another guess since. */
export async function forgiveWrongPasswords(tx: Tx, account: string, count: number, turn: GuessTurn | undefined): Promise<void> {
  await tx
    .updateTable('wrong_passwords')
    .set({
      failures: sql`case when failures > ${count} then failures - ${count} else 0 end`,
      ...(turn ? { last_at: sql<number>`case when last_at = ${turn.at} then ${turn.before} else last_at end` } : {}),
    })
    .where('account', '=', account)
    .execute();
}

/** `from`: in milliseconds, as their times. */
export const accountsWithWrongPasswords = (
  db: Reader,
  accounts: readonly string[],
  { least, from }: { readonly least: number; readonly from: number },
): Promise<(WrongPasswords & { readonly account: string })[]> =>
  db
    .selectFrom('wrong_passwords')
    .where('account', 'in', accounts)
    .where('failures', '>=', least)
    .where('last_at', '>=', from)
    .select(['account', 'failures', 'last_at'])
    .execute();

/** The rows stay: somebody who waited may have read one, and is to get their turn. */
export async function forgiveAllWrongPasswords(tx: Tx, accounts: readonly string[]): Promise<void> {
  await tx.updateTable('wrong_passwords').set({ failures: 0 }).where('account', 'in', accounts).execute();
}

const SWEEP_BATCH = 1000;

/** In small batches, so that other writers do not wait long. */
export async function sweepWrongPasswords(db: Database, before: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await db.write((tx) =>
      tx
        .deleteFrom('wrong_passwords')
        .where('account', 'in', (eb) =>
          eb.selectFrom('wrong_passwords').where('last_at', '<', before).select('account').limit(SWEEP_BATCH),
        )
        .executeTakeFirst(),
    );
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}
