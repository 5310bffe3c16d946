// MessagePack, as far as Keystone's tokens have it: numbers, texts, bytes and lists, a few deep. Anything else is refused, and so is what is
// left over. It reads what came out of a checked envelope; still, nothing in it makes this allocate more than the input has.
import { isUtf8 } from 'node:buffer';

/** Bytes that are no text: before MessagePack had a type for bytes, texts and bytes were written alike. */
export type Packed = number | boolean | null | string | Buffer | readonly Packed[];

const MAX_DEPTH = 4;

class Malformed extends Error {}

class Unpacker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  #take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new Malformed();
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  readonly #number = (size: 1 | 2 | 4): number => this.#take(size).readUIntBE(0, size);

  #text(length: number): string | Buffer {
    const bytes = this.#take(length);
    return isUtf8(bytes) ? bytes.toString() : bytes;
  }

  #list(length: number, depth: number): Packed[] {
    // Each takes a byte at least.
    if (depth === MAX_DEPTH || length > this.#bytes.length - this.#at) throw new Malformed();
    return Array.from({ length }, () => this.value(depth + 1));
  }

  value(depth = 0): Packed {
    const type = this.#number(1);
    if (type <= 0x7f) return type;
    if (type >= 0x90 && type <= 0x9f) return this.#list(type & 0x0f, depth);
    if (type >= 0xa0 && type <= 0xbf) return this.#text(type & 0x1f);
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.#take(this.#number(1));
      case 0xc5:
        return this.#take(this.#number(2));
      case 0xcb:
        return this.#take(8).readDoubleBE();
      case 0xcc:
        return this.#number(1);
      case 0xcd:
        return this.#number(2);
      case 0xce:
        return this.#number(4);
      case 0xd9:
        return this.#text(this.#number(1));
      case 0xda:
        return this.#text(this.#number(2));
      case 0xdc:
        return this.#list(this.#number(2), depth);
      default:
        throw new Malformed();
    }
  }
}

/** Undefined for anything that is not exactly one such value. */
export function unpackMessage(bytes: Buffer): Packed | undefined {
  const from = new Unpacker(bytes);
  try {
    const value = from.value();
    return from.isAtEnd ? value : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
