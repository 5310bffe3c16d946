// Tokens that Keystone itself made are read as Keystone reads them. fixtures/keystone-tokens.json: made by create_token of its TokenFormatter and
// JWSFormatter, with keys, ids and a time of the test, one for each kind of payload; `says` is what its own validate_token answered.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pack, type Value } from '../../../../test/support/keystone-tokens.ts';
import { createLog } from '../../../platform/log/index.ts';
import type { TokenRecord } from '../../access/context/index.ts';
import { fernetKeyOf, isFernet, openFernet, readFernet } from './fernet.ts';
import { jwsKeyOf } from './jws.ts';
import { createKeyFolder } from './key-folder.ts';
import { createKeystoneTokens } from './keystone-tokens.ts';
import { unpackMessage } from './msgpack.ts';
import { readPayload } from './payloads.ts';

interface Recorded {
  readonly name: string;
  readonly token: string;
  readonly says: Readonly<Record<string, any>>;
}
interface Recordings {
  readonly fernetKeys: readonly string[];
  readonly jwsKey: string;
  readonly fernet: readonly Recorded[];
  readonly jws: readonly Recorded[];
}

const ROOT = join(import.meta.dirname, '../../../../test/support/fixtures/keystone-tokens.json');
const recorded = JSON.parse(readFileSync(ROOT, 'utf8')) as Recordings;
const METHODS = ['external', 'password', 'token', 'oauth1', 'mapped', 'application_credential'];
const silent = createLog('fatal', { write() {} });

/** A folder with these files, for one test. */
function withFolder(files: Readonly<Record<string, string>>, work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What Keystone says of it, in our words. */
function expected({ says }: Recorded): Partial<TokenRecord> {
  const scope = says.project_id
    ? { kind: 'project', id: says.project_id }
    : says.domain_id
      ? { kind: 'domain', id: says.domain_id }
      : { kind: says.system ? 'system' : 'unscoped' };
  const delegation = says.trust_id
    ? { kind: 'trust', id: says.trust_id }
    : says.access_token_id
      ? { kind: 'oauth1', id: says.access_token_id }
      : says.app_cred_id
        ? { kind: 'application_credential', id: says.app_cred_id }
        : says.identity_provider_id
          ? { kind: 'federation', id: ['keystone', says.user_id, says.identity_provider_id, says.protocol_id].join('\n') }
          : undefined;
  const [auditId, parentAuditId] = says.audit_ids;
  const methods = says.methods.filter((name: string) => name !== 'oauth2_credential').sort();
  return {
    userId: says.user_id,
    methods: methods.length === 0 && !says.thumbprint ? ['ec2credential'] : methods,
    scope: scope as TokenRecord['scope'],
    issuedAt: Date.parse(says.issued_at),
    expiresAt: Date.parse(says.expires_at),
    auditId,
    parentAuditId,
    ...(delegation ? { delegation: delegation as NonNullable<TokenRecord['delegation']> } : {}),
    foreign: says.thumbprint ? { thumbprint: says.thumbprint } : {},
  };
}

function readAll(tokens: readonly Recorded[], open: (text: string) => TokenRecord | undefined): void {
  assert.ok(tokens.length >= 9);
  for (const one of tokens) {
    const found = open(one.token);
    assert.ok(found, one.name);
    const { generation: _, ...said } = found;
    assert.deepEqual({ ...said, methods: said.methods.toSorted() }, expected(one), one.name);
  }
}

const base = {
  keystoneAuthMethods: METHODS,
  keystoneTokensUntil: undefined,
  keystoneFernetKeys: undefined,
  keystoneJwsKeys: undefined,
};
const clock = { now: () => Date.parse('2026-01-01T00:00:00Z') };

describe('Tokens that Keystone made', () => {
  it('are read as Keystone reads them: Fernet, each kind of payload', () => {
    const files = Object.fromEntries(recorded.fernetKeys.map((key, index) => [String(index), key]));
    withFolder(files, (folder) => {
      const tokens = createKeystoneTokens({ config: { ...base, keystoneFernetKeys: folder }, clock, log: silent })!;
      readAll(recorded.fernet, (text) => (tokens.hasForm(text) ? tokens.open(text) : undefined));
    });
  });

  it('are read as Keystone reads them: JWS', () => {
    withFolder({ 'a.pem': recorded.jwsKey }, (folder) => {
      const tokens = createKeystoneTokens({ config: { ...base, keystoneJwsKeys: folder }, clock, log: silent })!;
      readAll(recorded.jws, (text) => (tokens.hasForm(text) ? tokens.open(text) : undefined));
    });
  });

  it('are read with texts and bytes written alike, as by older versions of MessagePack', () => {
    const claims = readPayload(
      Buffer.concat([
        Buffer.of(0x96, 0x02, 0x92, 0xc3, 0xb0),
        Buffer.alloc(16, 0xee),
        Buffer.of(0x02, 0x92, 0xc3, 0xb0),
        Buffer.from('0123456789abcdef'),
        Buffer.of(0xcb, 0x41, 0xda, 0x3a, 0x2f, 0x00, 0x00, 0x00, 0x00),
        Buffer.of(0x91, 0xb0),
        Buffer.alloc(16, 0xff),
      ]),
      METHODS,
      1000,
    );
    assert.equal(claims?.userId, 'ee'.repeat(16));
    assert.equal(claims?.projectId, Buffer.from('0123456789abcdef').toString('hex'));
  });
});

describe('MessagePack', () => {
  const leaf = fc.oneof(
    fc.nat(0xffff_ffff),
    fc.boolean(),
    fc.constant(null),
    fc.string({ maxLength: 300, unit: 'binary' }),
    fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
  const list = fc.array(fc.oneof(leaf, fc.array(leaf, { maxLength: 40 })), { maxLength: 20 });

  it('is read as it was written', () => {
    fc.assert(fc.property(list, (value) => assert.deepEqual(unpackMessage(pack(value as Value)), value)));
  });

  it('is refused without a failure when it is anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const content = Buffer.from(bytes);
        unpackMessage(content);
        readPayload(content, METHODS, 1);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused without a failure when something in it was changed', () => {
    const [one] = recorded.fernet;
    const key = fernetKeyOf(recorded.fernetKeys[2]!)!;
    const contents = recorded.fernet.map(({ token }) => openFernet(readFernet(token)!, [key])!);
    assert.ok(one && contents.every(Boolean));
    const change = fc.tuple(fc.nat(contents.length - 1), fc.nat(300), fc.nat(255));
    fc.assert(
      fc.property(change, ([which, at, byte]) => {
        const content = Buffer.from(contents[which]!);
        content[at % content.length] = byte;
        readPayload(content, METHODS, 1);
      }),
      { numRuns: 2000 },
    );
  });

  it('of Fernet never begins like a token of ours', () => {
    const ours = fc.tuple(fc.nat(0x7fff_ffff), fc.uint8Array({ minLength: 40, maxLength: 90 }));
    fc.assert(
      fc.property(ours, ([id, rest]) => {
        const head = Buffer.alloc(4);
        head.writeUInt32BE(id);
        assert.ok(!isFernet(Buffer.concat([head, rest]).toString('base64url')));
      }),
    );
  });
});

describe('A folder of keys', () => {
  const open = (folder: string, parse: (text: string) => unknown = fernetKeyOf) =>
    createKeyFolder({
      setting: 'SETTING',
      folder,
      most: 3,
      what: 'keys',
      isKey: (name) => /^\d+$/.test(name),
      parse,
      log: silent,
    });
  const key = (): string => randomBytes(32).toString('base64url');

  it('is read with the newest key first, without other files', () => {
    withFolder({ 0: key(), 2: key(), 10: `${key()}=\n`, '0.tmp': 'x', README: 'x', 7: '' }, (folder) => {
      mkdirSync(join(folder, '3'));
      assert.deepEqual(open(folder, (text) => text.length).keys(), [45, 43, 43]);
    });
  });

  it('is refused at the start with a sentence, and without what is in the file', () => {
    const secret = `${key().slice(1)}!`;
    for (const [files, message] of [
      [{}, /SETTING: .* has no keys/],
      [{ 0: secret }, /\/0 is not one of the keys/],
      [{ 0: key(), 1: key(), 2: key(), 3: key() }, /has 4 keys; 3 are read at most/],
      [{ 0: 'A'.repeat(9000) }, /\/0 is too large/],
    ] as const)
      withFolder(files, (folder) =>
        assert.throws(
          () => open(folder),
          ({ message: said }: Error) => message.test(said) && !said.includes(secret),
        ),
      );
    assert.throws(() => open('/no/such/folder'), /SETTING: cannot read \/no\/such\/folder \(ENOENT\); give the path/);
  });

  it('of public keys has no private ones', () => {
    assert.equal(jwsKeyOf('-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----'), undefined);
    assert.equal(jwsKeyOf('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'), undefined);
    assert.equal(jwsKeyOf(recorded.jwsKey)?.algorithm, 'ES256');
  });
});
