// New passwords: their rules, their expiry, and how they are stored.
import { seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { QueueClient } from '../../../platform/limits/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit } from '../../ground/resource/index.ts';
import { isCommon } from './common.ts';
import type { PasswordDeps, PasswordRules } from './deps.ts';
import { uncountForm } from './imported.rules.ts';
import { deletePasswords, findPassword, forgetFailures, insertPassword, readHistory } from './passwords.store.ts';
import type { NewPassword, PasswordOptions, PasswordOwner } from './passwords.ts';

const DAY = 86_400;

type Rules = Pick<PasswordRules, 'minLength' | 'common'>;

const isTooShort = ({ minLength }: Rules, password: string): boolean => [...password].length < minLength;
const isTooCommon = async ({ common }: Rules, password: string): Promise<boolean> =>
  common === 'refuse' && (await isCommon(password));

/** Why a password is too weak, whoever sets it; undefined when it is acceptable. */
export async function passwordProblem(rules: Rules, password: string): Promise<string | undefined> {
  if (isTooShort(rules, password)) return `it must have at least ${rules.minLength} characters`;
  return (await isTooCommon(rules, password)) ? 'it is on the list of common passwords' : undefined;
}

async function checkRules(rules: PasswordRules, password: string): Promise<void> {
  if (isTooShort(rules, password)) fail('user.password_short', { least: rules.minLength });
  if (await isTooCommon(rules, password)) fail('user.password_common');
  if (!rules.regex || rules.regex.test(password)) return;
  if (rules.regexDescription === '') fail('user.password_pattern');
  fail('user.password_rule', { why: rules.regexDescription });
}

async function checkHistory(
  { db, hashing }: PasswordDeps,
  rules: PasswordRules,
  password: string,
  userId: string,
): Promise<void> {
  const count = rules.uniqueLastCount;
  // The current password counts: 1 asks for a difference from it, 2 also from the one before.
  for (const { hash } of count > 0 ? await readHistory(db.read, userId, count) : []) {
    if (await hashing.verify(password, hash)) fail('user.password_reused', { count });
  }
}

async function checkAge({ db, clock }: PasswordDeps, { minimumAge }: PasswordRules, userId: string): Promise<void> {
  const current = minimumAge > 0 ? await findPassword(db.read, userId) : undefined;
  // A password set by an administrator may always be replaced.
  if (!current?.self_service) return;
  const expired = current.expires_at !== null && current.expires_at <= seconds(clock);
  if (!expired && current.created_at + minimumAge * DAY > seconds(clock)) {
    fail('user.password_too_young', { days: minimumAge });
  }
}

function expiryOf({ clock }: PasswordDeps, rules: PasswordRules, by: NewPassword['by'], options: PasswordOptions): number | null {
  const now = seconds(clock);
  const firstUse = by === 'administrator' && rules.changeUponFirstUse && !options.ignore_change_password_upon_first_use;
  if (firstUse) return now;
  if (rules.expiresDays === undefined || options.ignore_password_expiry) return null;
  return now + rules.expiresDays * DAY;
}

/** All but the history, of which only whoever may change the password learns. */
export async function checkNewPassword(
  deps: PasswordDeps,
  password: string,
  by: NewPassword['by'],
  { id, domainId, options }: PasswordOwner,
): Promise<void> {
  if (by !== 'administrator' && options.lock_password) fail('user.password_locked');
  const rules = await deps.rulesOf(domainId);
  await checkRules(rules, password);
  // Whoever has forgotten a new password cannot wait until it is old.
  if (id && by === 'self') await checkAge(deps, rules, id);
}

export async function preparePassword(
  deps: PasswordDeps,
  password: string,
  by: NewPassword['by'],
  owner: PasswordOwner,
  client: QueueClient,
): Promise<NewPassword> {
  const { hashing } = deps;
  const { id, options } = owner;
  await checkNewPassword(deps, password, by, owner);
  const rules = await deps.rulesOf(owner.domainId);
  return hashing.queue.run(client, async () => {
    if (id && by !== 'administrator') await checkHistory(deps, rules, password, id);
    const hash = await hashing.hash(password);
    return { hash, expiresAt: expiryOf(deps, rules, by, options), by, kept: rules.uniqueLastCount };
  });
}

export async function storePassword(
  { clock, config }: PasswordDeps,
  { tx }: Change,
  userId: string,
  { hash, expiresAt, by, kept = config.uniqueLastPasswordCount }: NewPassword,
): Promise<void> {
  const former = await findPassword(tx, userId);
  if (former?.imported_form != null) await uncountForm(tx, userId);
  const serial = (former?.serial ?? 0) + 1;
  await insertPassword(tx, {
    id: newId(),
    user_id: userId,
    hash,
    created_at: seconds(clock),
    expires_at: expiresAt,
    serial,
    self_service: bit(by !== 'administrator'),
    imported_form: null,
  });
  await deletePasswords(tx, userId, serial - Math.max(1, kept));
  await forgetFailures(tx, userId);
}
