// Who is locked out or has to wait after wrong guesses, as the database has it, and how an administrator ends it.
//
// A person who is locked out is not let in, whatever they show. One whose guesses are paused gets in by the right password, but after a
// number of wrong ones everybody waits between two tries. Limits of one address are counted in the memory of each process and end within a
// minute; they are not shown, and unlocking does not end them.
import type { Clock } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { DEFAULT_DOMAIN } from '../../access/context/index.ts';
import { type Caller, type FreshLogin, listFacts, permit, type RankGuard, visibleDomain } from '../../access/rules/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, parseJson, readFlag, single } from '../../ground/resource/index.ts';
import type { GuessLimit, PasswordOptions, Passwords } from '../passwords/index.ts';
import { answersKey, clearGuesses, codeLockFilter, findCodeLocks } from '../two-factor/index.ts';
import { type Users, unknownUserKey } from '../users/index.ts';

/** Of a list: one page of people in the console. */
const MAX_IDS = 100;

export interface LockCause extends GuessLimit {
  readonly reason: 'wrong_passwords' | 'wrong_codes' | 'wrong_answers';
  readonly state: 'locked_out' | 'paused';
}

export interface AccountLock {
  readonly userId: string;
  readonly state: 'open' | LockCause['state'];
  /** When the state ends by itself, in seconds. */
  readonly until: number | null;
  readonly causes: readonly LockCause[];
}

type Account = Pick<UserRow, 'id' | 'domain_id' | 'name' | 'options'>;

export interface LockDeps extends Pick<Deps, 'db' | 'change'> {
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly users: Pick<Users, 'findAll' | 'findInAllDomains' | 'lock'>;
  readonly refuseIfOutranked: RankGuard;
  readonly freshLogin: Pick<FreshLogin, 'require'>;
}

const optionsOf = (options: string): PasswordOptions => parseJson(options) as PasswordOptions;

/** What a page counts who typed the name without a domain. */
const namedKey = ({ name }: Account): string => unknownUserKey(DEFAULT_DOMAIN, name);

/** Of two pauses, each of which is for some of the ways in. */
function sumOf(one: GuessLimit | undefined, other: GuessLimit | undefined): GuessLimit | undefined {
  if (!one || !other) return one ?? other;
  return { failures: one.failures + other.failures, since: null, until: Math.max(one.until, other.until) };
}

function lockOf(userId: string, causes: readonly LockCause[]): AccountLock {
  const state = causes.some((one) => one.state === 'locked_out') ? 'locked_out' : causes.length > 0 ? 'paused' : 'open';
  const ends = causes.filter((one) => one.state === state).map(({ until }) => until);
  return { userId, state, until: ends.length > 0 ? Math.max(...ends) : null, causes };
}

export function createLocks(deps: LockDeps) {
  const { db, clock, change, passwords, users, refuseIfOutranked, freshLogin } = deps;

  /** Whether a name without a domain means this person: they are not of the default domain, and the only one of that name. */
  async function isMeantByName(reader: Reader, { id, domain_id, name }: Account): Promise<boolean> {
    if (domain_id === DEFAULT_DOMAIN) return false;
    const found = await users.findInAllDomains(name, reader);
    return found.length === 1 && found[0]!.id === id;
  }

  /** The keys under which wrong passwords of this person are counted. */
  const passwordKeys = async (reader: Reader, account: Account): Promise<string[]> => [
    account.id,
    ...((await isMeantByName(reader, account)) ? [namedKey(account)] : []),
  ];

  async function locksOf(reader: Reader, accounts: readonly Account[]): Promise<AccountLock[]> {
    const ids = accounts.map(({ id }) => id);
    const lockable = accounts.map(({ id, domain_id, options }) => ({ id, domainId: domain_id, options: optionsOf(options) }));
    const foreign = accounts.filter(({ domain_id }) => domain_id !== DEFAULT_DOMAIN);
    const byPasswords = await passwords.lockOuts(reader, lockable);
    const byCodes = await findCodeLocks(clock, reader, ids);
    const pauses = await passwords.pauses(reader, [...ids, ...ids.map(answersKey), ...foreign.map(namedKey)]);
    const locks: AccountLock[] = [];
    for (const account of accounts) {
      const { id } = account;
      // Few people have such a count. Only for these it is asked whom the name means.
      const named = pauses.get(namedKey(account));
      const byName = named && (await isMeantByName(reader, account)) ? named : undefined;
      const found: readonly (readonly [LockCause['reason'], LockCause['state'], GuessLimit | undefined])[] = [
        ['wrong_passwords', 'locked_out', byPasswords.get(id)],
        ['wrong_codes', 'locked_out', byCodes.get(id)],
        ['wrong_passwords', 'paused', sumOf(pauses.get(id), byName)],
        ['wrong_answers', 'paused', pauses.get(answersKey(id))],
      ];
      const causes = found.flatMap(([reason, state, limit]) => (limit ? [{ reason, state, ...limit }] : []));
      locks.push(lockOf(id, causes));
    }
    return locks;
  }

  /** Whoever guesses at their own secrets, with a token that is not theirs, must not get more guesses by it. */
  async function protect(reader: Reader, caller: Caller, userId: string): Promise<void> {
    await refuseIfOutranked(reader, caller, 'identity:unlock_user', { userId }, { signIn: true });
    await freshLogin.require(caller, userId, reader);
  }

  return {
    show: async (account: Account): Promise<AccountLock> => (await locksOf(db.read, [account]))[0]!,

    /** Of these users, as far as the caller may know of them. */
    async list(caller: Caller, query: Query): Promise<AccountLock[]> {
      const ids = [...new Set(single(query, 'user_id')?.split(',').filter(Boolean))];
      if (ids.length === 0 || ids.length > MAX_IDS)
        fail('request.bad_value', { field: 'user_id', why: `it must be 1 to ${MAX_IDS} ids, with commas between them` });
      const domainId = visibleDomain(caller);
      const found = (await users.findAll(ids)).filter((user) => domainId === undefined || user.domain_id === domainId);
      return (await locksOf(db.read, found)).sort((one, other) => ids.indexOf(one.userId) - ids.indexOf(other.userId));
    },

    /** `locked=true` of the list of users. Pauses are counted under hashes of ids, by which no list can be filtered. */
    async filterOf(caller: Caller, query: Query) {
      if (!readFlag(query, 'locked')) return undefined;
      permit(caller, 'identity:list_user_locks', listFacts(caller));
      return { passwords: await passwords.lockOutFilter(), codes: codeLockFilter(clock) };
    },

    /** What was counted is gone. Guesses that come afterwards are counted from the first one. */
    async unlock(caller: Caller, { id }: Account): Promise<void> {
      await protect(db.read, caller, id);
      await change(caller, async (transaction) => {
        const { tx, audit } = transaction;
        const account = (await users.lock(tx, id)) ?? fail('user.not_found', { id });
        await protect(tx, caller, id);
        const [{ state, causes }] = (await locksOf(tx, [account])) as [AccountLock];
        await passwords.unlock(transaction, id);
        await passwords.forgive(transaction, [...(await passwordKeys(tx, account)), answersKey(id)]);
        await clearGuesses(tx, id);
        audit('user.unlocked', { kind: 'user', id }, { state, reasons: [...new Set(causes.map(({ reason }) => reason))] });
      });
    },
  };
}

export type Locks = ReturnType<typeof createLocks>;
