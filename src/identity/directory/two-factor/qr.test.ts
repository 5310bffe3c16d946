import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readQrCode } from '../../../../test/support/qr-codes.ts';
import { qrCode } from './qr.ts';
import { newKey, otpauthUri } from './totp.ts';

describe('QR codes', () => {
  const uri = otpauthUri('Gatehouse of the North', 'ann.example+test@example.org', newKey());

  it('can be read by another implementation', () => {
    assert.equal(readQrCode(qrCode(uri, 'svg')!), uri);
  });

  it('are drawn for a terminal too, with a margin and square', () => {
    const lines = qrCode(uri, 'terminal')!.split('\n').filter(Boolean);
    assert.ok(lines.length > 15);
    assert.equal(new Set(lines.map((line) => [...line].length)).size, 1);
  });

  it('are made of addresses for apps, and of nothing else', () => {
    for (const text of ['', 'https://example.org', 'otpauth://hotp/x', 'otpauth://totp/a b', `${uri}\n${uri}`])
      assert.equal(qrCode(text, 'svg'), undefined);
  });
});
