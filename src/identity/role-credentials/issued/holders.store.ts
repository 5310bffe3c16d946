// What one person has.
import type { Reader, Tx } from '../../ground/database/index.ts';
import type { Revocable } from './issued-credentials.store.ts';

/** More than anybody has. */
const MOST_AT_ONCE = 1_000_000;

/** The lock of whoever issues to a user, or takes something from them by their word. */
export const issuingLock = (userId: string): string => `issuing to ${userId}`;

/** By whose word a wallet loses what it has, and what it would get. */
export const WITHDRAWING = ['holder', 'administrator'] as const;

/**
 * Whether somebody took from a wallet what it got by this authorization. The person speaks for all that is in it. Whoever manages an application does
 * not for others.
 */
export async function isWithdrawn(
  tx: Tx,
  { userId, authorizationId, applicationId }: Readonly<Record<'userId' | 'authorizationId' | 'applicationId', string>>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('issued_credentials')
    .where('user_id', '=', userId)
    .where('authorization_id', '=', authorizationId)
    .where('state', '<>', 'valid')
    .where('reason', 'in', WITHDRAWING)
    .where((eb) => eb.or([eb('reason', '=', 'holder'), eb('application_id', '=', applicationId)]))
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many credentials of a user have not expired; also those that were revoked. */
export async function countUnexpired(tx: Tx, userId: string, now: number): Promise<number> {
  const { count } = await tx
    .selectFrom('issued_credentials')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Those of a user that can be used, but for the latest. */
export const oldestOf = (tx: Tx, userId: string, kept: number, now: number): Promise<Revocable[]> =>
  tx
    .selectFrom('issued_credentials')
    .where('user_id', '=', userId)
    .where('state', '<>', 'revoked')
    .where('expires_at', '>', now)
    .orderBy('issued_at', 'desc')
    .orderBy('id')
    .select(['id', 'list_id', 'user_id', 'application_id', 'type_id'])
    // SQLite has no offset without a limit.
    .limit(MOST_AT_ONCE)
    .offset(kept)
    .execute();

/** What received the credentials of a user that are valid. */
export async function receiversOf(db: Reader, userId: string, now: number): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('issued_credentials')
    .where('user_id', '=', userId)
    .where('state', '=', 'valid')
    .where('expires_at', '>', now)
    .select('client_id')
    .distinct()
    .execute();
  return rows.map(({ client_id }) => client_id);
}
