// Checks a password, or another secret that people choose. Wherever it is, each guess takes the same steps, and is counted.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { addressKey } from '../../../platform/limits/index.ts';
import type { PasswordRow, Reader } from '../../ground/database/index.ts';
import type { PasswordDeps } from './deps.ts';
import { countFailedLogin, forgetFailedLogins, isLockedOut } from './lock-out.rules.ts';
import { countForms, findPassword, replaceHash } from './passwords.store.ts';
import type { Guesser, LockableAccount, PasswordCheck, PasswordHolder, PasswordOptions, SecretPlace } from './passwords.ts';

const clientOf = ({ address, signal }: Guesser) => ({ key: addressKey(address), signal });

/** In the queue, when it is the request's turn: the lock is checked and a failure counted here, so parallel guesses gain nothing. */
async function checkNow(
  deps: PasswordDeps,
  place: SecretPlace,
  secret: string,
  by: Guesser,
  onChecked: () => void,
): Promise<PasswordCheck> {
  const { pauses, hashing } = deps;
  const { countedAs, isElsewhere, countsWhenAway } = place;
  const isLocked = (account: LockableAccount): Promise<boolean> => isLockedOut(deps, account);
  const turn = await pauses.claim(by, countedAs);
  const fail = async (account?: LockableAccount, locked = false): Promise<void> => {
    await pauses.recordFailure(by, countedAs, turn);
    await countFailedLogin(deps, account, by, { countedAs, isLocked: locked });
  };
  // As for an account here, after which a directory is asked about nobody; otherwise the time would reveal which accounts are in a directory.
  if (isElsewhere) await hashing.queue.run(clientOf(by), () => hashing.verify(secret, hashing.dummyHash));
  const { account, isRight, accept } = await place.compare(secret, isLocked).catch(async (error: unknown) => {
    if (!countsWhenAway) throw error;
    onChecked();
    await fail();
    throw error;
  });
  onChecked();
  // Also asked for unknown users, so that all take the same time. Asked here, because of parallel guesses.
  const locked = await isLocked(account ?? { id: countedAs, domainId: place.domainId, options: {} });
  const found = locked ? 'locked' : isRight ? await accept() : 'wrong';
  if (found === 'good' || found === 'expired') await pauses.recordSuccess(by, countedAs, turn);
  else await fail(account, locked);
  if (found === 'good' && account) await forgetFailedLogins(deps, account.id);
  return found;
}

/** The limits are checked before the queue, too, so that what would be refused anyway does not wait. The queue does not wait for a directory. */
export async function checkSecret(deps: PasswordDeps, place: SecretPlace, secret: string, by: Guesser): Promise<PasswordCheck> {
  const { gate, hashing } = deps;
  const { countedAs, isElsewhere } = place;
  const guess = () =>
    gate.guess(
      by,
      countedAs,
      (onChecked) => checkNow(deps, place, secret, by, onChecked),
      (found) => found === 'good' || found === 'expired',
    );
  if (isElsewhere) return guess();
  gate.check(by, countedAs);
  return hashing.queue.run(clientOf(by), guess);
}

/** A secret whose hash is stored. Comparing takes as long when there is none. */
export const hashedSecret = (
  { hashing }: Pick<PasswordDeps, 'hashing'>,
  countedAs: string,
  expected: () => Promise<string | undefined>,
): SecretPlace => ({
  countedAs,
  async compare(secret) {
    const hash = await expected();
    const matches = await hashing.verify(secret, hash ?? hashing.dummyHash);
    return { account: undefined, isRight: hash !== undefined && matches, accept: async () => 'good' };
  },
});

const isExpired = ({ expires_at: ends }: PasswordRow, options: PasswordOptions, clock: Clock): boolean =>
  !options.ignore_password_expiry && ends !== null && ends <= seconds(clock);

/** The hash of another system, from the day on that the operator set. */
const isOver = (
  { imported_form }: PasswordRow,
  { importedHashesUntil: until }: Pick<PasswordDeps['config'], 'importedHashesUntil'>,
  clock: Clock,
): boolean => imported_form !== null && until !== undefined && clock.now() >= Date.parse(`${until}T00:00:00Z`);

/** What a check of the right password would come to, apart from locks. */
export async function passwordState(
  { clock }: Pick<PasswordDeps, 'clock'>,
  reader: Reader,
  { id, options }: { readonly id: string; readonly options: PasswordOptions },
): Promise<'none' | 'good' | 'expired'> {
  const row = await findPassword(reader, id);
  if (!row) return 'none';
  return isExpired(row, options, clock) ? 'expired' : 'good';
}

/** The password that is stored for a user. */
export function storedPassword(
  deps: PasswordDeps,
  holder: PasswordHolder | undefined,
  countedAs: string,
  domainId = holder?.domainId,
): SecretPlace {
  const { db, change, clock, config, hashing, standIns } = deps;

  async function replaceIfOutdated(password: string, row: Pick<PasswordRow, 'id' | 'hash' | 'imported_form'>): Promise<void> {
    if (!holder || !hashing.isOutdated(row.hash)) return;
    const hash = await hashing.hash(password);
    await change({ userId: holder.id, requestId: null }, async ({ tx, audit }) => {
      const isReplaced = await replaceHash(tx, row.id, row.hash, hash);
      if (isReplaced && row.imported_form !== null && holder.domainId !== undefined)
        await countForms(tx, { domainId: holder.domainId, form: row.imported_form, count: -1 });
      audit('user.password_rehashed', { kind: 'user', id: holder.id });
    });
  }

  return {
    countedAs,
    domainId,
    async compare(password) {
      // Also asked for unknown users, so that all take the same time.
      const row = await findPassword(db.read, holder?.id ?? '');
      const standIn = (await standIns.hashFor(domainId, countedAs)) ?? hashing.dummyHash;
      const matches = await hashing.verify(password, row?.hash ?? standIn);
      const account = row && holder;
      return {
        account,
        isRight: account !== undefined && matches && !isOver(row!, config, clock),
        async accept() {
          if (!account?.active) return 'closed';
          if (isExpired(row!, account.options, clock)) return 'expired';
          await replaceIfOutdated(password, row!);
          return 'good';
        },
      };
    },
  };
}
