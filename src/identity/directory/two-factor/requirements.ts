// What an account asks of its logins now: the combinations of methods that an administrator set, a second factor, a passkey, and a second
// factor that everybody of the domain must have. New logins are checked by this, and so are those from before that are to change a way in
// (access/rules/fresh-login.ts).
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { type AuthMethod, findUserWithDomain, kindOf, METHODS } from '../../access/context/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { Database, Reader, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { parseJson } from '../../ground/resource/index.ts';
import type { DomainSettingsOf } from '../domain-settings/index.ts';
import { isExempt } from '../users/index.ts';
import { hasCodes, isFactorOn } from './two-factor.store.ts';

interface MultiFactorOptions {
  readonly [option: string]: unknown;
  readonly multi_factor_auth_enabled?: boolean;
  readonly multi_factor_auth_rules?: readonly (readonly string[])[];
}

interface Account {
  readonly id: string;
  /** JSON */
  readonly options: string;
}

type Combinations = readonly (readonly string[])[];

/** Whether there is a second factor among them. A wallet is one beside a password; alone it is the first. */
const isWithSecond = (methods: ReadonlySet<AuthMethod>): boolean =>
  methods.has('totp') || methods.has('passkey') || (methods.has('wallet') && (methods.has('password') || methods.has('mapped')));

/** Keystone's multi_factor_auth_rules; empty when any combination will do. Unknown methods are ignored. */
function rulesOf({ options }: Account): Combinations {
  const { multi_factor_auth_enabled: on = true, multi_factor_auth_rules: rules = [] } = parseJson<MultiFactorOptions>(options);
  const served = rules.map((rule) => rule.filter((method) => METHODS.includes(method as AuthMethod)));
  return on ? served.filter((rule) => rule.length > 0) : [];
}

/** The rules that an administrator set, if none of them is kept. */
function missingByRules(account: Account, methods: ReadonlySet<AuthMethod>): Combinations | undefined {
  const rules = rulesOf(account);
  const isKept = rules.length === 0 || rules.some((rule) => rule.every((method) => methods.has(method as AuthMethod)));
  return isKept ? undefined : rules;
}

/** What a login was made with. */
interface UsedMethods {
  readonly methods: ReadonlySet<AuthMethod>;
  /** It stands for a login from before, in which the second factor was shown. */
  readonly isExchange?: boolean;
  /** It was before: what everybody must have by now concerns the logins that follow. */
  readonly isEarlier?: boolean;
}

/** A second factor that the account does not have yet, or one of these combinations. */
type MissingSecond = 'second_factor' | Combinations;
/** What is missing. */
export type Missing = 'passkey' | MissingSecond;

/** As names of methods. */
const namesOf = (missing: Exclude<Missing, 'second_factor'>, methods: ReadonlySet<AuthMethod>): readonly string[] =>
  missing === 'passkey' ? [missing] : [...new Set(missing.flat())].filter((method) => !methods.has(method as AuthMethod));

export function createLoginRequirements({
  db,
  isPasskeyRequired,
  hasUsablePasskey,
  domainSettings,
}: {
  readonly db: Database;
  readonly domainSettings: Pick<DomainSettingsOf, 'ofUser'>;
  isPasskeyRequired(account: { readonly id: string }, reader: Reader): Promise<boolean>;
  hasUsablePasskey(reader: Reader, userId: string): Promise<boolean>;
}) {
  /** Whether the account must have a second factor. Those of programs can be exempt. */
  async function isFactorRequired({ id, options }: Account, reader: Reader): Promise<boolean> {
    if (isExempt(options)) return false;
    return (await domainSettings.ofUser(id, reader)).two_factor.policy === 'required';
  }

  /** Whatever is said of passkeys. */
  async function missingSecond(reader: Reader, account: Account, used: UsedMethods): Promise<MissingSecond | undefined> {
    const { methods, isExchange = false, isEarlier = false } = used;
    const isAlone = !isExchange && !isWithSecond(methods);
    const isRequired = isAlone && !isEarlier && (await isFactorRequired(account, reader));
    if (isRequired && !(await hasCodes(reader, account.id))) return 'second_factor';
    const missing = missingByRules(account, methods);
    if (missing || isExchange) return missing;
    const needsSecond = isRequired || (isAlone && (await isFactorOn(reader, account.id)));
    // A code alone is not enough, whatever the rules say.
    return needsSecond || ![...methods].some((method) => kindOf(method) === 'first') ? [['password', 'totp']] : undefined;
  }

  /** Undefined when nothing is. */
  async function missing(account: Account, used: UsedMethods, reader: Reader = db.read): Promise<Missing | undefined> {
    if (!used.methods.has('passkey') && (await isPasskeyRequired(account, reader))) return 'passkey';
    return missingSecond(reader, account, used);
  }

  /** What the methods so far lack, whatever is said of passkeys: a code, or a second factor that the account does not have yet. */
  async function needsSecond(account: Account, methods: readonly AuthMethod[]): Promise<'code' | 'new_factor' | undefined> {
    const found = await missingSecond(db.read, account, { methods: new Set(methods) });
    return found && (found === 'second_factor' ? 'new_factor' : 'code');
  }

  /** Whether somebody must have a second factor. */
  async function mustHaveFactor(reader: Reader, userId: string): Promise<boolean> {
    const account = await findUserWithDomain(reader, userId);
    return account !== undefined && isFactorRequired(account, reader);
  }

  /** Codes or a passkey: what nobody adds who knows the password only. */
  const hasSecond = async (reader: Reader, userId: string): Promise<boolean> =>
    (await hasCodes(reader, userId)) || hasUsablePasskey(reader, userId);

  return {
    hasFactor: isFactorOn,
    hasSecond,
    missing,
    needsSecond,
    mustHaveFactor,

    /**
     * Runs a change that removes what somebody may sign in with. Nobody removes the last second factor that they must have themselves: their
     * password would then be enough to turn on another. Changes of one person wait for each other, so that each sees what the others left.
     */
    async keepingSecond<T>({ userId: by }: Pick<Actor, 'userId'>, tx: Tx, userId: string, remove: () => Promise<T>): Promise<T> {
      if (by !== userId) return remove();
      await takeAdvisoryLock(db, tx, `second factor of ${userId}`);
      const before = await hasSecond(tx, userId);
      const removed = await remove();
      if (before && !(await hasSecond(tx, userId)) && (await mustHaveFactor(tx, userId))) fail('two_factor.last');
      return removed;
    },

    /** Whether a login at the pages is still enough. `isEarlier`: it goes on with a session from before. */
    async isEnough(userId: string, methods: readonly AuthMethod[], { isEarlier }: { isEarlier: boolean }): Promise<boolean> {
      const account = await findUserWithDomain(db.read, userId);
      return account !== undefined && (await missing(account, { methods: new Set(methods), isEarlier })) === undefined;
    },

    /** For a login from before: what it lacks by now, as names of methods; undefined when it is enough. Somebody who is gone has none that is. */
    async missingMethods(reader: Reader, userId: string, used: readonly AuthMethod[]): Promise<readonly string[] | undefined> {
      const account = await findUserWithDomain(reader, userId);
      if (!account) return ['password'];
      const methods = new Set(used);
      const found = await missing(account, { methods, isEarlier: true }, reader);
      return found === 'second_factor' ? ['totp'] : found && namesOf(found, methods);
    },

    /**
     * The same for somebody who shows these methods now, to change their password: what everybody must have by now is asked for as well, if they have it.
     * Whoever has none yet turns it on at the sign-in that follows.
     */
    async missingNow(reader: Reader, userId: string, used: readonly AuthMethod[]): Promise<readonly string[] | undefined> {
      const account = await findUserWithDomain(reader, userId);
      if (!account) return ['password'];
      const methods = new Set(used);
      const found = await missing(account, { methods }, reader);
      if (found === 'second_factor') return (await hasUsablePasskey(reader, userId)) ? ['passkey'] : undefined;
      return found && namesOf(found, methods);
    },

    /** What a person must show besides a password. */
    async signInNeeds(account: Account): Promise<('second_factor' | 'passkey')[]> {
      const [second, passkey] = await Promise.all([needsSecond(account, ['password']), isPasskeyRequired(account, db.read)]);
      return [...(second ? (['second_factor'] as const) : []), ...(passkey ? (['passkey'] as const) : [])];
    },
  };
}

export type LoginRequirements = ReturnType<typeof createLoginRequirements>;
