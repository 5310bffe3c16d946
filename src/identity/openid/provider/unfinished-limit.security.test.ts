// Every anonymous request for a sign-in stores a record: their number per address is limited.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { KeyedClient, makeKey } from '../../../../test/support/keyed-client.ts';
import { CALLBACK, makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { Stranger, setPolicy } from '../../../../test/support/self-registration.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { UNFINISHED_LIMIT } from './unfinished-limit.ts';

onUsualDatabase(
  'Requests that nobody finishes',
  (api) => {
    const rowsOf = async (model: string): Promise<number> => {
      const db = await databaseOf(api);
      const rows = await db.read.selectFrom('openid_records').where('model', '=', model).select('id').execute();
      await db.close();
      return rows.length;
    };

    /** Of an application whose id is a document, which nobody has allowed anything. */
    async function pushOfDocument(): Promise<number> {
      await setPolicy(api, { documents: 'allowed' });
      const key = await makeKey();
      const server = createServer((request, response) => {
        const id = `http://${request.headers.host}${request.url}`;
        const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
        const document = { client_id: id, client_name: 'Stranger', redirect_uris: [CALLBACK], ...keys };
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document));
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      try {
        const id = `http://127.0.0.1:${(server.address() as AddressInfo).port}/app.json`;
        const client = new KeyedClient(api, { id, secret: '' }, key);
        const { url } = new Stranger(api, { client_id: id, redirect_uris: [CALLBACK] }).ask();
        const asked = Object.fromEntries(new URLSearchParams(url.split('?')[1]));
        return (await client.send('/openid/par', { ...asked, ...(await client.proof()) })).status;
      } finally {
        server.close();
      }
    }

    it('do not fill the table, and do not block anyone who is signed in', async () => {
      api.clock.hold();
      const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
      redirectTargetOf(await browser.signIn((await party.ask()).url, person));
      assert.equal(await pushOfDocument(), 201);
      const proofs = await rowsOf('ReplayDetection');
      const { url } = await party.ask();
      let refused = 0;
      for (let sent = 0; sent < UNFINISHED_LIMIT.attempts + 20; sent++) {
        const { redirectTarget: left } = await new TestBrowser(api).request(url);
        if (left) {
          assert.equal(left.searchParams.get('error'), 'temporarily_unavailable');
          refused++;
        }
      }
      assert.ok(refused >= 15, `${refused} were refused`);
      assert.ok((await rowsOf('Interaction')) <= UNFINISHED_LIMIT.attempts + 5);
      assert.ok(redirectTargetOf(await browser.go((await party.ask()).url)).searchParams.get('code'), 'nothing is kept for them');

      const before = await rowsOf('Session');
      const device = await new TestBrowser(api).go('/openid/device');
      assert.equal(device.status, 429, 'nor sessions of nobody');
      assert.equal(await rowsOf('Session'), before);

      const open = await RelyingParty.make(api, { client_type: 'public' });
      const { publicKey, privateKey } = await generateKeyPair('ES256');
      const proof = await new SignJWT({ htm: 'POST', htu: `${api.url}/openid/par`, jti: uniqueName('proof') })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
        .setIssuedAt()
        .sign(privateKey);
      const body = (await open.ask()).url.searchParams;
      const pushed = await fetch(`${api.url}/openid/par`, { method: 'POST', headers: { DPoP: proof }, body });
      assert.deepEqual([pushed.status, await rowsOf('ReplayDetection')], [429, proofs], 'nor proofs, which anybody can make');

      assert.equal(await pushOfDocument(), 401);
      assert.equal(await rowsOf('ReplayDetection'), proofs, 'nor what a stranger signs with a key of their own');

      api.clock.advance(UNFINISHED_LIMIT.perSeconds / 10);
      assert.equal(stepOf(await new TestBrowser(api).go(url)), 'password', 'after a while there is room again');
    });

    it('are not counted after they are finished', async () => {
      api.clock.advance(UNFINISHED_LIMIT.perSeconds);
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      const { url } = await party.ask();
      const browsers = [];
      for (let sent = 0; sent < UNFINISHED_LIMIT.attempts; sent++) {
        const browser = new TestBrowser(api);
        browsers.push(browser);
        if ((await browser.request(url)).redirectTarget) break;
      }
      // Finishing a sign-in allows another one.
      const { value } = browsers[0]!.cookie('gatehouse_interaction')!;
      const page = await browsers[0]!.go(`/openid/interaction/${value}`);
      const consent = await browsers[0]!.submit(page, 'password', { name: person.name, password: person.password });
      redirectTargetOf(await browsers[0]!.submit(consent, 'allow'));
      assert.equal(stepOf(await new TestBrowser(api).go(url)), 'password');
    });
  },
  { rateLimits: true },
);
