// Common passwords: about 49,000, from lists of stolen ones. The list is read on demand and not kept in memory.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const LIST = '@zxcvbn-ts/language-common/src/passwords.json';

/** Ignores case. */
export async function isCommon(password: string): Promise<boolean> {
  const text = await readFile(createRequire(import.meta.url).resolve(LIST), 'utf8');
  // The file is a JSON array of lower-case strings. Searching with quotes and separators finds whole entries only.
  const quoted = JSON.stringify(password.normalize('NFKC').toLowerCase());
  return [`,${quoted},`, `[${quoted},`, `,${quoted}]`].some((one) => text.includes(one));
}
