import assert from 'node:assert/strict';
import { type KeyObject, verify, X509Certificate } from 'node:crypto';
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
import { createTrust } from '../../../verifiable/trust/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { SEALED_COLUMNS } from '../../operations/jobs/index.ts';
import { createIssuerIdentity, didOf, type Issuer, readBroughtKey } from './index.ts';
import type { IssuerKeysDeps } from './key-material.ts';

const ISSUER = 'https://id.example';
const HOUR = 3600;
const DAY = 24 * HOUR;
const nothing = (): never => assert.fail('nothing is asked of others');

for (const kind of KINDS) {
  describe(`The issuer of credentials (${kind})`, () => {
    const api = new RestartableApi(kind);
    let db: Database;
    let identity: Issuer;

    /** As in another process: nothing is cached. */
    const identityAt = (issuer: string, more: Partial<IssuerKeysDeps> = {}): Issuer =>
      createIssuerIdentity({
        db: { ...db, cached: () => ({ getOrLoad: (_key: string, load: () => unknown) => load() }) as never },
        clock: api.clock,
        change: createChanges(db, api.clock),
        seal: createSeal(api.masterKeys),
        issuer: () => issuer,
        ...more,
      });
    const kidOf = async (issuer: Issuer): Promise<unknown> =>
      decodeJws(await issuer.sign({}, { typ: 'a', by: 'kid' })).header.kid;
    const kidsOf = async (issuer: Issuer): Promise<string[]> => (await issuer.publicKeys()).map(({ kid }) => kid);

    before(async () => {
      await api.prepare();
      db = await databaseOf(api);
      identity = identityAt(ISSUER);
    });
    after(async () => {
      await db.close();
      await api.remove();
    });

    const trustOf = async () => {
      const anchor = new X509Certificate((await identity.anchor())!);
      return createTrust({
        outbound: nothing as never,
        resolver: { verificationMethod: nothing } as never,
        anchors: () => [anchor],
        clock: api.clock,
        policy: { mode: 'listed', dids: [] },
      });
    };

    it('makes its key and certificate with the first use, once', async () => {
      await Promise.all(Array.from({ length: 5 }, () => identity.sign({}, { typ: 'a', by: 'kid' })));
      const rows = await db.read.selectFrom('issuer_keys').selectAll().execute();
      assert.deepEqual(rows.map(({ origin }) => origin).sort(), ['authority', 'made']);
      assert.equal((await db.read.selectFrom('issuer_certificates').selectAll().execute()).length, 1);
    });

    it('has a certificate for mobile documents, also where an earlier version made one without', async () => {
      const leafOf = async () => new X509Certificate(Buffer.from((await identity.chain())[0]!, 'base64'));
      assert.ok((await leafOf()).keyUsage?.includes('1.0.18013.5.1.2'));
      const { der } = certify({ name: 'CN=Former', extensions: [usages('1.3.6.1.5.5.7.3.36')] });
      await db.write((tx) => tx.updateTable('issuer_certificates').set({ certificate: der }).execute());
      assert.ok((await leafOf()).keyUsage?.includes('1.0.18013.5.1.2'));
      assert.equal(await identity.signsDocuments(), true);
      const { signature, chain } = await identity.signBytes(Buffer.from('x'));
      const leaf = new X509Certificate(Buffer.from(chain[0]!, 'base64'));
      assert.ok(verify('sha256', Buffer.from('x'), { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' }, signature));
    });

    it('signs with a chain that our own verifiers accept', async () => {
      const jws = await identity.sign({ iss: ISSUER, vct: 'x' }, { typ: 'dc+sd-jwt', by: 'x5c' });
      const { header, payload } = decodeJws(jws);
      assert.deepEqual(payload, { iss: ISSUER, vct: 'x' });
      assert.equal(header.alg, 'ES256');
      assert.equal(header.typ, 'dc+sd-jwt');
      const trust = await trustOf();
      const { jwk, trust: by } = await trust.keyOfJwt(header, ISSUER);
      assert.equal(by, 'anchor');
      await verifyJws(jws, jwk);
      await assert.rejects(trust.keyOfJwt(header, 'https://other.example'));
      assert.deepEqual((await trust.keyOfChain(header.x5c, 'document')).jwk, jwk);
      await assert.rejects(trust.keyOfChain(header.x5c, 'request'), /another purpose/);
    });

    it('names its key by its DID, or as it is published', async () => {
      assert.equal(identity.did(), 'did:web:id.example');
      const [published] = await identity.publicKeys();
      const byDid = decodeJws(await identity.sign({}, { typ: 'JWT', by: 'did' })).header;
      assert.equal(byDid.kid, `did:web:id.example#${published!.kid}`);
      const byKey = decodeJws(await identity.sign({}, { typ: 'JWT', by: 'kid' })).header;
      assert.equal(byKey.kid, published!.kid);
      assert.equal(byKey.x5c, undefined);
    });

    it('has a certificate for each address it is known at, of one key', async () => {
      const other = identityAt('http://127.0.0.1:5000');
      assert.equal(other.did(), undefined);
      await assert.rejects(other.sign({}, { typ: 'a', by: 'did' }));
      const [leaf, before] = [(await other.chain())[0]!, await identity.chain()];
      assert.match(new X509Certificate(Buffer.from(leaf, 'base64')).subjectAltName!, /URI:http:\/\/127\.0\.0\.1:5000/);
      assert.deepEqual(await identity.chain(), before, 'the other one stays');
      assert.equal(await kidOf(other), await kidOf(identity));
      assert.equal(await other.anchor(), await identity.anchor());
    });

    it('says in its certificates that they are for development', async () => {
      const [leaf] = await identity.chain();
      for (const certificate of [
        new X509Certificate(Buffer.from(leaf!, 'base64')),
        new X509Certificate((await identity.anchor())!),
      ])
        assert.match(certificate.subject, /development/);
    });

    it('announces a new key before it signs, and what the old one signed stays valid', async () => {
      const signed = await identity.sign({ iss: ISSUER }, { typ: 'JWT', by: 'kid' });
      const first = await kidOf(identity);
      await identity.keys.rotate();
      assert.equal(await kidOf(identity), first, 'not yet');
      assert.equal((await kidsOf(identity)).length, 2);
      await assert.rejects(identity.keys.rotate({ unlessAnnounced: true }), { code: 'key.announced' });
      api.clock.advance(HOUR + 1);
      assert.notEqual(await kidOf(identity), first);
      const old = (await identity.publicKeys()).find(({ kid }) => kid === first)!;
      await verifyJws(signed, old as never);
      const jws = await identity.sign({ iss: ISSUER }, { typ: 'dc+sd-jwt', by: 'x5c' });
      await verifyJws(jws, (await (await trustOf()).keyOfJwt(decodeJws(jws).header, ISSUER)).jwk);
    });

    it('publishes a key as long as something that it signed is valid, and not longer', async () => {
      const issue = async (id: string, days: number) => {
        const now = Math.floor(api.clock.now() / 1000);
        const times = { issued_at: now, changed_at: now, expires_at: now + days * DAY };
        const names = {
          batch_id: id,
          issuance_id: id,
          user_id: 'u',
          type_id: 't',
          application_id: 'a',
          client_id: null,
          reason: null,
        };
        const entry = { list_id: 'l', list_index: days, list_state: 0, list_version: 0, state: 'valid' as const };
        const row = { id, ...names, format: 'dc+sd-jwt', key_thumbprint: id, ...times, ...entry };
        await db.write((tx) => tx.insertInto('issued_credentials').values(row).execute());
      };
      const issuer = identityAt(ISSUER);
      const before = await kidsOf(issuer);
      assert.equal(before.length, 2);
      await issue('of-the-old-key', 10);
      await issuer.keys.sweep();
      api.clock.advance(4 * DAY);
      await issue('of-the-new-key', 100);
      assert.equal(await issuer.keys.sweep(), 0);
      assert.deepEqual(await kidsOf(issuer), before, 'a credential is valid');
      api.clock.advance(7 * DAY);
      assert.equal(await issuer.keys.sweep(), 1, 'that of the successor does not count');
      assert.deepEqual(await kidsOf(issuer), [await kidOf(issuer)]);
      api.clock.advance(200 * DAY);
      assert.equal(await issuer.keys.sweep(), 0, 'the one in use stays, however old');
    });

    it('keeps a key that another process uses', async () => {
      const issuer = identityAt(ISSUER);
      const brought = identityAt(ISSUER, { brought: broughtKey() });
      const kid = await kidOf(brought);
      assert.ok((await kidsOf(issuer)).includes(String(kid)));
      for (let day = 0; day < 5; day++) {
        api.clock.advance(DAY);
        await brought.keys.sweep();
        await issuer.keys.sweep();
      }
      assert.ok((await kidsOf(issuer)).includes(String(kid)));
      assert.ok((await kidsOf(issuer)).includes(String(await kidOf(issuer))));
      api.clock.advance(3 * DAY);
      assert.equal(await issuer.keys.sweep(), 1, 'it does so no more');
    });

    it('has no more keys than verifiers accept', async () => {
      const before = (await kidsOf(identity)).length;
      for (let count = before; count < 40; count++) await identity.keys.rotate();
      await assert.rejects(identity.keys.rotate(), { code: 'key.issuer_limit' });
    });

    it('signs with a key that was brought, which is not stored and not rotated here', async () => {
      const brought = broughtKey();
      const issuer = identityAt(ISSUER, { brought });
      const jws = await issuer.sign({ iss: ISSUER }, { typ: 'dc+sd-jwt', by: 'x5c' });
      assert.equal(await issuer.anchor(), undefined);
      const { header } = decodeJws(jws);
      assert.equal((header.x5c as string[]).length, 2, 'without the root');
      const trust = createTrust({
        outbound: nothing as never,
        resolver: { verificationMethod: nothing } as never,
        anchors: () => [root.certificate],
        // The clock of these tests is ahead.
        clock: { now: () => Date.now() },
        policy: { mode: 'listed', dids: [] },
      });
      await verifyJws(jws, (await trust.keyOfJwt(header, ISSUER)).jwk);
      const row = await db.read.selectFrom('issuer_keys').where('id', '=', brought.id).selectAll().executeTakeFirstOrThrow();
      assert.equal(row.sealed, null);
      assert.equal(JSON.parse(row.public_key).d, undefined);
      await assert.rejects(issuer.keys.rotate(), { code: 'key.issuer_brought' });
    });

    it('seals its keys, also under a new master key, and audits without them', async () => {
      const kid = await kidOf(identity);
      const rows = await db.read.selectFrom('issuer_keys').where('sealed', 'is not', null).selectAll().execute();
      for (const { sealed } of rows) assert.match(sealed!, /^v1\./);
      const [old] = api.masterKeys;
      api.masterKeys = [newMasterKey(), old!];
      await resealColumns(db, SEALED_COLUMNS, createSeal(api.masterKeys));
      api.masterKeys = [api.masterKeys[0]!];
      assert.equal(await kidOf(identityAt(ISSUER)), kid);
      const events = await db.read.selectFrom('audit_events').where('target_kind', '=', 'issuer_keys').selectAll().execute();
      assert.ok(events.length > 0);
      assert.doesNotMatch(JSON.stringify(events), /"(d|sealed|k)\\*"/);
    });
  });
}

describe('The DID of an issuer', () => {
  it('is there for https with the name of a host and no path', () => {
    assert.equal(didOf('https://id.example'), 'did:web:id.example');
    assert.equal(didOf('https://id.example:8443'), 'did:web:id.example%3A8443');
    for (const issuer of ['http://id.example', 'https://127.0.0.1', 'https://[::1]:5000', 'https://id.example/identity'])
      assert.equal(didOf(issuer), undefined, issuer);
  });
});

const root = certify({ name: 'CN=Root', ca: true, until: new Date(Date.now() + 400 * 86_400_000) });
const middle = certify({ name: 'CN=Middle', ca: true, by: root, until: root.certificate.validToDate });
const leafWith = (key: KeyObject, more: object = {}): TestCertificate =>
  certify({ name: 'CN=Issuer', by: middle, dns: ['id.example'], key, until: root.certificate.validToDate, ...more });

/** Read from files, as a start reads it. */
function read(certificates: readonly TestCertificate[], key: KeyObject | string, logged: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-issuer-'));
  try {
    const [issuerCertFile, issuerKeyFile] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
    writeFileSync(issuerCertFile, certificates.map(({ certificate }) => certificate.toString()).join(''));
    writeFileSync(issuerKeyFile, typeof key === 'string' ? key : key.export({ type: 'pkcs8', format: 'pem' }));
    const log = createLog('info', { write: (line: string) => void logged.push(line) });
    return readBroughtKey({ issuerCertFile, issuerKeyFile, url: ISSUER }, { now: Math.floor(Date.now() / 1000), log });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function broughtKey() {
  const key = newEcKey();
  return read([leafWith(key), middle, root], key)!;
}

describe('A chain that is brought', () => {
  const key = newEcKey();
  const log = createLog('info', { write: () => undefined });

  it('needs a certificate and a key', () => {
    const none = { issuerCertFile: undefined, issuerKeyFile: undefined, url: undefined };
    assert.equal(readBroughtKey(none, { now: 0, log }), undefined);
    for (const one of [{ issuerCertFile: '/nowhere' }, { issuerKeyFile: '/nowhere' }])
      assert.throws(() => readBroughtKey({ ...none, ...one }, { now: 0, log }), /go together/);
    const both = { ...none, issuerCertFile: '/nowhere/chain.pem', issuerKeyFile: '/nowhere/key.pem' };
    assert.throws(() => readBroughtKey(both, { now: 0, log }), /cannot read \/nowhere\/chain.pem/);
  });

  it('may end with its root or before it', () => {
    assert.equal(read([leafWith(key), middle, root], key)!.chain.length, 2);
    assert.equal(read([leafWith(key), middle], key)!.chain.length, 2);
  });

  const refused: Readonly<Record<string, () => [readonly TestCertificate[], KeyObject | string, RegExp]>> = {
    'without a certificate': () => [[], key, /no certificate/],
    'with another key': () => [[leafWith(key), middle], newEcKey(), /not the key/],
    'with a key of another curve': () => {
      const other = newEcKey('P-384');
      return [[leafWith(other), middle], other, /P-256/];
    },
    'with something else than a key': () => [[leafWith(key)], 'secret-text', /not a PEM file/],
    'for another host': () => [[leafWith(key, { dns: ['other.example'] }), middle], key, /does not name id.example/],
    'in the wrong order': () => [[leafWith(key), root, middle], key, /not accepted/],
    'for another purpose': () => [[leafWith(key, { extensions: [usages('1.3.6.1.5.5.7.3.1')] }), middle], key, /purpose/],
  };
  for (const [name, draft] of Object.entries(refused))
    it(`is refused ${name}`, () => {
      const [certificates, privateKey, reason] = draft();
      assert.throws(
        () => read(certificates, privateKey),
        (error: Error) => {
          assert.match(error.message, reason);
          assert.doesNotMatch(error.message, /secret-text/);
          return true;
        },
      );
    });

  it('that has expired is warned of: everything else goes on', () => {
    const logged: string[] = [];
    const dates = { from: new Date(Date.now() - 10_000), until: new Date(Date.now() - 5000) };
    const old = certify({ name: 'CN=Old', ca: true, ...dates });
    read([certify({ name: 'CN=Issuer', by: old, dns: ['id.example'], key, ...dates }), old], key, logged);
    assert.match(logged.join(''), /has expired/);
  });
});
