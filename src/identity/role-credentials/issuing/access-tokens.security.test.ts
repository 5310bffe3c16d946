// Wallets that are wrong in one thing: in the access token with which they ask for a credential.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { deleteEndedRecords } from '../../../../test/support/ended-records.ts';
import { usesHostileWallets, withProofs } from '../../../../test/support/hostile-wallets.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { type Change, makeHolder, PUBLIC_WALLETS, TestCredentialWallet } from '../../../../test/support/role-credentials.ts';

const CREDENTIAL = '/openid/credentials/credential';

onUsualDatabase(
  'A hostile wallet',
  (api) => {
    const { world, person, wallet, bound } = usesHostileWallets(api);

    describe('with an access token', () => {
      const refused = async (headers: Record<string, string>) => {
        const answer = await wallet.request(
          { access_token: '', token_type: '' },
          withProofs(world.sdJwt, [await wallet.proof()]),
          headers,
        );
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
        const { access_token: token } = await wallet.tokenFor(person, world.sdJwt);
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
        const token = await bound.tokenFor(person, world.sdJwt);
        const Authorization = `DPoP ${token.access_token}`;
        assert.equal(await refused({ Authorization }), 'invalid_dpop_proof');
        const thief = await new TestCredentialWallet(api).withDpop();
        const DPoP = await thief.dpop(CREDENTIAL, token.access_token);
        assert.equal(await refused({ Authorization, DPoP }), 'invalid_dpop_proof');
        assert.equal(await refused({ Authorization: `Bearer ${token.access_token}` }), 'invalid_token');
      });

      it('with a DPoP proof for another token, path or method, an old one, one dated ahead, or one that was used', async () => {
        const token = await bound.tokenFor(person, world.sdJwt);
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
            payload.iat = bound.now() + 3600;
          },
          ({ payload }) => {
            payload.iat = String(bound.now());
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
        const first = await bound.request(token, withProofs(world.sdJwt, [await bound.proof()]), { Authorization, DPoP });
        assert.equal(first.status, 200, first.text);
        assert.equal(await refused({ Authorization, DPoP }), 'invalid_dpop_proof');
      });

      it('with a DPoP proof dated a little ahead, a second time as long as that is valid', async () => {
        const token = await bound.tokenFor(person, world.sdJwt);
        const Authorization = `DPoP ${token.access_token}`;
        const DPoP = await bound.dpop(CREDENTIAL, token.access_token, ({ payload }) => {
          payload.iat = bound.now() + 240;
        });
        const first = await bound.request(token, withProofs(world.sdJwt, [await bound.proof()]), { Authorization, DPoP });
        assert.equal(first.status, 200, first.text);
        api.clock.advance(420);
        await deleteEndedRecords(api);
        const again = await refused({ Authorization, DPoP });
        api.clock.advance(-420);
        assert.equal(again, 'invalid_dpop_proof');
      });

      it('that is not bound, with a DPoP proof', async () => {
        const { access_token: token } = await wallet.tokenFor(person, world.sdJwt);
        const DPoP = await bound.dpop(CREDENTIAL, token);
        assert.equal(await refused({ Authorization: `Bearer ${token}`, DPoP }), 'invalid_token');
        assert.equal(await refused({ Authorization: `DPoP ${token}`, DPoP }), 'invalid_token');
      });

      it('that has ended: with time, or with everything of its person', async () => {
        const late = await makeHolder(api, world);
        const token = await wallet.tokenFor(late, world.sdJwt);
        const ended = await api.delete(`/v3/users/${late.id}/OS-SESSIONS/sessions`);
        assert.equal(ended.status, 204, ended.text);
        const changed = await api.patch(`/v3/users/${late.id}`, { user: { enabled: false } });
        assert.equal(changed.status, 200, changed.text);
        assert.equal(await refused({ Authorization: `Bearer ${token.access_token}` }), 'invalid_token');
        await api.patch(`/v3/users/${late.id}`, { user: { enabled: true } });
        assert.equal(await refused({ Authorization: `Bearer ${token.access_token}` }), 'invalid_token', 'it does not come back');
      });
    });
  },
  { settings: PUBLIC_WALLETS },
);
