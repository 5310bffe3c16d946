// The script of the pages that use passkeys: the file passkeys.js beside this one, as it is.
import { readFileSync } from 'node:fs';

export const script = readFileSync(new URL('./passkeys.js', import.meta.url));
