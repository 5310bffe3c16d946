// The method `totp`: a code of the second factor.
import { refused } from '../logins/index.ts';
import type { Guesser } from '../passwords/index.ts';
import { meantUser } from './meant-user.ts';
import { given, type MethodDeps, type Prover, tell } from './method.ts';

/** From the key of two-factor authentication or a TOTP credential: one second factor, whichever API made it. */
export async function codeIsGood(
  { factor, credentials }: MethodDeps,
  by: Guesser,
  userId: string,
  code: string,
): Promise<boolean> {
  if (await factor.isEnabled(userId)) return factor.proveCode(by, userId, code);
  return factor.guess(by, userId, 'credential_code', (transaction) => credentials.acceptsCode(transaction, userId, code));
}

/** Only for a user who proved something else: a stranger could spend their codes, or use up their guesses. */
export const proveByTotp: Prover = async (deps, identity, attempt, mayTryCode) => {
  const { passcode, ...ref } = given('totp', identity.totp).user;
  const { user, key } = await meantUser(deps, ref, 'totp');
  tell(attempt, user);
  const mayGuess = await deps.gate.guess(attempt, `first step of ${key}`, async () => user !== undefined && mayTryCode(user));
  if (!user || !mayGuess) throw refused('passcode without the password');
  if (!(await codeIsGood(deps, { ...attempt, userId: null }, user.id, passcode))) throw refused('passcode wrong');
  return { user, methods: ['totp'], second: true };
};
