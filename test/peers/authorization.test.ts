// Receiving credentials with an authorization code: from oidc-provider directly, and from Credo chained to oidc-provider.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VCT } from './credo-credentials.ts';
import { browse, credentialsOf, onPeers, Peer, stepsOf, VCI } from './peers.ts';

const TOKEN_SECONDS = 5;
const CALLBACK = '/api/v1/wallet/oid4vci/callback';

const issuer = new Peer('credo-issuer');
/** Its tokens expire soon, but not before they are used. */
const brief = new Peer('credo-issuer', { seconds: { token: TOKEN_SECONDS } });
const server = new Peer('authorization-server', { requirePar: true, requireDpop: true });

onPeers('Receiving through an authorization server', [issuer, brief, server], (withWallet) => {
  withWallet('For an authorization code', { settings: { GATEHOUSE_WALLET_CLIENT_ID: 'wallet' } }, (wallet) => {
    const chaining = { client_id: 'credo', client_secret: 'a secret of the tests' };
    before(async () => {
      const { address } = server;
      const clientAuthentication = { type: 'clientSecret', clientId: chaining.client_id, clientSecret: chaining.client_secret };
      await issuer.tell('/issuers', { id: 'direct', authorizationServers: [{ type: 'direct', issuer: address }] });
      const chained = await issuer.tell('/issuers', {
        id: 'chained',
        authorizationServers: [{ type: 'chained', issuer: address, clientAuthentication, scopesMapping: { person: ['person'] } }],
      });
      const own = { response_types: ['code'], grant_types: ['authorization_code'] };
      const callback = `${wallet.url}${CALLBACK}`;
      const open = { token_endpoint_auth_method: 'none', application_type: 'native' };
      await server.tell('/clients', { client_id: 'wallet', redirect_uris: [callback], ...open, ...own });
      const back = { redirect_uris: [`${chained.address}/redirect`], application_type: 'native' };
      await server.tell('/clients', { ...chaining, ...back, ...own });
    });

    const offered = (id: string) =>
      issuer.tell('/offers', { issuer: id, grant: 'authorization_code', authorizationServer: server.address });

    it('sends the person to the server with a pushed request, and goes on with what it answered', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await offered('direct');
      const begun = await person.post(VCI, { uri: offer });
      assert.equal(begun.status, 200, begun.text);
      const { status, authorizationUrl, exchangeId } = begun.body;
      assert.equal(status, 'authorization_required');
      const asked = new URL(authorizationUrl);
      assert.equal(asked.origin, server.address);
      assert.match(asked.searchParams.get('request_uri') ?? '', /^urn:/);
      assert.deepEqual([...asked.searchParams.keys()].sort(), ['client_id', 'request_uri']);

      const authorizationResponse = await browse(authorizationUrl, `${wallet.url}${CALLBACK}?`);
      const answer = await person.post(VCI, { exchangeId, authorizationResponse });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.credentials[0].type, VCT);
      assert.equal((await server.ask('/grants')).authorization_code, 1);
      // The server requires a DPoP nonce, which it sends after a proof without one.
      const token = (await stepsOf(person, exchangeId)).find(({ step }) => step === 'token received');
      assert.equal(token?.detail, 'bound to a key (DPoP)');
      const seen = await issuer.settled(session, ({ state }) => state === 'Completed');
      assert.equal(seen.state, 'Completed', seen.error);
    });

    it('receives the callback if the issuer is its own server and delegates to another', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', {
        issuer: 'chained',
        grant: 'authorization_code',
        authorizationServer: server.address,
      });
      const begun = await person.post(VCI, { uri: offer });
      assert.equal(begun.status, 200, begun.text);
      const back = await browse(begun.body.authorizationUrl, `${wallet.url}${CALLBACK}?`);
      const done = await wallet.get(back.slice(wallet.url.length), { headers: { Cookie: person.cookie } });
      assert.equal(done.status, 303, done.text);
      const { state } = (await person.get(done.headers.get('location')!)).body;
      assert.equal(state, 'issued');
      assert.equal((await credentialsOf(person)).length, 1);
      const seen = await issuer.settled(session, ({ state }) => state === 'Completed');
      assert.equal(seen.state, 'Completed', seen.error);
    });

    it('ends if the authorization is denied', async () => {
      const person = await wallet.logIn();
      const { body } = await person.post(VCI, { uri: (await offered('direct')).offer });
      const back = new URL(await browse(body.authorizationUrl, `${wallet.url}${CALLBACK}?`));
      back.searchParams.delete('code');
      back.searchParams.set('error', 'access_denied');
      const answer = await person.post(VCI, { exchangeId: body.exchangeId, authorizationResponse: back.href });
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.type, /authorization-refused$/);
      assert.deepEqual(await credentialsOf(person), []);
    });

    it("takes nobody else's answer", async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const [own, foreign] = [
        await person.post(VCI, { uri: (await offered('direct')).offer }),
        await stranger.post(VCI, { uri: (await offered('direct')).offer }),
      ];
      const authorizationResponse = await browse(foreign.body.authorizationUrl, `${wallet.url}${CALLBACK}?`);
      const answer = await person.post(VCI, { exchangeId: own.body.exchangeId, authorizationResponse });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(await credentialsOf(person), []);
    });

    it('renews tokens that ran out while the issuer took its time, with DPoP and without', async () => {
      const person = await wallet.logIn();
      const begin = async (wanted: object) => {
        const { session, offer } = await brief.tell('/offers', { deferred: 1, ...wanted });
        const begun = await person.post(VCI, { uri: offer });
        assert.equal(begun.status, 202, begun.text);
        await brief.tell(`/sessions/${session}/ready`);
        return { session, exchangeId: begun.body.exchangeId };
      };
      const renewable = [await begin({ refresh: true }), await begin({ refresh: true, dpop: true })];
      const lost = await begin({ refresh: false });
      // Times in tokens are whole seconds.
      await sleep((TOKEN_SECONDS + 1) * 1000 + 200);

      for (const { session, exchangeId } of renewable) {
        const answer = await person.post(VCI, { exchangeId });
        assert.equal(answer.status, 201, answer.text);
        assert.ok((await stepsOf(person, exchangeId)).some(({ step }) => step === 'token renewed'));
        const seen = await brief.settled(session, ({ state }) => state === 'Completed');
        assert.equal(seen.state, 'Completed', seen.error);
      }
      // Without a refresh token the expired token cannot be renewed.
      const answer = await person.post(VCI, { exchangeId: lost.exchangeId });
      assert.equal(answer.status, 502, answer.text);
    });
  });
});
