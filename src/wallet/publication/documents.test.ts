// Published documents of users and of the node, on both databases.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { onEachWallet, type TestWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';
const NODE_DOCUMENT = '/.well-known/did.json';

let names = 0;
const newName = (): string => `document-${++names}`;

async function publish(person: WalletUser, path: string): Promise<any> {
  const { id } = await person.make('dids', { path });
  return (await person.post(`${DIDS}/${id}/publish`)).body;
}

/** A path as it is: fetch would tidy it up. */
function statusOf(wallet: TestWallet, path: string): Promise<number> {
  const { hostname, port } = new URL(wallet.url);
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('end', () => resolve(Number(said.split(' ', 2)[1])));
    socket.on('error', reject);
  });
}

onEachWallet('Published documents', (wallet) => {
  const nodePath = () => `${DIDS}/${encodeURIComponent(`did:web:localhost%3A${new URL(wallet.url).port}`)}`;

  describe('as they are served', () => {
    for (const [what, make] of [
      ['of a caller', async () => `/dids/${(await publish(await wallet.logIn(), newName())).did.split(':').at(-1)}/did.json`],
      ['of the node', async () => NODE_DOCUMENT],
    ] as const) {
      it(`are JSON for everybody, for five minutes at most (${what})`, async () => {
        const path = await make();
        const first = await wallet.get(path);
        const fromMemory = await wallet.get(path);
        for (const { status, headers, body } of [first, fromMemory]) {
          assert.equal(status, 200);
          assert.match(headers.get('content-type')!, /^application\/json\b/);
          assert.equal(headers.get('access-control-allow-origin'), '*');
          assert.equal(headers.get('access-control-allow-credentials'), null);
          assert.match(headers.get('vary')!, /\baccept\b/i);
          const [, seconds] = /^public, max-age=(\d+)$/.exec(headers.get('cache-control')!) ?? [];
          assert.ok(Number(seconds) <= 300, headers.get('cache-control')!);
          assert.match(headers.get('etag')!, /^"[\w-]{16,}"$/);
          assert.deepEqual(body, first.body);
        }
      });

      it(`are application/did+json for those who ask (${what})`, async () => {
        const path = await make();
        const plain = await wallet.get(path);
        for (const accept of ['application/did+json', 'application/did+json, application/json;q=0.5']) {
          const answer = await wallet.get(path, { headers: { Accept: accept } });
          assert.match(answer.headers.get('content-type')!, /^application\/did\+json\b/);
          assert.deepEqual(JSON.parse(answer.text), plain.body);
        }
        const other = await wallet.get(path, { headers: { Accept: '*/*' } });
        assert.match(other.headers.get('content-type')!, /^application\/json\b/);
      });

      it(`are not sent again to those who have them (${what})`, async () => {
        const path = await make();
        const etag = (await wallet.get(path)).headers.get('etag')!;
        for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
          const answer = await wallet.get(path, { headers: { 'If-None-Match': known } });
          assert.deepEqual([answer.status, answer.text], [304, ''], known);
          assert.equal(answer.headers.get('etag'), etag);
          assert.equal(answer.headers.get('content-length'), null);
          assert.equal(answer.headers.get('access-control-allow-origin'), '*');
          assert.match(answer.headers.get('cache-control')!, /max-age/);
        }
        for (const other of ['"other"', etag.slice(1, -1), ''])
          assert.equal((await wallet.get(path, { headers: { 'If-None-Match': other } })).status, 200, other);
      });

      it(`answer HEAD as GET, without the document (${what})`, async () => {
        const path = await make();
        const [head, got] = [await wallet.request('HEAD', path), await wallet.get(path)];
        assert.deepEqual([head.status, head.text], [200, '']);
        for (const name of ['etag', 'cache-control', 'content-type', 'content-length', 'access-control-allow-origin'])
          assert.equal(head.headers.get(name), got.headers.get(name), name);
      });

      it(`cannot be written (${what})`, async () => {
        const path = await make();
        for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
          assert.equal((await wallet.request(method, path)).status, 405, method);
        assert.equal((await wallet.get(path)).status, 200);
      });
    }
  });

  describe('that are not there', () => {
    it('are 404, for pages of others too, and are not kept', async () => {
      const answer = await wallet.get('/dids/nobody/did.json');
      assertProblem(answer, 404, 'not-found');
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    });

    it('are those of drafts, of what was withdrawn, and of what was deleted', async () => {
      const person = await wallet.logIn();
      const path = newName();
      const status = async () => (await wallet.get(`/dids/${path}/did.json`)).status;
      const { id } = await person.make('dids', { path });
      assert.equal(await status(), 404);
      await person.post(`${DIDS}/${id}/publish`);
      assert.equal(await status(), 200);
      await person.post(`${DIDS}/${id}/unpublish`);
      assert.equal(await status(), 404);
      await person.post(`${DIDS}/${id}/publish`);
      assert.equal(await status(), 200);
      await person.post(`${DIDS}/${id}/unpublish`);
      await person.delete(`${DIDS}/${id}`);
      assert.equal(await status(), 404);
    });

    it('are found by no other way of writing a path', async () => {
      const person = await wallet.logIn();
      const name = newName();
      await publish(person, name);
      assert.equal(await statusOf(wallet, `/dids/${name}/did.json`), 200);
      for (const path of [
        '/dids/.well-known/did.json',
        '/dids/%2Ewell-known/did.json',
        '/dids/%2e%77ell-known/did.json',
        '/dids//did.json',
        '/dids/../.well-known/did.json',
        '/dids/..%2F.well-known/did.json',
        '/dids/..%2f..%2fetc%2fpasswd/did.json',
        `/dids/x/../${name}/did.json`,
        `/dids/x%2F..%2F${name}/did.json`,
        `/dids/${name.toUpperCase()}/did.json`,
        `/dids/${name}%20/did.json`,
        `/dids/${name}%00/did.json`,
        `/dids/${name}'--/did.json`,
        '/dids/%/did.json',
        '/dids/%E0%A4%A/did.json',
        `/dids/${'x'.repeat(5000)}/did.json`,
        '/dids/did.json',
        '/did.json',
      ]) {
        const status = await statusOf(wallet, path);
        assert.ok(status === 404 || status === 400, `${path}: ${status}`);
      }
    });
  });

  describe('of the node', () => {
    it('has the host of the node as its DID, and a key', async () => {
      const { body } = await wallet.get(NODE_DOCUMENT);
      assert.equal(body.id, `did:web:localhost%3A${new URL(wallet.url).port}`);
      const [method, ...more] = body.verificationMethod;
      assert.deepEqual(more, []);
      assert.equal(method.id, `${body.id}#${method.publicKeyJwk.kid}`);
      assert.deepEqual([body.authentication, body.assertionMethod], [[method.id], [method.id]]);
    });

    it('is in the hands of administrators: they see it, and rotate its key', async () => {
      const admin = await wallet.logIn('admin-1');
      const before = await wallet.get(NODE_DOCUMENT);
      assert.deepEqual((await wallet.get(NODE_DOCUMENT)).body, before.body, 'from memory');
      const shown = await admin.get(nodePath());
      assert.equal(shown.status, 200, shown.text);
      assert.deepEqual(shown.body.document, before.body);
      assert.equal(shown.body.documentUrl, wallet.url + NODE_DOCUMENT);
      const old = shown.body.keys.find(({ state }: any) => state === 'active');
      const rotated = await admin.post(`${KEYS}/${old.keyId}/rotate`, {});
      assert.equal(rotated.status, 200, rotated.text);

      const after = await wallet.get(NODE_DOCUMENT);
      assert.notEqual(after.headers.get('etag'), before.headers.get('etag'));
      const both = [old.verificationMethod, `${after.body.id}#${rotated.body.kid}`];
      assert.deepEqual(
        after.body.verificationMethod.map(({ id }: any) => id),
        both,
      );
      assert.deepEqual(after.body.assertionMethod, both);
      const stale = await wallet.get(NODE_DOCUMENT, { headers: { 'If-None-Match': before.headers.get('etag')! } });
      assert.equal(stale.status, 200);
      const { checks } = (await wallet.get('/readyz')).body;
      assert.equal(checks.wallet.status, 'ok', 'the node signs with the new key');
    });

    it('is not in the lists of an administrator, and no DID can be made with its key', async () => {
      const admin = await wallet.logIn('admin-2');
      const { keys } = (await admin.get(nodePath())).body;
      assert.deepEqual((await admin.get(DIDS)).body, []);
      assert.deepEqual((await admin.get(KEYS)).body, []);
      assertProblem(await admin.post(DIDS, { keyIds: [keys[0].keyId] }), 422, 'key-not-active');
    });

    it('does not exist for anybody else', async () => {
      const [admin, person] = [await wallet.logIn('admin-3'), await wallet.logIn()];
      const { body: node } = await admin.get(nodePath());
      const [{ keyId }] = node.keys;
      for (const path of [nodePath(), `${DIDS}/${node.id}`]) {
        assertProblem(await person.get(path), 404, 'not-found');
        assertProblem(await person.post(`${path}/publish`), 404, 'not-found');
        assertProblem(await person.post(`${path}/unpublish`), 404, 'not-found');
        assertProblem(await person.delete(path), 404, 'not-found');
      }
      assertProblem(await person.post(`${KEYS}/${keyId}/rotate`, {}), 404, 'not-found');
      assertProblem(await person.post(`${KEYS}/${keyId}/revoke?force=true`, {}), 404, 'not-found');
      assertProblem(await person.delete(`${KEYS}/${keyId}?force=true`), 404, 'not-found');
      assert.deepEqual((await admin.get(nodePath())).body, node);
    });

    it('can be withdrawn and published again by an administrator, never deleted, and its key never purged', async () => {
      const admin = await wallet.logIn('admin-4');
      const { body: node } = await admin.get(nodePath());
      assert.equal((await admin.post(`${nodePath()}/unpublish`)).status, 200);
      assertProblem(await wallet.get(NODE_DOCUMENT), 404, 'not-found');
      for (const query of ['', '?force=true']) {
        assertProblem(await admin.delete(nodePath() + query), 403, 'forbidden');
        for (const { keyId } of node.keys) assertProblem(await admin.delete(`${KEYS}/${keyId}${query}`), 403, 'forbidden');
      }
      assert.equal((await admin.post(`${nodePath()}/publish`)).status, 200);
      assert.deepEqual((await wallet.get(NODE_DOCUMENT)).body, node.document);
    });
  });
});

const settings: Record<string, string> = { GATEHOUSE_WALLET_URL: 'https://one.example' };

onEachWallet(
  'The document of a node that moves',
  (wallet) => {
    async function at(url: string): Promise<any> {
      await wallet.service.stop(1000);
      settings.GATEHOUSE_WALLET_URL = url;
      await wallet.open();
      const { body } = await wallet.get(NODE_DOCUMENT);
      return body;
    }
    const published = async () => {
      const db = await wallet.database();
      const rows = await db.read.selectFrom('published_documents').select('did').execute();
      await db.close();
      return rows.map(({ did }) => did);
    };

    it('is the one of its address, each time it has another', async () => {
      const one = await at('https://one.example');
      assert.equal(one.id, 'did:web:one.example');
      assert.deepEqual(await at('https://one.example'), one, 'a restart changes nothing');

      const two = await at('https://two.example:8443');
      assert.equal(two.id, 'did:web:two.example%3A8443');
      assert.notEqual(two.verificationMethod[0].publicKeyJwk.kid, one.verificationMethod[0].publicKeyJwk.kid);
      assert.deepEqual(await published(), [two.id], 'the former document is no longer there');

      const back = await at('https://one.example');
      assert.equal(back.id, one.id);
      assert.equal(back.verificationMethod[0].id, one.verificationMethod[0].id, 'who knew its key still does');
      assert.deepEqual(await published(), [one.id]);
      assert.deepEqual(await at('https://one.example'), back);
      assert.equal((await wallet.get('/readyz')).body.checks.wallet.status, 'ok');
    });

    it('is called localhost where the node has an address and no name', async () => {
      assert.equal((await at('http://127.0.0.1:8080')).id, 'did:web:localhost%3A8080');
      assert.equal((await at('http://[::1]:8080')).id, 'did:web:localhost%3A8080');
      assert.equal((await at('https://UPPER.example')).id, 'did:web:upper.example');
    });
  },
  { settings },
);
