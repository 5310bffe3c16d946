import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Secret, TOTP } from 'otpauth';
import { codeAt, fromBase32, matchingStep, newKey, otpauthUri, STEPS_SET_BACK, stepAt, toBase32 } from './totp.ts';

describe('TOTP', () => {
  const key = Buffer.from('12345678901234567890');

  it('gives the codes of RFC 6238 appendix B', () => {
    const vectors: [seconds: number, code: string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ];
    for (const [seconds, code] of vectors) assert.equal(codeAt(key, stepAt(seconds * 1000), 8), code);
  });

  it('gives the codes of RFC 4226 appendix D', () => {
    const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
    for (const [counter, code] of codes.entries()) assert.equal(codeAt(key, counter), code);
  });

  it('gives the codes of another implementation, and accepts them', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.integer({ min: 60, max: 4_000_000_000 }),
        (bytes, seconds) => {
          const secret = Buffer.from(bytes);
          const code = new TOTP({ secret: Secret.fromBase32(toBase32(secret)) }).generate({ timestamp: seconds * 1000 });
          assert.equal(codeAt(secret, stepAt(seconds * 1000)), code);
          assert.notEqual(matchingStep(secret, code, seconds * 1000, -2), undefined);
        },
      ),
    );
  });

  it('accepts one step of drift each way, and no more', () => {
    const now = 1_000_000_000_000;
    const accepted = [-2, -1, 0, 1, 2].map((drift) => matchingStep(key, codeAt(key, stepAt(now) + drift), now, 0) !== undefined);
    assert.deepEqual(accepted, [false, true, true, true, false]);
  });

  it('accepts no step that is not later than the last', () => {
    const now = 1_000_000_000_000;
    const step = stepAt(now);
    assert.equal(matchingStep(key, codeAt(key, step), now, step), undefined);
    assert.equal(matchingStep(key, codeAt(key, step), now, step - 1), step);
  });

  it('locks nobody out until the time of a code that was accepted before the clock was set back', () => {
    const now = 1_000_000_000_000;
    const step = stepAt(now);
    assert.equal(matchingStep(key, codeAt(key, step), now, step + STEPS_SET_BACK), undefined);
    assert.equal(matchingStep(key, codeAt(key, step), now, step + STEPS_SET_BACK + 1), step);
  });

  it('refuses what is not six digits', () => {
    for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５６', '12345é', '12 456'])
      assert.equal(matchingStep(key, code, 0, -9), undefined);
  });

  it('writes and reads base32 as RFC 4648 section 10', () => {
    const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
    for (const [text, base32] of Object.entries(vectors)) {
      assert.equal(toBase32(Buffer.from(text)), base32);
      assert.equal(fromBase32(base32)?.toString(), text);
      assert.equal(fromBase32(base32.toLowerCase().replace(/(..)/g, '$1 '))?.toString(), text);
    }
    for (const none of ['0189', '', ' = ', 'M']) assert.equal(fromBase32(none), undefined, none);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) =>
        assert.deepEqual(fromBase32(toBase32(Buffer.from(bytes))), Buffer.from(bytes)),
      ),
    );
  });

  it('makes keys of 160 bits and a URI apps can read', () => {
    const fresh = newKey();
    assert.equal(fresh.length, 20);
    const uri = new URL(otpauthUri('Gate house', 'ann/é@example.org', fresh));
    assert.equal(uri.protocol, 'otpauth:');
    assert.equal(uri.host, 'totp');
    assert.equal(decodeURIComponent(uri.pathname), '/Gate house:ann/é@example.org');
    assert.deepEqual(Object.fromEntries(uri.searchParams), {
      secret: toBase32(fresh),
      issuer: 'Gate house',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
