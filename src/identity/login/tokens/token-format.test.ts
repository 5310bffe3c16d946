import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DELEGATION_KINDS, METHODS, type Scope, type TokenRecord } from '../../access/context/index.ts';
import { newAuditId, openBytes, openToken, sealToken, type TokenKey, tokenKeyId } from './token-format.ts';

const newKey = (id = 1): TokenKey => ({ id, key: createSecretKey(randomBytes(32)) });

const HEX = [...'0123456789abcdef'];
const CLIENT = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-'];
const anId = fc.oneof(
  fc.string({ unit: fc.constantFrom(...HEX), minLength: 32, maxLength: 32 }),
  fc.string({ unit: fc.constantFrom(...CLIENT), minLength: 1, maxLength: 64 }),
  fc.string({ unit: fc.constantFrom(...HEX), minLength: 31, maxLength: 33 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }).filter((text) => text.isWellFormed()),
);
const aTime = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const anAuditId = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('base64url'));
const aScope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant({ kind: 'unscoped' } as const),
  fc.constant({ kind: 'system' } as const),
  fc.record({ kind: fc.constantFrom('project' as const, 'domain' as const), id: anId }, { noNullPrototype: true }),
);
const aRecord: fc.Arbitrary<TokenRecord> = fc.record(
  {
    userId: anId,
    methods: fc.subarray([...METHODS], { minLength: 1 }),
    scope: aScope,
    issuedAt: aTime,
    expiresAt: aTime,
    generation: aTime,
    auditId: anAuditId,
    parentAuditId: fc.option(anAuditId, { nil: undefined }),
  },
  { noNullPrototype: true },
);
/** One made from another one may say when its person logged in; one made from an access token says whose that was. */
const aRecordOfAny: fc.Arbitrary<TokenRecord> = fc
  .tuple(aRecord, fc.option(aTime, { nil: undefined }), fc.option(anId, { nil: undefined }))
  .map(([record, loginAt, applicationId]) => {
    const known = record.parentAuditId && loginAt !== undefined ? { ...record, loginAt } : record;
    const complete = record.parentAuditId === undefined || loginAt !== undefined;
    return complete && applicationId !== undefined ? { ...known, applicationId } : known;
  });
/** What gives its rights needs the second version of the format, whatever else the token says. */
const aDelegatedRecord: fc.Arbitrary<TokenRecord> = fc
  .tuple(aRecordOfAny, fc.record({ kind: fc.constantFrom(...DELEGATION_KINDS), id: anId }, { noNullPrototype: true }))
  .map(([record, delegation]) => ({ ...record, delegation }));
const aKeyId = fc.integer({ min: 0, max: 2 ** 32 - 1 });

const sample = (): TokenRecord => ({
  userId: '0123456789abcdef0123456789abcdef',
  methods: ['password'],
  scope: { kind: 'project', id: 'fedcba9876543210fedcba9876543210' },
  issuedAt: 1_700_000_000_000,
  expiresAt: 1_700_003_600_000,
  generation: 3_400_000_000_000,
  auditId: newAuditId(),
  parentAuditId: undefined,
});

describe('The format of a token', () => {
  it('opens to what was sealed, whatever that was', () => {
    fc.assert(
      fc.property(fc.oneof(aRecordOfAny, aDelegatedRecord), aKeyId, (record, id) => {
        const key = newKey(id);
        const text = sealToken(record, key);
        assert.match(text, /^[A-Za-z0-9_-]+$/);
        assert.equal(tokenKeyId(text), id);
        assert.deepEqual(openToken(text, key.key), record);
      }),
    );
  });

  it('is short enough for every client: 255 characters with ids of our own', () => {
    const applicationId = '0123456789abcdef0123456789abcdef';
    const text = sealToken({ ...sample(), parentAuditId: newAuditId(), loginAt: 1, applicationId }, newKey());
    assert.ok(text.length <= 255, `${text.length} characters`);
  });

  it('is read by older replicas with an application in it: what they know comes first, where they look for it', () => {
    const [key, plain] = [newKey(), sample()];
    const bytesOf = (record: TokenRecord): Buffer => openBytes(sealToken(record, key), key.key, 'token')!;
    const first = { ...plain, applicationId: 'shop' };
    const asKnown = bytesOf({ ...plain, parentAuditId: plain.auditId, loginAt: plain.issuedAt });
    assert.deepEqual(bytesOf(first).subarray(0, asKnown.length), asKnown);
    const second = { ...plain, parentAuditId: newAuditId(), loginAt: plain.issuedAt - 1 };
    const rescoped = bytesOf({ ...second, applicationId: 'shop' });
    assert.deepEqual(rescoped.subarray(0, bytesOf(second).length), bytesOf(second));
    assert.equal(openToken(sealToken(first, key), key.key)!.parentAuditId, undefined);
  });

  it('does not open with a delegation of a kind that only a newer replica knows', () => {
    const [key, delegation] = [newKey(), { kind: 'of tomorrow' as 'trust', id: 'x' }];
    assert.equal(openToken(sealToken({ ...sample(), delegation }, key), key.key), undefined);
    assert.ok(openToken(sealToken({ ...sample(), delegation: { ...delegation, kind: 'trust' } }, key), key.key));
  });

  it('is never the same text twice', () => {
    const [record, key] = [sample(), newKey()];
    assert.notEqual(sealToken(record, key), sealToken(record, key));
  });

  it('shows nothing of what is inside', () => {
    const record = { ...sample(), userId: 'a-user-somebody-named', scope: { kind: 'domain', id: 'default' } as const };
    const bytes = Buffer.from(sealToken(record, newKey()), 'base64url').toString('latin1');
    assert.ok(!bytes.includes('somebody') && !bytes.includes('default'));
  });

  it('does not open when any bit of it was changed', () => {
    const key = newKey();
    const bytes = Buffer.from(sealToken(sample(), key), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [1, 0x80]) {
        const forged = Buffer.from(bytes);
        forged[at]! ^= bit;
        assert.equal(openToken(forged.toString('base64url'), key.key), undefined, `byte ${at}`);
      }
    }
  });

  it('does not open when it is cut, or something is added', () => {
    const key = newKey();
    fc.assert(
      fc.property(aRecord, fc.nat({ max: 40 }), fc.uint8Array({ minLength: 1, maxLength: 8 }), (record, cut, more) => {
        const bytes = Buffer.from(sealToken(record, key), 'base64url');
        const forgeries = [
          bytes.subarray(0, bytes.length - 1 - cut),
          bytes.subarray(1 + cut),
          Buffer.concat([bytes, more]),
          Buffer.concat([more, bytes]),
        ];
        for (const forged of forgeries) {
          const text = forged.toString('base64url');
          if (tokenKeyId(text) !== undefined) assert.equal(openToken(text, key.key), undefined);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('does not open with another key, nor under another key id', () => {
    const [key, other] = [newKey(1), newKey(1)];
    const text = sealToken(sample(), key);
    assert.equal(openToken(text, other.key), undefined);
    const bytes = Buffer.from(text, 'base64url');
    bytes.writeUInt32BE(2, 0);
    assert.equal(openToken(bytes.toString('base64url'), key.key), undefined);
  });

  it('knows one spelling only', () => {
    // Every number of bytes, so that the last letter has bits to spare in two cases of three.
    for (const userId of ['a', 'ab', 'abc']) {
      const text = sealToken({ ...sample(), userId }, newKey());
      assert.equal(tokenKeyId(text), 1);
      const bytes = Buffer.from(text, 'base64url');
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const others = [
        `${text}=`,
        `${text}==`,
        ` ${text}`,
        `${text} `,
        `${text}\n`,
        text.replace(/^(.{10})/, '$1 '),
        ...[...letters].map((letter) => text.slice(0, -1) + letter).filter((one) => one !== text),
        ...(/[-_]/.test(text) ? [bytes.toString('base64')] : []),
      ];
      for (const other of others) {
        if (Buffer.from(other, 'base64url').equals(bytes)) assert.equal(tokenKeyId(other), undefined, JSON.stringify(other));
      }
    }
  });

  it('takes nothing for a token that cannot be one', () => {
    for (const text of ['', 'x', 'x'.repeat(20), 'x'.repeat(1025), 'x'.repeat(100_000), 'ä'.repeat(100), '.'.repeat(100), '\0'])
      assert.equal(tokenKeyId(text), undefined);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const id = tokenKeyId(text);
        if (id !== undefined) assert.equal(openToken(text, newKey(id).key), undefined);
      }),
    );
  });
});
