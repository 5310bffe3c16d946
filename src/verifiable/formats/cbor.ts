// Checks untrusted CBOR (RFC 8949) before the library decodes it. The library has no depth limit, supports tags that create
// arbitrary objects, and cannot be configured otherwise (ADR 014).

const MAX_DEPTH = 32;
/** Times as text and number, CBOR in CBOR, full dates: all tags of ISO/IEC 18013-5. */
const TAGS: readonly number[] = [0, 1, 24, 1004];
const BREAK = 0xff;

export class CborError extends Error {}

function fail(why: string): never {
  throw new CborError(why);
}

interface Head {
  readonly major: number;
  /** Undefined for an indefinite length, which ends with a break. */
  readonly argument: number | undefined;
  readonly next: number;
}

function headAt(bytes: Buffer, at: number): Head {
  const first = bytes[at] ?? fail('it ends too early');
  const major = first >> 5;
  const info = first & 31;
  if (info < 24) return { major, argument: info, next: at + 1 };
  if (info === 31 && major >= 2 && major <= 5) return { major, argument: undefined, next: at + 1 };
  if (info > 27) fail('a head is malformed');
  const size = 1 << (info - 24);
  if (at + 1 + size > bytes.length) fail('it ends too early');
  // Eight bytes may be a float, where only the size matters, or a length, which is too long in any case.
  const argument = size === 8 ? Number(bytes.readBigUInt64BE(at + 1)) : bytes.readUIntBE(at + 1, size);
  return { major, argument, next: at + 1 + size };
}

/** The end of the item that starts at `at`. */
function endOf(bytes: Buffer, at: number, depth: number): number {
  if (depth > MAX_DEPTH) fail('it is nested too deeply');
  const { major, argument, next } = headAt(bytes, at);
  if (major === 0 || major === 1 || major === 7) return next;
  if (major === 6) return endOfTagged(bytes, argument!, next, depth);
  if (argument === undefined) return endOfIndefinite(bytes, major, next, depth);
  if (major === 2 || major === 3) return next + argument;
  let end = next;
  // Each element takes at least one byte, so this ends with the input, whatever length it claims.
  for (let left = major === 5 ? argument * 2 : argument; left > 0; left--) end = endOf(bytes, end, depth + 1);
  return end;
}

function endOfIndefinite(bytes: Buffer, major: number, start: number, depth: number): number {
  let at = start;
  while (bytes[at] !== BREAK) {
    // Pieces of a string must have the same type.
    if (major < 4 && headAt(bytes, at).major !== major) fail('a piece is of another kind');
    at = endOf(bytes, at, depth + 1);
    if (major === 5) at = endOf(bytes, at, depth + 1);
  }
  return at + 1;
}

function endOfTagged(bytes: Buffer, tag: number, next: number, depth: number): number {
  if (!TAGS.includes(tag)) fail(`tag ${tag} is not allowed`);
  const end = endOf(bytes, next, depth + 1);
  if (tag !== 24) return end;
  const inner = headAt(bytes, next);
  if (inner.major !== 2 || inner.argument === undefined) fail('CBOR in CBOR is not in bytes');
  check(bytes.subarray(inner.next, end), depth + 1);
  return end;
}

function check(bytes: Buffer, depth: number): void {
  if (endOf(bytes, 0, depth) !== bytes.length) fail('something follows it');
}

/** Throws CborError unless it is exactly one item that is safe to decode. */
export function checkCbor(bytes: Uint8Array): void {
  check(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
}
