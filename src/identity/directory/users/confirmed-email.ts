// Whether a user has proved to read the mails to their main e-mail address.
import type { Clock } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, Reader, Tx, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { nameKey } from './name-key.ts';
import { recipientOf } from './recipient.ts';
import { findUser, mayBeFromProvider, updateUser, usersByEmail } from './users.store.ts';

const mainEmailOf = (user: Pick<UserRow, 'name' | 'profile'>): string | undefined => recipientOf(user).address;

/** The stored address is compared, so that another address is not confirmed, whoever changed it. */
export const isEmailConfirmed = (user: Pick<UserRow, 'name' | 'profile' | 'confirmed_email'>): boolean =>
  user.confirmed_email !== null && user.confirmed_email === mainEmailOf(user);

/** Whether it is the main address of the user, ignoring case. */
export function isMainEmail(user: Pick<UserRow, 'name' | 'profile'>, address: string): boolean {
  const main = mainEmailOf(user);
  return main !== undefined && nameKey(main) === nameKey(address);
}

/** Users whose main address this is, whether they have proved it or not: of one domain, or of all. */
export const usersByMainEmail = async (reader: Reader, domainId: string | undefined, address: string): Promise<UserRow[]> =>
  (await usersByEmail(reader, domainId, nameKey(address))).filter((user) => isMainEmail(user, address));

/** Those of them who have confirmed it. */
export const usersWithConfirmedEmail = async (reader: Reader, domainId: string, address: string): Promise<UserRow[]> =>
  (await usersByMainEmail(reader, domainId, address)).filter(isEmailConfirmed);

/**
 * Those of them whose address it is by all that is known. Not somebody who may have come through a provider and has not confirmed it: the
 * provider may have given them the address of somebody else. An administrator or a provisioning client knows whose it is.
 */
export async function ownersOfEmail(reader: Reader, domainId: string, address: string): Promise<UserRow[]> {
  const owners: UserRow[] = [];
  for (const user of await usersByMainEmail(reader, domainId, address)) {
    const isKnown = isEmailConfirmed(user) || user.external_id !== null;
    if (isKnown || !(await mayBeFromProvider(reader, user.id))) owners.push(user);
  }
  return owners;
}

/**
 * For whoever makes an account with a proved address, if there is none: of two at the same time, the second waits, and sees the account of
 * the first.
 */
export const lockEmail = (db: Pick<Database, 'dialect'>, tx: Tx, domainId: string, address: string): Promise<void> =>
  takeAdvisoryLock(db, tx, `account ${domainId} ${nameKey(address)}`);

/** Call it in the transaction in which the user proves it, with the address of the proof. Fails if that is not their main address. */
export async function confirmEmail(transaction: Change, clock: Clock, userId: string, address: string): Promise<void> {
  const { tx, audit, invalidate } = transaction;
  const user = (await findUser(tx, userId)) ?? fail('user.not_found', { id: userId });
  if (!isMainEmail(user, address)) fail('user.email_changed');
  if (isEmailConfirmed(user)) return;
  await updateUser(tx, userId, { confirmed_email: mainEmailOf(user)!, updated_at: clock.now() });
  invalidate(tagOf.user(userId));
  audit('user.email_confirmed', { kind: 'user', id: userId });
}
