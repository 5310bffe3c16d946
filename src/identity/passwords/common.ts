// Passwords that everybody tries first: some 49,000 of them, from lists of stolen ones. Nothing of the list stays in memory.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const LIST = '@zxcvbn-ts/language-common/src/passwords.json';

/** However it is written: capitals do not make a common password a rare one. */
export async function isCommon(password: string): Promise<boolean> {
  const text = await readFile(createRequire(import.meta.url).resolve(LIST), 'utf8');
  // A list of strings in lower case, as JSON: found with its quotes and what is around them, it is a whole one.
  const quoted = JSON.stringify(password.normalize('NFKC').toLowerCase());
  return [`,${quoted},`, `[${quoted},`, `,${quoted}]`].some((one) => text.includes(one));
}
