import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { databaseOf, KINDS, RestartableApi } from '../../../test/support/restartable-api.ts';
import { createSeal } from '../../platform/seal/index.ts';
import { decodeJws, verifyJws } from '../../verifiable/jose/index.ts';
import { createTrust } from '../../verifiable/trust/index.ts';
import { createChanges } from '../audit/index.ts';
import type { Database } from '../database.ts';
import { createIssuerIdentity, type Issuer } from './index.ts';

const ISSUER = 'https://id.example';
const nothing = (): never => assert.fail('nothing is asked of others');

for (const kind of KINDS) {
  describe(`The issuer of credentials (${kind})`, () => {
    const api = new RestartableApi(kind);
    let db: Database;
    let identity: Issuer;

    const identityAt = (issuer: string): Issuer =>
      createIssuerIdentity({
        db: { ...db, cached: db.cached },
        clock: api.clock,
        change: createChanges(db, api.clock),
        seal: createSeal(api.masterKeys),
        issuer: () => issuer,
      });

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
      assert.deepEqual(trust.keyOfChain(header.x5c, 'request').jwk, jwk);
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
  });
}
