// The certificate of requests to wallets: made, renewed, brought, or shared with the issuer.
import assert from 'node:assert/strict';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { certify, newEcKey, type TestCertificate, usages } from '../../../../test/support/certificates.ts';
import { databaseOf, KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createSeal, newMasterKey } from '../../../platform/seal/index.ts';
import { resealColumns } from '../../../platform/sealed/index.ts';
import { decodeJws, verifyJws } from '../../../verifiable/jose/index.ts';
import { ChainError, parseX5c, verifyChain } from '../../../verifiable/trust/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { SEALED_COLUMNS } from '../../operations/jobs/index.ts';
import { createIssuerIdentity, createVerifierKeys, readBroughtVerifier } from './index.ts';
import type { VerifierKeysDeps } from './verifier.ts';

const ISSUER = 'https://id.example';
const DAY = 86_400;
const READER = '1.0.18013.5.1.6';
const certificateOf = (der: string): X509Certificate => new X509Certificate(Buffer.from(der, 'base64'));

for (const kind of KINDS)
  describe(`The certificate of requests to wallets (${kind})`, () => {
    const api = new RestartableApi(kind);
    let db: Database;
    const deps = () => ({
      db: { ...db, cached: () => ({ getOrLoad: (_key: string, load: () => unknown) => load() }) as never },
      clock: api.clock,
      change: createChanges(db, api.clock),
      seal: createSeal(api.masterKeys),
      issuer: () => ISSUER,
    });
    const keysWith = (more: Partial<VerifierKeysDeps> = {}) => createVerifierKeys({ ...deps(), ...more });
    const issuerIdentity = () => createIssuerIdentity(deps());
    const signed = async (keys = keysWith()) => keys.signer.sign({ nonce: 'x' }, { typ: 'oauth-authz-req+jwt' });

    before(async () => {
      await api.prepare();
      db = await databaseOf(api);
    });
    after(async () => {
      await db.close();
      await api.remove();
    });

    it('is made with the first use, once, below the same authority as that of the issuer', async () => {
      await Promise.all(Array.from({ length: 5 }, () => signed()));
      assert.equal((await db.read.selectFrom('verifier_keys').selectAll().execute()).length, 1);
      const { anchor } = await keysWith().shown();
      assert.equal(anchor, await issuerIdentity().anchor());
    });

    it('is for requests only, with a key of its own, and that of the issuer is for credentials only', async () => {
      const { header } = decodeJws(await signed());
      const leaf = certificateOf((header.x5c as string[])[0]!);
      assert.deepEqual(leaf.keyUsage, [READER]);
      const [ofIssuer] = await issuerIdentity().chain();
      assert.ok(!certificateOf(ofIssuer!).keyUsage?.includes(READER));
      assert.notEqual(leaf.publicKey.export({ format: 'jwk' }).x, certificateOf(ofIssuer!).publicKey.export({ format: 'jwk' }).x);
      const root = new X509Certificate((await keysWith().shown()).anchor!);
      const now = api.clock.now();
      await verifyJws(await signed(), leaf.publicKey.export({ format: 'jwk' }) as never);
      verifyChain(parseX5c(header.x5c), [root], now, 'request', true);
      for (const purpose of ['credential', 'document', 'attestation'] as const)
        assert.throws(() => verifyChain(parseX5c(header.x5c), [root], now, purpose), ChainError, purpose);
      assert.throws(() => verifyChain(parseX5c([ofIssuer]), [root], now, 'request'), ChainError);
    });

    it('of the issuer that an earlier version made for both is made anew', async () => {
      const { der } = certify({ name: 'CN=Former', extensions: [usages('1.0.18013.5.1.2', READER)] });
      await db.write((tx) => tx.updateTable('issuer_certificates').set({ certificate: der }).execute());
      assert.ok(!certificateOf((await issuerIdentity().chain())[0]!).keyUsage?.includes(READER));
    });

    it('is replaced two months before it ends, and when an administrator asks for it, at once', async () => {
      const [first] = await keysWith().signer.chain();
      api.clock.advance((398 - 61) * DAY);
      assert.deepEqual(await keysWith().signer.chain(), [first]);
      api.clock.advance(2 * DAY);
      const [second] = await keysWith().signer.chain();
      assert.notEqual(second, first);
      await keysWith().rotate();
      const [third] = await keysWith().signer.chain();
      assert.notEqual(third, second);
      const rows = await db.read.selectFrom('verifier_keys').selectAll().execute();
      assert.deepEqual(
        rows.map(({ certificate }) => certificate),
        [third],
        'nobody needs the others',
      );
      const [{ id } = { id: '' }] = await keysWith().list();
      assert.equal(decodeJws(await signed()).header.kid, id);
    });

    it('is there for each address of the service', async () => {
      const elsewhere = keysWith({ issuer: () => 'https://other.example' });
      assert.match(certificateOf((await elsewhere.signer.chain())[0]!).subjectAltName!, /DNS:other\.example/);
      assert.match(certificateOf((await keysWith().signer.chain())[0]!).subjectAltName!, /DNS:id\.example/);
    });

    it('has a sealed key, also under a new master key, and events without it', async () => {
      const kid = decodeJws(await signed()).header.kid;
      for (const { sealed } of await db.read.selectFrom('verifier_keys').selectAll().execute()) assert.match(sealed, /^v1\./);
      const [old] = api.masterKeys;
      api.masterKeys = [newMasterKey(), old!];
      await resealColumns(db, SEALED_COLUMNS, createSeal(api.masterKeys));
      api.masterKeys = [api.masterKeys[0]!];
      assert.equal(decodeJws(await signed()).header.kid, kid);
      const events = await db.read.selectFrom('audit_events').where('target_kind', '=', 'verifier_keys').selectAll().execute();
      assert.ok(events.length > 0);
      assert.doesNotMatch(JSON.stringify(events), /"(d|sealed|k)\\*"/);
    });

    it('is the one that was brought, which is not stored and not replaced here', async () => {
      const stored = async () => (await db.read.selectFrom('verifier_keys').selectAll().execute()).length;
      const count = await stored();
      const brought = keysWith({ brought: broughtKey() });
      const { header } = decodeJws(await signed(brought));
      assert.equal((header.x5c as string[]).length, 2, 'without the root');
      assert.equal((await brought.shown()).anchor, undefined);
      assert.equal((await brought.inUse()).renews, false);
      await assert.rejects(brought.rotate(), { code: 'key.verifier_brought' });
      assert.equal(await stored(), count);
    });

    it('is that of the issuer where an operator brought one chain only', async () => {
      const issuer = issuerIdentity();
      const shared = keysWith({ issuerChain: issuer });
      assert.deepEqual(decodeJws(await signed(shared)).header.x5c, await issuer.chain());
      assert.deepEqual([await shared.list(), (await shared.inUse()).certificates], [[], []], 'it is shown once');
      await assert.rejects(shared.rotate(), { code: 'key.verifier_brought' });
    });
  });

const root = certify({ name: 'CN=Root', ca: true, until: new Date(Date.now() + 400 * DAY * 1000) });
const middle = certify({ name: 'CN=Middle', ca: true, by: root, until: root.certificate.validToDate });
const leafWith = (key: KeyObject, more: object = {}): TestCertificate =>
  certify({
    name: 'CN=City of Vigo',
    by: middle,
    key,
    until: root.certificate.validToDate,
    extensions: [usages(READER)],
    ...more,
  });

/** Read from files, as a start reads it. */
function read(certificates: readonly TestCertificate[], key: KeyObject) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-verifier-'));
  try {
    const [verifierCertFile, verifierKeyFile] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
    writeFileSync(verifierCertFile, certificates.map(({ certificate }) => certificate.toString()).join(''));
    writeFileSync(verifierKeyFile, key.export({ type: 'pkcs8', format: 'pem' }));
    const log = createLog('info', { write: () => undefined });
    return readBroughtVerifier({ verifierCertFile, verifierKeyFile, url: ISSUER }, { now: Math.floor(Date.now() / 1000), log })!;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function broughtKey() {
  const key = newEcKey();
  return read([leafWith(key), middle, root], key);
}

describe('A chain of requests that is brought', () => {
  const key = newEcKey();

  it('may name somebody instead of a host, as access certificates do', () => {
    assert.equal(read([leafWith(key), middle, root], key).namesHost, false);
    assert.equal(read([leafWith(key, { dns: ['id.example'] }), middle], key).namesHost, true);
  });

  it('is refused for another purpose, with another key or in the wrong order', () => {
    const ofIssuer = leafWith(key, { extensions: [usages('1.0.18013.5.1.2')] });
    assert.throws(() => read([ofIssuer, middle], key), /VERIFIER_CERT_FILE: the chain is not accepted: .*purpose/);
    assert.throws(() => read([leafWith(key), middle], newEcKey()), /VERIFIER_KEY_FILE: it is not the key/);
    assert.throws(() => read([leafWith(key), root, middle], key), /not accepted/);
  });
});
