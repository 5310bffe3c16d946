// Credentials by the authorization code flow: the wallet asks by scope or by authorization details, by itself or because of an offer.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import * as client from 'openid-client';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import {
  authorize,
  type CodeRequest,
  codeGrant,
  codeRequest,
  issuedTo,
  makeHolder,
  makeOffer,
  PUBLIC_WALLETS,
  readSdJwt,
  TestCredentialWallet,
  usesRoleWorld,
  WALLET_CALLBACK,
} from '../../../../test/support/role-credentials.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { AttestedTestWallet, usesAttestedWallet, usesWalletProvider } from '../../../../test/support/wallet-provider.ts';

onEachDatabase(
  'Receiving a credential after signing in',
  (api) => {
    const { world, person } = usesRoleWorld(api, { subject: 'user' });
    const wallet = new TestCredentialWallet(api);
    before(async () => void (await wallet.withDpop()));

    async function tokenOf(request: CodeRequest, isPushed = false) {
      const answer = await authorize(api, request, person, { isPushed });
      assert.equal(answer.get('iss'), wallet.issuer, 'RFC 9207');
      assert.equal(answer.get('state'), request.parameters.state);
      const { status, body, text } = await wallet.askToken(codeGrant(request, answer));
      assert.equal(status, 200, text);
      return body;
    }

    it('asks by scope', async () => {
      const token = await tokenOf(codeRequest({ scope: world.scope }));
      assert.equal(token.token_type, 'DPoP');
      assert.equal(token.scope, world.scope);
      const { payload } = readSdJwt(await wallet.receive(token, world.sdJwt));
      assert.deepEqual([payload.sub, payload.roles[0].names], [person.id, ['manager']]);
      assert.ok(await wallet.receive(token, world.jwtVc), 'a scope is for all formats of a type');
    });

    it('asks by authorization details, in a pushed request, and names the credential by its identifier', async () => {
      const details = [{ type: 'openid_credential', credential_configuration_id: world.sdJwt }];
      const token = await tokenOf(codeRequest({ authorization_details: JSON.stringify(details) }), true);
      const [{ credential_identifiers: ids }] = token.authorization_details;
      assert.deepEqual(ids, [world.sdJwt]);
      const jwt = [await wallet.proof()];
      const answer = await wallet.request(token, { credential_identifier: ids[0], proofs: { jwt } });
      assert.equal(answer.status, 200, answer.text);
      const byConfiguration = await wallet.ask(token, world.sdJwt);
      assert.equal(byConfiguration.body.error, 'invalid_credential_request', 'OID4VCI, 8.2');
    });

    it('follows an offer of an administrator, for which its person signs in', async () => {
      const { uri, tx_code: code } = await makeOffer(api, { id: person.id, token: api.adminToken }, [world.sdJwt], {
        grant: 'authorization_code',
      });
      assert.equal(code, null);
      const { issuer_state: state } = (await wallet.read(uri)).grants.authorization_code;
      const token = await tokenOf(codeRequest({ scope: world.scope, issuer_state: state }), true);
      assert.equal(readSdJwt(await wallet.receive(token, world.sdJwt)).payload.sub, person.id);
    });

    it('works for a registered application, with its secret and without DPoP', async () => {
      const party = await RelyingParty.make(api);
      const { url, checks } = await party.ask({ scope: `openid ${world.scope}` });
      const tokens = await party.redeem(await new TestBrowser(api).signIn(url, person), checks);
      const plain = new TestCredentialWallet(api);
      const token = { access_token: tokens.access_token, token_type: 'Bearer' };
      assert.equal(readSdJwt(await plain.receive(token, world.sdJwt)).payload.sub, person.id);
    });

    it('shows the person which credential it is, and issues nothing if they refuse', async () => {
      const request = codeRequest({ scope: world.scope });
      const browser = new TestBrowser(api);
      // Also if they agreed before.
      const page = await browser.signIn(`${api.url}/openid/authorize?${new URLSearchParams(request.parameters)}`, {
        ...person,
        consent: false,
      });
      assert.equal(page.redirectTarget?.searchParams.get('error'), 'access_denied');
      const asked = browser.seen.find(({ text }) => text.includes('<strong>Shop manager</strong>'));
      assert.match(asked?.text ?? '', /<h1>Add a credential to a wallet</);
      const spanish = codeRequest({ scope: world.scope, ui_locales: 'es' });
      const there = await browser.go(`${api.url}/openid/authorize?${new URLSearchParams(spanish.parameters)}`);
      assert.match(there.text, /<h1>Añadir una credencial a una cartera digital</);
    });

    it('gets it anew by a refresh token, which the list of what was issued shows as refreshed', async () => {
      const holder = await makeHolder(api, world);
      const party = await RelyingParty.make(api);
      const { url, checks } = await party.ask({ scope: `openid offline_access ${world.scope}`, prompt: 'consent' });
      const tokens = await party.redeem(await new TestBrowser(api).signIn(url, holder), checks);
      const plain = new TestCredentialWallet(api);
      await plain.receive({ access_token: tokens.access_token, token_type: 'Bearer' }, world.sdJwt);
      const times = async (): Promise<any> =>
        (await issuedTo(api, holder, '&newest=true')).map((one) => [one.first_issued_at, one.issued_at, one.refreshed_at]);
      const [[first, , never]] = await times();
      assert.equal(never, null);
      api.clock.advance(60);
      const fresh = await client.refreshTokenGrant(party.config, tokens.refresh_token!);
      await plain.receive({ access_token: fresh.access_token, token_type: 'Bearer' }, world.sdJwt);
      const [[again, last, refreshed], ...others] = await times();
      assert.deepEqual([again, refreshed, others], [first, last, []]);
      assert.ok(Date.parse(refreshed) - Date.parse(first) >= 60_000);
    });

    it('refuses somebody without the role only when the credential is asked for', async () => {
      const stranger = await makeUser(api);
      const request = codeRequest({ scope: world.scope });
      const answer = await authorize(api, request, stranger);
      const { body: token } = await wallet.askToken(codeGrant(request, answer));
      const refused = await wallet.ask(token, world.sdJwt);
      assert.equal(refused.body.error, 'credential_request_denied', refused.text);
    });
  },
  { settings: PUBLIC_WALLETS },
);

const provider = usesWalletProvider();

onEachDatabase(
  'HAIP',
  (api) => {
    const { world, person } = usesRoleWorld(api, { subject: 'user' });
    const wallet = usesAttestedWallet(api, provider);
    const asked = () => wallet.asks(world.scope);

    it('takes pushed requests with S256 and DPoP, and no others', async () => {
      const good = asked();
      const { body: token } = await wallet.askToken(codeGrant(good, await wallet.push(good, person)));
      assert.ok(await wallet.receive(token, world.sdJwt));

      const page = await new TestBrowser(api).go(`${api.url}/openid/authorize?${new URLSearchParams(asked().parameters)}`);
      assert.equal(page.redirectTarget?.searchParams.get('error') ?? page.status, 'invalid_request');

      const unbound = asked();
      const code = await wallet.push(unbound, person);
      const bare = await new AttestedTestWallet(api).of(provider);
      Object.assign(bare, { dpopKey: undefined, instanceKey: wallet.instanceKey });
      const refused = await bare.askToken(codeGrant(unbound, code));
      assert.equal(refused.status, 400, refused.text);
    });

    it('binds the token of an offer, too', async () => {
      const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
      const bare = await new AttestedTestWallet(api).of(provider);
      bare.dpopKey = undefined;
      const refused = await bare.redeem(uri, code);
      assert.equal(refused.body.error, 'invalid_dpop_proof', refused.text);
      assert.ok(await wallet.receive(await wallet.token(uri, code), world.sdJwt));
    });

    it('takes no wallet that does not authenticate, at any endpoint', async () => {
      const open = await new TestCredentialWallet(api).withDpop();
      const body = new URLSearchParams(codeRequest({ scope: world.scope }).parameters);
      const par = await fetch(`${api.url}/openid/par`, { method: 'POST', body });
      assert.deepEqual([par.status, ((await par.json()) as { error: string }).error], [400, 'invalid_client']);
      const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
      for (const more of [{}, { client_id: 'gatehouse_public_wallet' }]) {
        const refused = await open.redeem(uri, code, more as Record<string, string>);
        assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_client'], refused.text);
      }
    });

    it('takes a registered application, which authenticates by its secret', async () => {
      const { id, secret } = await makeApplication(api, { redirect_uris: [WALLET_CALLBACK] });
      const headers = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
      const request = codeRequest({ client_id: id, scope: world.scope });
      const answer = await authorize(api, request, person, { isPushed: true, headers });
      const open = await new TestCredentialWallet(api).withDpop();
      const { client_id: _id, ...grant } = codeGrant(request, answer);
      const { status, body, text } = await open.send('/openid/token', {
        method: 'POST',
        headers: {
          ...headers,
          DPoP: await open.dpop('/openid/token'),
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(grant).toString(),
      });
      assert.equal(status, 200, text);
      assert.ok(await open.receive(body, world.sdJwt));
    });

    it('does not ask this of other applications', async () => {
      const party = await RelyingParty.make(api);
      assert.ok((await party.tokensFor(person)).access_token);
    });
  },
  { settings: { ...PUBLIC_WALLETS, ...provider.settings, GATEHOUSE_IDENTITY_HAIP: 'true' } },
);
