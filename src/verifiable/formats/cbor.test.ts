import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cborDecode, cborEncode, DataItem } from '@owf/mdoc';
import fc from 'fast-check';
import { CborError, checkCbor } from './cbor.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const refused = (bytes: Uint8Array): void =>
  assert.throws(() => checkCbor(bytes), CborError, Buffer.from(bytes).toString('hex').slice(0, 80));

describe('Looking over CBOR', () => {
  it('takes whatever the library writes, and not when a byte is missing or too many', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.uint8Array(), (value, bytes) => {
        const encoded = cborEncode(
          new Map<string, unknown>([
            ['a', value],
            ['b', bytes],
            ['c', DataItem.fromData([value])],
          ]),
        );
        checkCbor(encoded);
        refused(encoded.subarray(0, -1));
        refused(Buffer.concat([encoded, Buffer.of(0)]));
      }),
    );
  });

  it('takes the other spellings of RFC 8949', () => {
    const examples = [
      'f90000',
      'fa47c35000',
      'fb3ff199999999999a',
      '1bffffffffffffffff',
      '9f018202039f0405ffff',
      'bf61610161629f0203ffff',
    ];
    for (const text of [
      ...examples,
      '5f42010243030405ff',
      '7f657374726561646d696e67ff',
      'c074323031332d30332d32315432303a30343a30305a',
    ])
      checkCbor(hex(text));
  });

  it('refuses more than there is', () => {
    for (const text of [
      '',
      '81',
      'a101',
      '9a01000000',
      'ba01000000',
      '9b0000000100000000',
      '5affffffff',
      '7b7fffffffffffffff00',
      '18',
      '9f',
      'bf61ff',
    ])
      refused(hex(text));
  });

  it('refuses heads that are none', () => {
    for (const text of ['1c', '3f', 'ff', '5f61ffff', '7f4101ff', 'df']) refused(hex(text));
  });

  it('refuses tags beyond those of documents, and CBOR in CBOR that is none', () => {
    // Code as an object, shared references, sets, numbers without end.
    for (const text of ['d81b 82 65 5265674578 61 28', 'd81c 80', 'd81d 00', 'd90102 80', 'c2 41 01', 'd83d 41 00'])
      refused(hex(text));
    checkCbor(hex('d818 41 80'));
    for (const text of ['d818 80', 'd818 41 81', 'd818 40', 'd818 42 8000', 'd818 5f4180ff']) refused(hex(text));
  });

  it('is still needed: the library takes these by itself', () => {
    const deep = (levels: number): Buffer => Buffer.concat([Buffer.alloc(levels, 0x81), Buffer.of(0)]);
    const taken = [hex('d81b 82 66 526567457870 61 61'), hex('d81c 80'), hex('d90102 80'), hex('c2 41 01'), deep(500)];
    for (const bytes of taken) {
      refused(bytes);
      assert.doesNotThrow(() => cborDecode(bytes));
    }
    // When one of these fails: docs/adr/014-written-by-hand.md.
    assert.ok(cborDecode(taken[0]!) instanceof RegExp);
  });

  it('refuses depth, openly and in bytes', () => {
    refused(Buffer.concat([Buffer.alloc(100_000, 0x81), Buffer.of(0)]));
    refused(Buffer.alloc(100_000, 0x9f));
    let nested: Uint8Array = cborEncode([]);
    for (let level = 0; level < 40; level++) nested = cborEncode(DataItem.fromBuffer(nested));
    refused(nested);
  });
});
