// Names for requests: random UUIDs, as crypto.randomUUID makes them, but each written in one go. Put together from its parts, such
// a name is a sixteenth of all that a request from memory leaves to the garbage collector.
import { randomFillSync } from 'node:crypto';

const BYTES = 16;
const DIGITS = Buffer.from('0123456789abcdef', 'latin1');
const HYPHEN = 0x2d;

const random = Buffer.alloc(BYTES * 256);
let used = random.length;

/** Makes names that begin with the prefix. */
export function requestIds(prefix: string): () => string {
  const text = Buffer.from(`${prefix}00000000-0000-0000-0000-000000000000`, 'latin1');
  return () => {
    if (used === random.length) {
      randomFillSync(random);
      used = 0;
    }
    // Version 4, variant 1 (RFC 9562).
    random[used + 6] = (random[used + 6]! & 0x0f) | 0x40;
    random[used + 8] = (random[used + 8]! & 0x3f) | 0x80;
    for (let at = prefix.length; at < text.length; at++) {
      if (text[at] === HYPHEN) continue;
      const byte = random[used++]!;
      text[at++] = DIGITS[byte >> 4]!;
      text[at] = DIGITS[byte & 15]!;
    }
    return text.toString('latin1');
  };
}
