// Published documents with independent libraries: did-resolver and web-did-resolver fetch them over TLS, jose reads their keys and
// verifies the wallet's signatures.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, decodeProtectedHeader, flattenedVerify, importJWK, type JWK } from 'jose';
import { createOutbound } from '../src/platform/outbound/index.ts';
import { ALGORITHMS } from '../src/verifiable/jose/index.ts';
import { createResolver } from '../src/verifiable/resolver/index.ts';
import { onWallet, type TestWallet, type WalletUser } from './support/wallet.ts';
import { ownerOfPerson } from './support/wallet-credentials.ts';

const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';
const ROOT = fileURLToPath(new URL('..', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
const [certFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
// For the requests of this process.
setDefaultCACertificates([...getCACertificates('default'), readFileSync(certFile, 'utf8')]);

function freePort(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(`${port}`));
    });
  });
}

/** In a separate process that trusts our certificate. */
const RESOLVE = `
  import { Resolver } from 'did-resolver';
  import { getResolver } from 'web-did-resolver';
  const { didDocument, didResolutionMetadata } = await new Resolver(getResolver()).resolve(process.argv[1]);
  console.log(JSON.stringify({ document: didDocument, error: didResolutionMetadata.error, why: didResolutionMetadata.message }));
`;

async function resolve(did: string): Promise<{ document: any; error?: string; why?: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', RESOLVE, did], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: certFile, NODE_NO_WARNINGS: '1' },
  });
  return JSON.parse(stdout);
}

/** A JWS over header.payload by the key, as in issuance and presentation. */
async function signed(wallet: TestWallet, person: WalletUser, { keyId, verificationMethod }: any, algorithm: string) {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [header, payload] = [encode({ alg: algorithm, kid: verificationMethod }), encode({ said: 'by the wallet' })];
  const signature = await wallet.service.keys.sign(ownerOfPerson(person), keyId, Buffer.from(`${header}.${payload}`));
  return { protected: header, payload, signature: signature.toString('base64url') };
}

/** Like a strict verifier: the verification method must be in the document, under the relationship it is used for. */
async function verifies(document: any, jws: Awaited<ReturnType<typeof signed>>): Promise<boolean> {
  const { kid, alg } = decodeProtectedHeader(jws);
  const method = document.verificationMethod.find(({ id }: any) => id === kid);
  if (!method || !document.assertionMethod.includes(kid)) return false;
  await flattenedVerify(jws, await importJWK(method.publicKeyJwk, alg!));
  return true;
}

const settings: Record<string, string> = {};
const options: { settings: Record<string, string>; tls?: { certFile: string; keyFile: string } } = { settings };

onWallet('SQLite', 'Documents for others', options, (wallet) => {
  let person: WalletUser;
  const act = async (path: string, body?: object): Promise<any> => {
    const answer = await person.post(path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const published = async (body: object = {}): Promise<any> => act(`${DIDS}/${(await person.make('dids', body)).id}/publish`);

  before(async () => {
    // The provider does not redirect to https://localhost, so the login happens before the node has a certificate.
    person = await wallet.logIn();
    await wallet.service.stop(1000);
    const port = await freePort();
    Object.assign(settings, { GATEHOUSE_WALLET_PORT: port, GATEHOUSE_WALLET_URL: `https://localhost:${port}` });
    options.tls = { certFile, keyFile };
    await wallet.open();
    person.cookie = `__Host-${person.cookie}`;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  describe('did:web', () => {
    it('resolves, for a caller and for the node', async () => {
      const did = await published({
        path: 'acme',
        service: [{ id: 'hub', type: 'Hub', serviceEndpoint: 'https://example.org/hub' }],
        alsoKnownAs: ['https://example.org'],
      });
      assert.match(did.did, /^did:web:localhost%3A\d+:dids:acme$/);
      assert.deepEqual(await resolve(did.did), { document: did.document });
      const node = did.did.replace(':dids:acme', '');
      const { document, error } = await resolve(node);
      assert.equal(error, undefined);
      assert.equal(document.id, node);
      assert.deepEqual(document, (await wallet.get('/.well-known/did.json')).body);
    });

    it('does not resolve before it is published, nor after it was withdrawn', async () => {
      const { id, did } = await person.make('dids');
      assert.equal((await resolve(did)).error, 'notFound');
      await act(`${DIDS}/${id}/publish`);
      assert.equal((await resolve(did)).error, undefined);
      await act(`${DIDS}/${id}/unpublish`);
      assert.deepEqual([(await resolve(did)).document, (await resolve(did)).error], [null, 'notFound']);
    });

    it('has only absolute names, and refers to nothing that is not in it', async () => {
      const keys = [await person.make('keys'), await person.make('keys', { use: ['keyAgreement'] })];
      const service = [{ type: 'Hub', serviceEndpoint: 'https://example.org/hub' }];
      const { did } = await published({ keyIds: keys.map(({ id }) => id), service });
      const { document } = await resolve(did);
      const methods = document.verificationMethod.map(({ id }: any) => id);
      for (const id of [...methods, ...document.service.map((one: any) => one.id)]) assert.ok(id.startsWith(`${did}#`), id);
      assert.equal(new Set(methods).size, methods.length);
      for (const { controller, type } of document.verificationMethod) assert.deepEqual([controller, type], [did, 'JsonWebKey']);
      for (const name of ['authentication', 'assertionMethod', 'keyAgreement']) {
        assert.equal(document[name].length, 1, name);
        for (const id of document[name]) assert.ok(methods.includes(id), id);
      }
    });

    it('verifies what was signed before a rotation, and nothing of a key that was revoked', async () => {
      const did = await published();
      const [old] = did.keys;
      const before = await signed(wallet, person, old, 'ES256');
      assert.equal(await verifies((await resolve(did.did)).document, before), true);

      const successor = await act(`${KEYS}/${old.keyId}/rotate`, {});
      const rotated = (await resolve(did.did)).document;
      assert.equal(await verifies(rotated, before), true, 'the grace period has begun');
      const shown = (await person.get(`${DIDS}/${did.id}`)).body.keys.find(({ keyId }: any) => keyId === successor.id);
      const next = await signed(wallet, person, shown, 'ES256');
      assert.equal(await verifies(rotated, next), true);
      await assert.rejects(verifies(rotated, { ...next, signature: before.signature }), /signature verification failed/);
      await assert.rejects(signed(wallet, person, old, 'ES256'), 'a rotated key signs nothing new');

      await act(`${KEYS}/${old.keyId}/revoke`, { reason: 'compromised' });
      const revoked = (await resolve(did.did)).document;
      assert.equal(await verifies(revoked, before), false);
      assert.equal(await verifies(revoked, next), true);
      assert.ok(!JSON.stringify(revoked).includes(old.kid), 'nothing of it is left');
    });

    it('no longer verifies what a key signed when its grace period is over', async () => {
      const did = await published();
      const [old] = did.keys;
      const before = await signed(wallet, person, old, 'ES256');
      await act(`${KEYS}/${old.keyId}/rotate`, { gracePeriod: 'PT10M' });
      wallet.clock.advance(601);
      await wallet.service.sweep();
      assert.equal(await verifies((await resolve(did.did)).document, before), false);
    });

    it('has keys of every algorithm that jose can import, by their thumbprint', async () => {
      const made = new Map<string, any>();
      for (const algorithm of ALGORITHMS) made.set(algorithm, await person.make('keys', { algorithm }));
      const did = await published({ keyIds: [...made.values()].map(({ id }) => id) });
      const { document } = await resolve(did.did);
      assert.equal(document.verificationMethod.length, ALGORITHMS.length);
      for (const [algorithm, key] of made) {
        const carried = did.keys.find(({ keyId }: any) => keyId === key.id);
        const { id, publicKeyJwk } = document.verificationMethod.find((one: any) => one.id === carried.verificationMethod);
        assert.equal(id, `${did.did}#${await calculateJwkThumbprint(publicKeyJwk as JWK)}`, algorithm);
        for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.ok(!(secret in publicKeyJwk), algorithm);
        // jose does not have this curve; its key is looked at in keys/algorithms.test.ts.
        if (algorithm === 'ES256K') continue;
        assert.equal(await verifies(document, await signed(wallet, person, carried, algorithm)), true, algorithm);
      }
    });
  });

  describe('did:key and did:jwk', () => {
    it('resolve to what the wallet shows, without a network request', async () => {
      const { resolve: ours } = createResolver({ outbound: createOutbound([]), clock: wallet.clock });
      for (const algorithm of ALGORITHMS) {
        const key = await person.make('keys', { algorithm });
        for (const method of ['key', 'jwk']) {
          const did = await person.make('dids', { method, keyIds: [key.id] });
          const { didDocument, didResolutionMetadata } = await ours(did.did);
          assert.equal(didResolutionMetadata.error, undefined, `${method} ${algorithm}`);
          assert.deepEqual(didDocument, did.document, `${method} ${algorithm}`);
          const [{ publicKeyJwk, id }] = did.document.verificationMethod;
          assert.equal(await calculateJwkThumbprint(publicKeyJwk), key.kid, `${method} ${algorithm}`);
          assert.equal(did.keys[0].verificationMethod, id);
        }
      }
    });
  });
});
