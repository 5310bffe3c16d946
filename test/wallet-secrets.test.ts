// The wallet's database contains no private key, token or session id in clear, in any encoding.
import assert from 'node:assert/strict';
import { createDecipheriv, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import pg from 'pg';
import { createSeal } from '../src/platform/seal/index.ts';
import { BOTH_DATABASES } from './support/migrated-database.ts';
import { ScriptedProvider } from './support/plain-provider-scripted.ts';
import { sharedPostgres } from './support/postgres.ts';
import { onWallet, type TestWallet, WalletUser } from './support/wallet.ts';
import { cookiesOf, secretsOf } from './support/wallet-session.ts';

/** A connection that bypasses row-level security. */
async function asSuperuser<T>(wallet: TestWallet, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL((await sharedPostgres()).url);
  url.pathname = new URL(wallet.databaseUrl!).pathname;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** All stored bytes: the files of SQLite, or every row of every table. */
async function everything(wallet: TestWallet): Promise<Buffer> {
  if (wallet.kind === 'SQLite') {
    const names = (await readdir(wallet.folder)).filter((name) => name.startsWith('wallet.sqlite'));
    assert.ok(names.includes('wallet.sqlite-wal'), 'what is not yet in the main file is looked at, too');
    return Buffer.concat(await Promise.all(names.map((name) => readFile(join(wallet.folder, name)))));
  }
  return asSuperuser(wallet, async (client) => {
    const { rows: tables } = await client.query(`select tablename from pg_tables where schemaname = 'public'`);
    assert.ok(tables.length >= 10);
    const dumps: Buffer[] = [];
    for (const { tablename } of tables) {
      const { rows } = await client.query(`select t::text as line from ${client.escapeIdentifier(tablename)} t`);
      dumps.push(Buffer.from(rows.map(({ line }) => line).join('\n')));
    }
    return Buffer.concat(dumps);
  });
}

/** Usual encodings of bytes. */
function spellings(bytes: Buffer): Buffer[] {
  const texts = [bytes.toString('base64url'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
  return [bytes, ...[...texts, bytes.toString('hex').toUpperCase()].map((text) => Buffer.from(text))];
}

/** All parts of a private key that must not be stored in clear. */
function secretParts(key: KeyObject): Buffer[] {
  const { kty, n: _n, e: _e, x: _x, y: _y, crv: _crv, ...secrets } = key.export({ format: 'jwk' });
  assert.ok(kty && Object.keys(secrets).length > 0);
  const der = key.export({ format: 'der', type: 'pkcs8' });
  const pem = String(key.export({ format: 'pem', type: 'pkcs8' })).split('\n')[1]!;
  // Base64 of a part differs from the same part of the whole, so the middle lines of the PEM are included.
  return [
    ...Object.values(secrets).flatMap((part) => spellings(Buffer.from(String(part), 'base64url'))),
    ...spellings(der),
    Buffer.from(pem),
    Buffer.from('PRIVATE KEY'),
  ];
}

/** The decrypted content of a row. */
function openKey(wallet: TestWallet, row: { id: string; owner: string; wrapped_key: string; material: string }): KeyObject {
  const place = (purpose: string): string => `wallet|${row.owner}|${row.id}|${purpose}|v1`;
  const dataKey = createSeal([wallet.masterKey]).open(row.wrapped_key, place('data key'));
  const bytes = Buffer.from(row.material, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', dataKey, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(place('private key')));
  decipher.setAuthTag(bytes.subarray(-16));
  const der = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

for (const kind of BOTH_DATABASES) {
  const provider = new ScriptedProvider();
  onWallet(kind, 'The database of the wallet', { provider }, (wallet) => {
    it('holds no private key, no token and no session id in clear', async () => {
      const secrets = new Map<string, Buffer[]>();
      const text = (name: string, value: string) => secrets.set(name, spellings(Buffer.from(value)));

      provider.tokens = {
        access_token: 'access-token-of-this-test-0123456789',
        refresh_token: 'refresh-token-of-this-test-0123456789',
      };
      provider.claims = { email: 'person-of-this-test@example.org' };
      const answer = await provider.logIn(wallet);
      assert.equal(answer.status, 303, answer.text);
      const person = new WalletUser(wallet, 'anna', `gatehouse_wallet=${cookiesOf(answer).gatehouse_wallet!.value}`);
      const { id, idHash, idToken, refreshToken } = await secretsOf(wallet, person.cookie);
      assert.equal(refreshToken, 'refresh-token-of-this-test-0123456789');
      text('access token', 'access-token-of-this-test-0123456789');
      text('refresh token', refreshToken);
      for (const [at, part] of idToken.split('.').entries()) text(`ID token ${at}`, part);
      text('session id', id);
      secrets.set('session id, decoded', spellings(Buffer.from(id, 'base64url')));
      text('session cookie', person.cookie.split('=')[1]!);
      text('client secret', provider.clientSecret);
      text('nonce', provider.nonce);
      text('claim', 'person-of-this-test@example.org');
      text('master key', wallet.masterKey);
      secrets.set('master key, decoded', spellings(Buffer.from(wallet.masterKey, 'base64url')));

      const imported: [string, KeyObject][] = [
        ['EC', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
        ['Ed25519', generateKeyPairSync('ed25519').privateKey],
        ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
      ];
      const publicParts: string[] = [];
      for (const [name, key] of imported) {
        const jwk = key.export({ format: 'jwk' });
        const pem = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
        await person.make('keys', { jwk });
        const headers = { 'Idempotency-Key': `import of ${name}`.replaceAll(' ', '-') };
        const body = { pem: pem.export({ format: 'pem', type: 'pkcs8' }) };
        assert.equal((await person.post('/api/v1/wallet/keys', body, { headers })).status, 201);
        // Refused, and nothing of it is stored either.
        assert.equal((await person.post('/api/v1/wallet/keys', { jwk })).status, 409);
        secrets.set(`${name} by JWK`, secretParts(key));
        secrets.set(`${name} by PEM`, secretParts(pem));
        publicParts.push((jwk.x ?? jwk.n)!);
      }
      const made = await person.make('keys', { algorithm: 'EdDSA' });
      const row = await rowOf(wallet, made.id);
      secrets.set('a generated key', secretParts(openKey(wallet, row)));

      const bytes = await everything(wallet);
      for (const [name, forms] of secrets)
        for (const form of forms) assert.equal(bytes.indexOf(form), -1, `${name} is in the database`);
      for (const there of [...publicParts, made.kid, idHash, row.material])
        assert.notEqual(bytes.indexOf(there), -1, 'this test would see it');
    });

    it('forgets the wrapped key of a key that is revoked', async () => {
      const answer = await provider.logIn(wallet);
      const person = new WalletUser(wallet, 'anna', `gatehouse_wallet=${cookiesOf(answer).gatehouse_wallet!.value}`);
      const key = await person.make('keys', { algorithm: 'ES384' });
      assert.ok((await rowOf(wallet, key.id)).material);
      assert.equal((await person.post(`/api/v1/wallet/keys/${key.id}/revoke`, {})).status, 200);
      const { wrapped_key: wrapped, material } = await rowOf(wallet, key.id);
      assert.deepEqual([wrapped, material], [null, null]);
    });
  });
}

async function rowOf(wallet: TestWallet, id: string) {
  if (wallet.kind === 'PostgreSQL')
    return asSuperuser(wallet, async (client) => (await client.query('select * from keys where id = $1', [id])).rows[0]);
  const db = await wallet.database();
  try {
    return (await db.read.selectFrom('keys').where('id', '=', id).selectAll().executeTakeFirstOrThrow()) as never;
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    await db.close();
  }
}
