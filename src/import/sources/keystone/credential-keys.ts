// The keys with which Keystone encrypts credentials: a folder of Fernet keys ([credential] key_repository).
import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ImportError } from '../../source.ts';

const VECTOR = 9;
const CONTENT = 25;
const MAC = 32;
const BLOCK = 16;
const VERSION = 0x80;

interface Key {
  readonly signing: Buffer;
  readonly encryption: Buffer;
}

/** Where no keys were made: Keystone says so in its log, and goes on. */
const NULL_KEY: Key = { signing: Buffer.alloc(16), encryption: Buffer.alloc(16) };

function keyOf(path: string): Key {
  const text = readFileSync(path, 'utf8').trim();
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 32) throw new ImportError(`${path} is no Fernet key`);
  return { signing: bytes.subarray(0, 16), encryption: bytes.subarray(16) };
}

export type OpenCredential = (encrypted: string) => string | undefined;

/** Undefined for what none of the keys opens. */
function open(keys: readonly Key[], encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.length < CONTENT + BLOCK + MAC || bytes[0] !== VERSION) return undefined;
  const [signed, mac] = [bytes.subarray(0, -MAC), bytes.subarray(-MAC)];
  const key = keys.find(({ signing }) => timingSafeEqual(createHmac('sha256', signing).update(signed).digest(), mac));
  if (!key) return undefined;
  const decipher = createDecipheriv('aes-128-cbc', key.encryption, bytes.subarray(VECTOR, CONTENT));
  try {
    return Buffer.concat([decipher.update(signed.subarray(CONTENT)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

/** `folder`: undefined if nobody named one. */
export function credentialKeys(folder: string | undefined): OpenCredential {
  if (folder === undefined) return (encrypted) => open([NULL_KEY], encrypted);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new ImportError(`there is no folder ${folder} with keys of credentials`);
  const names = readdirSync(folder).filter((name) => /^\d+$/.test(name));
  const keys = names.map((name) => keyOf(join(folder, name)));
  if (keys.length === 0) throw new ImportError(`there are no keys in ${folder}`);
  return (encrypted) => open([...keys, NULL_KEY], encrypted);
}
