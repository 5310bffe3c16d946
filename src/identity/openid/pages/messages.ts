// What pages say about a refused form.
import { Fault } from '../../../platform/faults/index.ts';
import type { PageWords } from './words/index.ts';

/** Faults about a new password, in the reader's language. */
const PASSWORD_MESSAGES: Readonly<Record<string, (words: PageWords, values: Fault['values']) => string>> = {
  'user.password_short': (words, { least }) => words.passwordShort(Number(least)),
  'user.password_common': (words) => words.passwordCommon,
  'user.password_rule': (words, { why }) => words.passwordRefused(String(why)),
  'user.password_reused': (words) => words.passwordReused,
  'user.password_same': (words) => words.passwordSame,
  'user.password_too_young': (words, { days }) => words.passwordTooYoung(Number(days)),
  'user.password_locked': (words) => words.passwordLocked,
};

/** The message for the person. `otherwise`: for a wrong password, code or passkey. Rethrows unexpected errors. */
export function messageFor(words: PageWords, error: unknown, otherwise: string): string {
  if (!(error instanceof Fault)) throw error;
  if (error.status === 429) return words.tooMany(Number(error.headers['Retry-After'] ?? 60));
  if (error.status === 503) return words.busy;
  if (error.status >= 500) throw error;
  const message = PASSWORD_MESSAGES[error.code];
  if (message) return message(words, error.values);
  return error.code === 'auth.required' ? otherwise : error.message;
}
