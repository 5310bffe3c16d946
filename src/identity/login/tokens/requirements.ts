// What an account asks of its logins now: the combinations of methods that an administrator set, a second factor, a passkey. New logins are
// checked by this, and so are those from before that are to change a way in (access/rules/fresh-login.ts).
import { type AuthMethod, findUserWithDomain, METHODS } from '../../access/context/index.ts';
import { isFactorOn } from '../../directory/two-factor/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';

interface MultiFactorOptions {
  readonly [option: string]: unknown;
  readonly multi_factor_auth_enabled?: boolean;
  readonly multi_factor_auth_rules?: readonly (readonly string[])[];
}

export interface Account {
  readonly id: string;
  /** JSON */
  readonly options: string;
}

type Combinations = readonly (readonly string[])[];

/** A login begins with one of these. `mapped`: a provider vouched for the person. */
const FIRST_METHODS = ['password', 'passkey', 'mapped', 'wallet'] as const;

/** Whether there is a second factor among them. A wallet is one beside a password; alone it is the first. */
export function hasSecond(methods: Iterable<AuthMethod>): boolean {
  const all = new Set(methods);
  return all.has('totp') || all.has('passkey') || (all.has('wallet') && (all.has('password') || all.has('mapped')));
}

/** Keystone's multi_factor_auth_rules; empty when any combination will do. Unknown methods are ignored. */
function rulesOf({ options }: Account): Combinations {
  const { multi_factor_auth_enabled: on = true, multi_factor_auth_rules: rules = [] } = parseJson<MultiFactorOptions>(options);
  const served = rules.map((rule) => rule.filter((method) => METHODS.includes(method as AuthMethod)));
  return on ? served.filter((rule) => rule.length > 0) : [];
}

/** The rules that an administrator set, if none of them is kept. */
export function missingByRules(account: Account, methods: ReadonlySet<AuthMethod>): Combinations | undefined {
  const rules = rulesOf(account);
  const isKept = rules.length === 0 || rules.some((rule) => rule.every((method) => methods.has(method as AuthMethod)));
  return isKept ? undefined : rules;
}

/** The combinations that would suffice; undefined when the methods do, whatever is said of passkeys. */
export async function missingCombinations(
  reader: Reader,
  account: Account,
  methods: ReadonlySet<AuthMethod>,
  second = hasSecond(methods),
): Promise<Combinations | undefined> {
  const missing = missingByRules(account, methods);
  if (missing) return missing;
  const needsSecond = !second && (await isFactorOn(reader, account.id));
  // A code alone is not enough, whatever the rules say.
  return needsSecond || !FIRST_METHODS.some((method) => methods.has(method)) ? [['password', 'totp']] : undefined;
}

/**
 * What a login with these methods lacks by now, as names of methods; undefined when it is enough. Somebody who is gone has no login that is
 * enough.
 */
export const createMissingMethods =
  (isPasskeyRequired: (account: Account, reader: Reader) => Promise<boolean>) =>
  async (reader: Reader, userId: string, used: readonly AuthMethod[]): Promise<readonly string[] | undefined> => {
    const account = await findUserWithDomain(reader, userId);
    if (!account) return ['password'];
    const methods = new Set(used);
    if (!methods.has('passkey') && (await isPasskeyRequired(account, reader))) return ['passkey'];
    const missing = await missingCombinations(reader, account, methods);
    return missing && [...new Set(missing.flat())].filter((method) => !methods.has(method as AuthMethod));
  };
