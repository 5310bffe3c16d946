// What an account asks of its logins now: the combinations of methods that an administrator set, a second factor, a passkey. New logins are
// checked by this, and so are those from before that are to change a way in (access/rules/fresh-login.ts).
import { type AuthMethod, findUserWithDomain, kindOf, METHODS } from '../../access/context/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { isFactorOn } from './two-factor.store.ts';

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
const hasSecond = (methods: ReadonlySet<AuthMethod>): boolean =>
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
}

/** What is missing: a passkey, or one of these combinations. */
export type Missing = 'passkey' | Combinations;

export function createLoginRequirements({
  db,
  isPasskeyRequired,
}: {
  readonly db: Database;
  isPasskeyRequired(account: { readonly id: string }, reader: Reader): Promise<boolean>;
}) {
  /** Whatever is said of passkeys. */
  async function missingCombinations(reader: Reader, account: Account, used: UsedMethods): Promise<Combinations | undefined> {
    const { methods, isExchange = false } = used;
    const missing = missingByRules(account, methods);
    if (missing || isExchange) return missing;
    const needsSecond = !hasSecond(methods) && (await isFactorOn(reader, account.id));
    // A code alone is not enough, whatever the rules say.
    return needsSecond || ![...methods].some((method) => kindOf(method) === 'first') ? [['password', 'totp']] : undefined;
  }

  /** Undefined when nothing is. */
  async function missing(account: Account, used: UsedMethods, reader: Reader = db.read): Promise<Missing | undefined> {
    if (!used.methods.has('passkey') && (await isPasskeyRequired(account, reader))) return 'passkey';
    return missingCombinations(reader, account, used);
  }

  const needsCode = async (account: Account, methods: readonly AuthMethod[]): Promise<boolean> =>
    (await missingCombinations(db.read, account, { methods: new Set(methods) })) !== undefined;

  return {
    hasFactor: isFactorOn,
    missing,
    /** Whether the methods so far are not enough, whatever is said of passkeys. */
    needsCode,

    /** For a login from before: what it lacks by now, as names of methods; undefined when it is enough. Somebody who is gone has none that is. */
    async missingMethods(reader: Reader, userId: string, used: readonly AuthMethod[]): Promise<readonly string[] | undefined> {
      const account = await findUserWithDomain(reader, userId);
      if (!account) return ['password'];
      const methods = new Set(used);
      const found = await missing(account, { methods }, reader);
      if (found === 'passkey') return [found];
      return found && [...new Set(found.flat())].filter((method) => !methods.has(method as AuthMethod));
    },

    /** What a person must show besides a password. */
    async signInNeeds(account: Account): Promise<('second_factor' | 'passkey')[]> {
      const [second, passkey] = await Promise.all([needsCode(account, ['password']), isPasskeyRequired(account, db.read)]);
      return [...(second ? (['second_factor'] as const) : []), ...(passkey ? (['passkey'] as const) : [])];
    },
  };
}

export type LoginRequirements = ReturnType<typeof createLoginRequirements>;
