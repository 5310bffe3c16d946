// Wallets that are wrong in one thing: in what they do with an offer, or with an authorization code.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { underAttack } from '../../../../test/support/api.ts';
import { refusedAs, usesHostileWallets } from '../../../../test/support/hostile-wallets.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import {
  askOffer,
  authorize,
  codeGrant,
  codeRequest,
  makeHolder,
  makeOffer,
  PRE_AUTHORIZED,
  PUBLIC_WALLETS,
  type RoleHolder,
  takeRole,
} from '../../../../test/support/role-credentials.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

underAttack(
  'A hostile wallet',
  (api) => {
    const { world, person, wallet, bound } = usesHostileWallets(api);
    let other: RoleHolder;
    before(async () => {
      other = await makeHolder(api, world);
    });

    describe('with an offer', () => {
      it('whose role is gone when the credential is asked for', async () => {
        const former = await makeHolder(api, world);
        const token = await wallet.tokenFor(former, world.sdJwt);
        await takeRole(api, former, world);
        refusedAs(
          await wallet.ask(token, world.sdJwt),
          'credential_request_denied',
          (await wallet.ask(token, world.sdJwt)).status,
        );
      });

      it('and a DPoP proof of an hour ago, or dated ahead, which would be good for another hour', async () => {
        const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
        const { grants } = await bound.read(uri);
        const parameters = {
          grant_type: PRE_AUTHORIZED,
          'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'],
          tx_code: txCode!,
        };
        for (const seconds of [-3600, 3600]) {
          const proof = await bound.dpop('/openid/token', undefined, ({ payload }) => {
            payload.iat = bound.now() + seconds;
          });
          refusedAs(await bound.askToken(parameters, proof), 'invalid_dpop_proof');
        }
        assert.equal((await bound.askToken(parameters)).status, 200, 'nothing was used up by them');
      });

      it('whose code was used: again, and at the same time', async () => {
        const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
        const { grants } = await wallet.read(uri);
        const redeem = () =>
          wallet.askToken({
            grant_type: PRE_AUTHORIZED,
            'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'],
            tx_code: code!,
          });
        const answers = await Promise.all([redeem(), redeem(), redeem()]);
        assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ text }) => text).join());
        assert.equal(
          (await wallet.send(new URL(uri).searchParams.get('credential_offer_uri')!)).status,
          404,
          'the offer is gone',
        );
        refusedAs(await redeem(), 'invalid_grant');
        const { body: token } = answers.find(({ status }) => status === 200)!;
        assert.equal((await wallet.ask(token, world.sdJwt)).status, 401, 'what the first got ends: one of them stole it');
      });

      it('and a wrong transaction code, until the offer ends', async () => {
        const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
        const wrong = code === '000000' ? '000001' : '000000';
        refusedAs(await wallet.redeem(uri), 'invalid_request');
        for (let attempt = 1; attempt <= 5; attempt++) refusedAs(await wallet.redeem(uri, wrong), 'invalid_grant');
        refusedAs(await wallet.redeem(uri, code), 'invalid_grant');
      });

      it('and concurrent guesses of its transaction code', async () => {
        const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
        const wrong = (n: number) => String((Number(code) + n) % 1_000_000).padStart(6, '0');
        const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => wallet.redeem(uri, wrong(n + 1))));
        for (const answer of answers) refusedAs(answer, 'invalid_grant');
        refusedAs(await wallet.redeem(uri, code), 'invalid_grant');
      });

      it('without a transaction code, but one is sent', async () => {
        const { uri } = await makeOffer(api, person, [world.sdJwt], { tx_code: false });
        refusedAs(await wallet.redeem(uri, '123456'), 'invalid_request');
        assert.equal((await wallet.redeem(uri)).status, 200);
      });

      it('and authorization details that were not offered: the offer stays good', async () => {
        const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
        const asking = (id: string) => {
          const details = [{ type: 'openid_credential', credential_configuration_id: id }];
          return wallet.redeem(uri, code, { authorization_details: JSON.stringify(details) });
        };
        for (const id of [world.jwtVc, 'unknown']) refusedAs(await asking(id), 'invalid_authorization_details');
        assert.equal((await asking(world.sdJwt)).status, 200);
      });

      it('that is made up, of another use, or too old', async () => {
        const ask = (code: string) => wallet.askToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, tx_code: '1' });
        for (const code of ['', 'x', person.token]) refusedAs(await ask(code), 'invalid_grant');
        const { uri } = await makeOffer(api, person, [world.sdJwt], { grant: 'authorization_code' });
        refusedAs(await ask((await wallet.read(uri)).grants.authorization_code.issuer_state), 'invalid_grant');
      });

      it('as a client that is not registered, or without its secret', async () => {
        const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
        const { application } = await RelyingParty.make(api);
        for (const client_id of ['unknown', application.id])
          assert.equal((await wallet.redeem(uri, code, { client_id })).body.error, 'invalid_client');
      });

      it('with a DPoP proof that is for another request or was used', async () => {
        const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
        const { grants } = await bound.read(uri);
        const parameters = { grant_type: PRE_AUTHORIZED, ...grants[PRE_AUTHORIZED], tx_code: code! };
        refusedAs(await bound.askToken(parameters, await bound.dpop('/openid/par')), 'invalid_dpop_proof');
        const proof = await bound.dpop('/openid/token');
        refusedAs(await bound.askToken({ ...parameters, 'pre-authorized_code': 'x' }, proof), 'invalid_grant');
        // Nothing is stored for who has no code, also no proof.
        assert.equal((await bound.askToken(parameters, proof)).status, 200);
        refusedAs(await bound.askToken(parameters, proof), 'invalid_dpop_proof');
      });

      it('for somebody else, made by a stranger, or without a further sign-in by an administrator', async () => {
        assert.equal((await askOffer(api, person, [world.sdJwt], {}, other.token)).status, 403);
        const byAdministrator = await askOffer(api, person, [world.sdJwt], { grant: 'pre-authorized_code' }, api.adminToken);
        assert.equal(byAdministrator.status, 403);
        assert.equal((await askOffer(api, person, ['unknown.sd_jwt'])).status, 403);
      });

      it('with the code of another person: what is issued is theirs alone', async () => {
        const [mine, theirs] = [await makeOffer(api, person, [world.sdJwt]), await makeOffer(api, other, [world.sdJwt])];
        refusedAs(await wallet.redeem(theirs.uri, mine.tx_code), 'invalid_grant');
      });

      it('whose issuer_state is for another account, or made up', async () => {
        const { uri } = await makeOffer(api, person, [world.sdJwt], { grant: 'authorization_code' });
        const { issuer_state: state } = (await wallet.read(uri)).grants.authorization_code;
        const request = codeRequest({ scope: world.scope, issuer_state: state });
        assert.equal((await authorize(api, request, other)).get('error'), 'access_denied');
        const browser = new TestBrowser(api);
        await authorize(api, codeRequest({ scope: world.scope }), other, { browser });
        const page = await browser.go(`${api.url}/openid/authorize?${new URLSearchParams(request.parameters)}`);
        assert.equal(page.redirectTarget, undefined, 'who is signed in already is asked to sign in');
        const unknown = codeRequest({ scope: world.scope, issuer_state: 'unknown' });
        const refused = await browser.go(`${api.url}/openid/authorize?${new URLSearchParams(unknown.parameters)}`);
        assert.equal(refused.redirectTarget?.searchParams.get('error'), 'invalid_request');
      });
    });

    describe('with an authorization code', () => {
      const granted = async (more: Record<string, string> = {}) => {
        const request = codeRequest({ scope: world.scope, ...more });
        return { request, answer: await authorize(api, request, person) };
      };

      it('of another request, without its verifier, or used before', async () => {
        const { request, answer } = await granted();
        const other = codeRequest({});
        refusedAs(await bound.askToken({ ...codeGrant(request, answer), code_verifier: other.verifier }), 'invalid_grant');
        const again = await granted();
        const good = codeGrant(again.request, again.answer);
        const first = await bound.askToken(good);
        assert.equal(first.status, 200, first.text);
        refusedAs(await bound.askToken(good), 'invalid_grant');
        assert.equal((await bound.ask(first.body, world.sdJwt)).status, 401);
      });

      it('for a credential that nobody issues, or of another issuer', async () => {
        const errorOf = async (more: Record<string, string>) => {
          const { parameters } = codeRequest(more);
          const page = await new TestBrowser(api).go(`${api.url}/openid/authorize?${new URLSearchParams(parameters)}`);
          return page.redirectTarget?.searchParams.get('error');
        };
        const details = (detail: object) => ({
          authorization_details: JSON.stringify([{ type: 'openid_credential', ...detail }]),
        });
        assert.equal(await errorOf({ scope: 'role_credential.unknown' }), 'invalid_scope');
        assert.equal(await errorOf(details({ credential_configuration_id: 'unknown' })), 'invalid_authorization_details');
        assert.equal(await errorOf(details({})), 'invalid_authorization_details');
        assert.equal(
          await errorOf(details({ credential_configuration_id: world.sdJwt, locations: ['https://other.example'] })),
          'invalid_authorization_details',
        );
        assert.equal(
          await errorOf({ authorization_details: JSON.stringify([{ type: 'payment' }]) }),
          'invalid_authorization_details',
        );
      });

      it('and asks for more at the token endpoint than was granted', async () => {
        const details = [{ type: 'openid_credential', credential_configuration_id: world.sdJwt }];
        const request = codeRequest({ authorization_details: JSON.stringify(details) });
        const answer = await authorize(api, request, person);
        const more = [...details, { type: 'openid_credential', credential_configuration_id: world.jwtVc }];
        const refused = await bound.askToken({ ...codeGrant(request, answer), authorization_details: JSON.stringify(more) });
        assert.notEqual(refused.status, 200);
      });
    });

    it('learns no secrets from the log', async () => {
      const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
      const { grants } = await wallet.read(uri);
      const token = await wallet.token(uri, code);
      await wallet.receive(token, world.sdJwt);
      const log = api.logged.join('\n');
      for (const secret of [grants[PRE_AUTHORIZED]['pre-authorized_code'], token.access_token, `"${code}"`])
        assert.ok(!log.includes(secret), 'a secret is in the log');
    });
  },
  { settings: PUBLIC_WALLETS },
);
