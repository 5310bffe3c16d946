// Wallets that are wrong in one thing.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import { type ApiAnswer, onEachDatabase } from '../../../test/support/api.ts';
import { RelyingParty } from '../../../test/support/relying-party.ts';
import {
  askOffer,
  authorize,
  type Change,
  codeGrant,
  codeRequest,
  makeHolder,
  makeOffer,
  makeRoleWorld,
  newKey,
  PRE_AUTHORIZED,
  PUBLIC_WALLETS,
  type RoleHolder,
  type RoleWorld,
  removeRole,
  TestCredentialWallet,
  type Token,
} from '../../../test/support/role-credentials.ts';
import { TestBrowser } from '../../../test/support/test-browser.ts';

const CREDENTIAL = '/openid/credentials/credential';

onEachDatabase(
  'A hostile wallet',
  (api) => {
    let world: RoleWorld;
    let person: RoleHolder;
    let other: RoleHolder;
    let wallet: TestCredentialWallet;
    let bound: TestCredentialWallet;
    before(async () => {
      world = await makeRoleWorld(api);
      person = await makeHolder(api, world);
      other = await makeHolder(api, world);
      wallet = new TestCredentialWallet(api);
      bound = await new TestCredentialWallet(api).withDpop();
    });

    const tokenFor = async (by = wallet, holder = person, id = world.sdJwt): Promise<Token> => {
      const { uri, tx_code: code } = await makeOffer(api, holder, [id]);
      return by.token(uri, code);
    };
    const refusedAs = (answer: ApiAnswer, error: string, status = 400): void => {
      assert.deepEqual([answer.body?.error, answer.status], [error, status], answer.text);
      assert.equal(answer.body.credentials, undefined);
    };
    const withProofs = (jwt: readonly string[], id = world.sdJwt) => ({ credential_configuration_id: id, proofs: { jwt } });

    describe('with a key proof', () => {
      let token: Token;
      before(async () => {
        token = await tokenFor();
      });
      const CASES: Readonly<Record<string, Change>> = {
        'for another issuer': ({ payload }) => {
          payload.aud = 'https://other.example';
        },
        'for several issuers': ({ payload }) => {
          payload.aud = [wallet.issuer, 'https://other.example'];
        },
        'for nobody': ({ payload }) => {
          delete payload.aud;
        },
        'of an hour ago': ({ payload }) => {
          payload.iat = wallet.now() - 3600;
        },
        'of tomorrow': ({ payload }) => {
          payload.iat = wallet.now() + 86_400;
        },
        'that has expired': ({ payload }) => {
          payload.exp = wallet.now() - 1;
        },
        'without a time': ({ payload }) => {
          delete payload.iat;
        },
        'without a nonce': ({ payload }) => {
          delete payload.nonce;
        },
        'of another type': ({ header }) => {
          header.typ = 'JWT';
        },
        'without a key': ({ header }) => {
          delete header.jwk;
        },
        'with two keys': ({ header }) => {
          header.kid = 'did:jwk:e30#0';
        },
        'with a key by a certificate': ({ header }) => {
          delete header.jwk;
          header.x5c = ['MIIB'];
        },
        'with a DID that somebody would have to fetch': ({ header }) => {
          delete header.jwk;
          header.kid = 'did:web:127.0.0.1#0';
        },
        'with a DID that is none': ({ header }) => {
          delete header.jwk;
          header.kid = 'did:jwk:AAAA#0';
        },
        'with a critical extension': ({ header }) => {
          header.crit = ['b64'];
          header.b64 = true;
        },
      };
      for (const [name, change] of Object.entries(CASES))
        it(`${name}`, async () => refusedAs(await wallet.ask(token, world.sdJwt, change), 'invalid_proof'));

      it('signed by another key than it names', async () => {
        const [named, signing] = await Promise.all([newKey(), newKey()]);
        const jwk = await exportJWK(named.publicKey);
        const proof = await wallet.proof({
          key: signing,
          change: ({ header }) => {
            header.jwk = jwk;
          },
        });
        refusedAs(await wallet.request(token, withProofs([proof])), 'invalid_proof');
      });

      it('whose key contains its private part', async () => {
        const key = await newKey();
        const jwk = await exportJWK(key.privateKey);
        const proof = await wallet.proof({
          key,
          change: ({ header }) => {
            header.jwk = jwk;
          },
        });
        refusedAs(await wallet.request(token, withProofs([proof])), 'invalid_proof');
      });

      it('by a symmetric or unknown algorithm, or by none', async () => {
        const none = [{ alg: 'none', typ: 'openid4vci-proof+jwt' }, { aud: wallet.issuer }]
          .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
          .join('.');
        for (const jwt of [`${none}.`, `${none}.AAAA`, 'not a jwt', '', 5 as never])
          refusedAs(await wallet.request(token, withProofs([jwt])), 'invalid_proof');
      });

      it('that was altered', async () => {
        const [header, payload, signature] = (await wallet.proof()).split('.');
        const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
        const altered = Buffer.from(JSON.stringify({ ...claims, iat: claims.iat - 1 })).toString('base64url');
        refusedAs(await wallet.request(token, withProofs([`${header}.${altered}.${signature}`])), 'invalid_proof');
      });

      it('with a nonce that is not ours, or of another use', async () => {
        for (const nonce of ['x', 'v1.AAAA.BBBB', token.access_token])
          refusedAs(await wallet.request(token, withProofs([await wallet.proof({ nonce })])), 'invalid_nonce');
      });

      it('whose nonce was used before, also by somebody else, and at the same time', async () => {
        const nonce = await wallet.nonce();
        const send = async (by: Token) => wallet.request(by, withProofs([await wallet.proof({ nonce })]));
        const others = await tokenFor(wallet, other);
        const answers = await Promise.all([send(token), send(others), send(token)]);
        assert.equal(answers.filter(({ status }) => status === 200).length, 1);
        for (const answer of answers.filter(({ status }) => status !== 200)) refusedAs(answer, 'invalid_nonce');
        refusedAs(await send(token), 'invalid_nonce');
        // The same bytes, spelled in another way.
        for (const spelling of [
          `${nonce}=`,
          `${nonce} `,
          nonce.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
        ])
          refusedAs(await wallet.request(token, withProofs([await wallet.proof({ nonce: spelling })])), 'invalid_nonce');
      });

      it('that was sent before', async () => {
        const proof = await wallet.proof();
        assert.equal((await wallet.request(token, withProofs([proof]))).status, 200);
        refusedAs(await wallet.request(token, withProofs([proof])), 'invalid_nonce');
      });

      it('twice with one key, or too many of them', async () => {
        const [key, nonce] = [await newKey(), await wallet.nonce()];
        const same = await Promise.all([wallet.proof({ key, nonce }), wallet.proof({ key, nonce })]);
        refusedAs(await wallet.request(token, withProofs(same)), 'invalid_proof');
        const many = await Promise.all(Array.from({ length: 11 }, () => wallet.proof({ nonce })));
        refusedAs(await wallet.request(token, withProofs(many)), 'invalid_proof');
        assert.equal((await wallet.request(token, withProofs([many[0]!]))).status, 200, 'a refusal does not use up the nonce');
      });

      it('of which one among good ones is bad: nothing is issued', async () => {
        const nonce = await wallet.nonce();
        const bad = await wallet.proof({ nonce, change: CASES['for another issuer']! });
        refusedAs(await wallet.request(token, withProofs([await wallet.proof({ nonce }), bad])), 'invalid_proof');
      });
    });

    describe('with a request', () => {
      let token: Token;
      before(async () => {
        token = await tokenFor();
      });

      it('for an unknown configuration, or one that nobody granted', async () => {
        const proofs = { jwt: [await wallet.proof()] };
        const ask = (credential_configuration_id: string) => wallet.request(token, { credential_configuration_id, proofs });
        for (const id of ['unknown', 'unknown.sd_jwt', `${world.typeId}.mdoc`, `${world.sdJwt}.x`, '__proto__', '..'])
          refusedAs(await ask(id), 'unknown_credential_configuration');
        refusedAs(await ask(world.jwtVc), 'credential_request_denied');
      });

      it('for a credential identifier that it was not given', async () => {
        const proofs = { jwt: [await wallet.proof()] };
        refusedAs(await wallet.request(token, { credential_identifier: world.sdJwt, proofs }), 'unknown_credential_identifier');
      });

      it('that is malformed', async () => {
        const id = { credential_configuration_id: world.sdJwt };
        const jwt = [await wallet.proof()];
        refusedAs(await wallet.request(token, { proofs: { jwt } }), 'invalid_credential_request');
        refusedAs(
          await wallet.request(token, { ...id, credential_identifier: 'x', proofs: { jwt } }),
          'invalid_credential_request',
        );
        refusedAs(await wallet.request(token, { ...id, proofs: { jwt, ldp_vp: [] } }), 'invalid_credential_request');
        for (const proofs of [undefined, {}, { jwt: [] }, { attestation: ['x'] }, { jwt: 'x' }])
          refusedAs(await wallet.request(token, { ...id, proofs }), 'invalid_proof');
      });

      it('whose encryption is wrong', async () => {
        const id = { credential_configuration_id: world.sdJwt, proofs: { jwt: [await wallet.proof()] } };
        const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
        const jwk = { ...(await exportJWK(publicKey)), alg: 'ECDH-ES' };
        for (const encryption of [
          { jwk, enc: 'A128CBC-HS256' },
          { jwk: { ...jwk, alg: 'RSA1_5' }, enc: 'A256GCM' },
          { jwk: { kty: 'oct', k: 'AAAA', alg: 'dir' }, enc: 'A256GCM' },
          { jwk: { ...jwk, x: jwk.y }, enc: 'A256GCM' },
          { jwk: { ...jwk, use: 'sig' }, enc: 'A256GCM' },
          { jwk, enc: 'A256GCM', zip: 'DEF' },
          'x',
          null,
        ])
          refusedAs(
            await wallet.request(token, { ...id, credential_response_encryption: encryption }),
            'invalid_encryption_parameters',
          );
        refusedAs(await wallet.request(token, 'not a jwe'), 'invalid_encryption_parameters');
        const elsewhere = await wallet.encrypt(id, (key) => {
          key.kid = 'requests-1';
        });
        refusedAs(await wallet.request(token, elsewhere), 'invalid_encryption_parameters');
        const [first, ...rest] = (await wallet.encrypt(id)).split('.');
        refusedAs(
          await wallet.request(token, [first, ...rest.slice(0, 3), 'AAAAAAAAAAAAAAAAAAAAAA'].join('.')),
          'invalid_encryption_parameters',
        );
      });
    });

    describe('with an access token', () => {
      const refused = async (headers: Record<string, string>) => {
        const answer = await wallet.request({ access_token: '', token_type: '' }, withProofs([await wallet.proof()]), headers);
        assert.equal(answer.status, 401, answer.text);
        assert.match(answer.headers.get('www-authenticate') ?? '', /^(?:Bearer|DPoP) error="/);
        return answer.body.error as string;
      };

      it('that is missing or made up', async () => {
        for (const Authorization of ['', 'Bearer', 'Bearer x', 'Basic eDp5', `Bearer ${'x'.repeat(5000)}`, 'Bearer a b'])
          assert.equal(await refused({ Authorization }), 'invalid_token');
      });

      it('of an application that the person signed in to, or of a program', async () => {
        const party = await RelyingParty.make(api);
        const usual = await party.tokensFor(person, { scope: 'openid profile all_info' });
        assert.equal(await refused({ Authorization: `Bearer ${usual.access_token}` }), 'invalid_token');
        assert.equal(await refused({ Authorization: `Bearer ${person.token}` }), 'invalid_token');
        const { id, secret } = party.application;
        const program = await fetch(`${api.url}/openid/token`, {
          method: 'POST',
          headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
          body: new URLSearchParams({ grant_type: 'client_credentials', resource: wallet.issuer }),
        });
        const { access_token: token } = (await program.json()) as { access_token?: string };
        if (token !== undefined) assert.equal(await refused({ Authorization: `Bearer ${token}` }), 'invalid_token');
      });

      it('for credentials, anywhere else', async () => {
        const { access_token: token } = await tokenFor();
        const information = await api.get(`/v3/access-tokens/${token}`);
        assert.equal(information.status, 404);
        const claims = await fetch(`${api.url}/openid/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
        assert.equal(claims.status, 403, 'it has another audience, and no scope openid');
        const party = await RelyingParty.make(api);
        assert.equal(await party.isActive(token), false);
        const login = await api.post(
          '/v3/auth/tokens',
          { auth: { identity: { methods: ['oauth2'], oauth2: { access_token_id: token } } } },
          { token: null },
        );
        assert.equal(login.status, 401);
        assert.equal((await api.get('/v3/users', { token })).status, 401);
      });

      it('that is bound to a key: without its proof, with one of another key, or as Bearer', async () => {
        const token = await tokenFor(bound);
        const Authorization = `DPoP ${token.access_token}`;
        assert.equal(await refused({ Authorization }), 'invalid_dpop_proof');
        const thief = await new TestCredentialWallet(api).withDpop();
        const DPoP = await thief.dpop(CREDENTIAL, token.access_token);
        assert.equal(await refused({ Authorization, DPoP }), 'invalid_dpop_proof');
        assert.equal(await refused({ Authorization: `Bearer ${token.access_token}` }), 'invalid_token');
      });

      it('with a DPoP proof for another token, path or method, an old one, or one that was used', async () => {
        const token = await tokenFor(bound);
        const Authorization = `DPoP ${token.access_token}`;
        const changes: Change[] = [
          ({ payload }) => {
            payload.ath = 'AAAA';
          },
          ({ payload }) => {
            delete payload.ath;
          },
          ({ payload }) => {
            payload.htu = `${bound.issuer}/openid/token`;
          },
          ({ payload }) => {
            payload.htm = 'GET';
          },
          ({ payload }) => {
            payload.iat = bound.now() - 3600;
          },
          ({ payload }) => {
            delete payload.jti;
          },
          ({ header }) => {
            header.typ = 'JWT';
          },
        ];
        for (const change of changes)
          assert.equal(
            await refused({ Authorization, DPoP: await bound.dpop(CREDENTIAL, token.access_token, change) }),
            'invalid_dpop_proof',
          );
        const DPoP = await bound.dpop(CREDENTIAL, token.access_token);
        const first = await bound.request(token, withProofs([await bound.proof()]), { Authorization, DPoP });
        assert.equal(first.status, 200, first.text);
        assert.equal(await refused({ Authorization, DPoP }), 'invalid_dpop_proof');
      });

      it('that is not bound, with a DPoP proof', async () => {
        const { access_token: token } = await tokenFor();
        const DPoP = await bound.dpop(CREDENTIAL, token);
        assert.equal(await refused({ Authorization: `Bearer ${token}`, DPoP }), 'invalid_token');
        assert.equal(await refused({ Authorization: `DPoP ${token}`, DPoP }), 'invalid_token');
      });

      it('that has ended: with time, or with everything of its person', async () => {
        const late = await makeHolder(api, world);
        const token = await tokenFor(wallet, late);
        const ended = await api.delete(`/v3/users/${late.id}/OS-SESSIONS/sessions`);
        assert.equal(ended.status, 204, ended.text);
        const changed = await api.patch(`/v3/users/${late.id}`, { user: { enabled: false } });
        assert.equal(changed.status, 200, changed.text);
        assert.equal(await refused({ Authorization: `Bearer ${token.access_token}` }), 'invalid_token');
        await api.patch(`/v3/users/${late.id}`, { user: { enabled: true } });
        assert.equal(await refused({ Authorization: `Bearer ${token.access_token}` }), 'invalid_token', 'it does not come back');
      });
    });

    describe('with an offer', () => {
      it('whose role is gone when the credential is asked for', async () => {
        const former = await makeHolder(api, world);
        const token = await tokenFor(wallet, former);
        assert.ok((await removeRole(api, former, world)).status < 300);
        refusedAs(
          await wallet.ask(token, world.sdJwt),
          'credential_request_denied',
          (await wallet.ask(token, world.sdJwt)).status,
        );
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
