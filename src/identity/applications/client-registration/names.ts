// Names that applications give themselves. People see them before they allow something, so they must not look like others.
import { lookalikeForm, nameProblem } from '../../directory/users/index.ts';

const LONGEST = 80;
/** The names of this service that somebody could pretend to be. */
const OWN = ['Gatehouse', 'Wallet', 'Console', 'Account'];

/** Why it is refused, as the end of a sentence. `taken`: what people know by name here. */
export function applicationNameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (name.trim() !== name || name === '') return 'it is empty, or begins or ends with a blank';
  if (/[\p{C}\p{Zl}\p{Zp}]|\s{2}|\p{Default_Ignorable_Code_Point}/u.test(name)) return 'it has characters that are not seen';
  if (nameProblem(name) !== undefined) return 'it mixes letters of several scripts, or has characters that look like others';
  const form = lookalikeForm(name);
  return [...OWN, ...taken].some((one) => lookalikeForm(one) === form) ? 'it looks like a name that is in use here' : undefined;
}
