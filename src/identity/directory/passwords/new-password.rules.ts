// New passwords: their rules, their expiry, and how they are stored.
import { seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { QueueClient } from '../../../platform/limits/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit } from '../../ground/resource/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { isCommon } from './common.ts';
import type { PasswordDeps } from './deps.ts';
import { deletePasswords, findPassword, forgetFailures, insertPassword, readHistory } from './passwords.store.ts';
import type { NewPassword, PasswordOptions } from './passwords.ts';

const DAY = 86_400;

const isTooShort = (config: IdentityConfig, password: string): boolean => [...password].length < config.passwordMinLength;
const isTooCommon = async (config: IdentityConfig, password: string): Promise<boolean> =>
  config.passwordCommon === 'refuse' && (await isCommon(password));

/** Why a password is too weak, whoever sets it; undefined when it is acceptable. */
export async function passwordProblem(config: IdentityConfig, password: string): Promise<string | undefined> {
  if (isTooShort(config, password)) return `it must have at least ${config.passwordMinLength} characters`;
  return (await isTooCommon(config, password)) ? 'it is on the list of common passwords' : undefined;
}

async function checkRules(config: IdentityConfig, password: string): Promise<void> {
  if (isTooShort(config, password)) fail('user.password_short', { least: config.passwordMinLength });
  if (await isTooCommon(config, password)) fail('user.password_common');
  if (!config.passwordRegex || config.passwordRegex.test(password)) return;
  if (config.passwordRegexDescription === '') fail('user.password_pattern');
  fail('user.password_rule', { why: config.passwordRegexDescription });
}

async function checkHistory({ db, config, hashing }: PasswordDeps, password: string, userId: string): Promise<void> {
  const count = config.uniqueLastPasswordCount;
  // The current password counts: 1 asks for a difference from it, 2 also from the one before.
  for (const { hash } of count > 0 ? await readHistory(db.read, userId, count) : []) {
    if (await hashing.verify(password, hash)) fail('user.password_reused', { count });
  }
}

async function checkAge({ db, clock, config }: PasswordDeps, userId: string): Promise<void> {
  const current = config.minimumPasswordAge > 0 ? await findPassword(db.read, userId) : undefined;
  // A password set by an administrator may always be replaced.
  if (!current?.self_service) return;
  const expired = current.expires_at !== null && current.expires_at <= seconds(clock);
  if (!expired && current.created_at + config.minimumPasswordAge * DAY > seconds(clock)) {
    fail('user.password_too_young', { days: config.minimumPasswordAge });
  }
}

function expiryOf({ clock, config }: PasswordDeps, by: NewPassword['by'], options: PasswordOptions): number | null {
  const now = seconds(clock);
  const firstUse = by === 'administrator' && config.changePasswordUponFirstUse && !options.ignore_change_password_upon_first_use;
  if (firstUse) return now;
  if (config.passwordExpiresDays === undefined || options.ignore_password_expiry) return null;
  return now + config.passwordExpiresDays * DAY;
}

/** All but the history, of which only whoever may change the password learns. */
export async function checkNewPassword(
  deps: PasswordDeps,
  password: string,
  by: NewPassword['by'],
  { id, options }: { id: string | undefined; options: PasswordOptions },
): Promise<void> {
  if (by !== 'administrator' && options.lock_password) fail('user.password_locked');
  await checkRules(deps.config, password);
  // Whoever has forgotten a new password cannot wait until it is old.
  if (id && by === 'self') await checkAge(deps, id);
}

export async function preparePassword(
  deps: PasswordDeps,
  password: string,
  by: NewPassword['by'],
  { id, options }: { id: string | undefined; options: PasswordOptions },
  client: QueueClient,
): Promise<NewPassword> {
  const { hashing } = deps;
  await checkNewPassword(deps, password, by, { id, options });
  return hashing.queue.run(client, async () => {
    if (id && by !== 'administrator') await checkHistory(deps, password, id);
    return { hash: await hashing.hash(password), expiresAt: expiryOf(deps, by, options), by };
  });
}

export async function storePassword(
  { clock, config }: PasswordDeps,
  { tx }: Change,
  userId: string,
  { hash, expiresAt, by }: NewPassword,
): Promise<void> {
  const serial = ((await findPassword(tx, userId))?.serial ?? 0) + 1;
  await insertPassword(tx, {
    id: newId(),
    user_id: userId,
    hash,
    created_at: seconds(clock),
    expires_at: expiresAt,
    serial,
    self_service: bit(by !== 'administrator'),
  });
  await deletePasswords(tx, userId, serial - Math.max(1, config.uniqueLastPasswordCount));
  await forgetFailures(tx, userId);
}
