// Looks over CBOR (RFC 8949) of strangers before the library decodes it. The library follows any depth, and knows tags that make
// objects of code, and cannot be told otherwise (ADR 014): none of that is for what comes from outside.

const MAX_DEPTH = 32;
/** Times as text and number, CBOR in CBOR, full dates: all that ISO/IEC 18013-5 has. */
const TAGS: readonly number[] = [0, 1, 24, 1004];
const BREAK = 0xff;

export class CborError extends Error {}

function fail(why: string): never {
  throw new CborError(why);
}

interface Head {
  readonly major: number;
  /** Undefined: until a break. */
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
  // Floats and lengths beyond six bytes: of the former only the size matters, the latter are longer than anything here.
  const argument = size === 8 ? Number(bytes.readBigUInt64BE(at + 1)) : bytes.readUIntBE(at + 1, size);
  return { major, argument, next: at + 1 + size };
}

/** Where the item that begins at `at` ends. */
function endOf(bytes: Buffer, at: number, depth: number): number {
  if (depth > MAX_DEPTH) fail('it is nested too deeply');
  const { major, argument, next } = headAt(bytes, at);
  if (major === 0 || major === 1 || major === 7) return next;
  if (major === 6) return endOfTagged(bytes, argument!, next, depth);
  if (argument === undefined) return endOfIndefinite(bytes, major, next, depth);
  if (major === 2 || major === 3) return next + argument;
  let end = next;
  // Each element takes a byte at least: whatever is promised, this ends with the bytes.
  for (let left = major === 5 ? argument * 2 : argument; left > 0; left--) end = endOf(bytes, end, depth + 1);
  return end;
}

function endOfIndefinite(bytes: Buffer, major: number, start: number, depth: number): number {
  let at = start;
  while (bytes[at] !== BREAK) {
    // Of a text or of bytes there are only pieces of the same kind.
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

/** Throws CborError unless it is one item that can be decoded without harm. */
export function checkCbor(bytes: Uint8Array): void {
  check(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
}
