// The script of the pages that use passkeys: the file passkeys.js beside this one, as it is.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const script = readFileSync(new URL('./passkeys.js', import.meta.url));

const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);

export const SCRIPT_PATH = `/openid/passkeys-${hash}.js`;
