// The method `totp`: a code of a second factor.
import { loginRefused } from '../../directory/logins/index.ts';
import type { Guesser } from '../../directory/passwords/index.ts';
import { findLoginUser, type LoginMethod, type MethodDeps, setSubject } from './method.ts';

/** The key of two-factor authentication, or else TOTP credentials: a user has one second factor, whichever API created it. */
export async function isCodeValid(
  { factor, credentials }: Pick<MethodDeps, 'factor' | 'credentials'>,
  by: Guesser,
  userId: string,
  code: string,
): Promise<boolean> {
  if (await factor.isEnabled(userId)) return factor.verifyCode(by, userId, code);
  return factor.guess(by, userId, 'credential_code', (transaction) => credentials.acceptsCode(transaction, userId, code));
}

/** Only after another method succeeded. Otherwise a stranger could use up the user's codes and guesses. */
export const loginByTotp: LoginMethod<'totp'> = async (deps, { user: { passcode, ...ref } }, attempt, mayTryCode) => {
  const { user, key } = await findLoginUser(deps, ref, 'totp');
  setSubject(attempt, user);
  const mayGuess = await deps.gate.guess(attempt, `first step of ${key}`, async () => user !== undefined && mayTryCode(user));
  if (!user || !mayGuess) throw loginRefused('passcode without the password');
  if (!(await isCodeValid(deps, { ...attempt, userId: null }, user.id, passcode))) throw loginRefused('passcode wrong');
  return { user, methods: ['totp'] };
};
