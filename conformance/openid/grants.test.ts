// Every grant type, with openid-client and a person who signs in. The tokens are verified with jose.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calculateJwkThumbprint, createRemoteJWKSet, decodeProtectedHeader, exportJWK, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { onUsualDatabase, type TestApi, uniqueName } from '../../test/support/api.ts';
import { makeApi } from '../../test/support/apis.ts';
import { assign, makeOrganization, makeRole } from '../../test/support/applications.ts';
import { CALLBACK, makeUser, RelyingParty, refusal } from '../../test/support/relying-party.ts';
import { makeTwoFactorPerson } from '../../test/support/second-factor.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../test/support/test-browser.ts';
import { connect, USER } from '../scim/client.ts';

const jwksOf = (api: TestApi) => createRemoteJWKSet(new URL(`${api.url}/openid/jwks`));

onUsualDatabase(
  'The OpenID provider, as openid-client sees it',
  (api) => {
    describe('discovery', () => {
      it('names endpoints of this issuer, and keys that hold nothing private', async () => {
        const { config } = await RelyingParty.make(api);
        const metadata = config.serverMetadata();
        assert.equal(metadata.issuer, api.url);
        for (const [name, value] of Object.entries(metadata))
          if (/_(endpoint|uri)$/.test(name)) assert.ok(String(value).startsWith(`${api.url}/openid/`), name);
        const { keys } = (await api.get('/openid/jwks', { token: null })).body;
        assert.deepEqual(keys.map(({ alg }: any) => alg).sort(), ['ES256', 'EdDSA', 'RS256']);
        for (const key of keys) {
          assert.deepEqual(
            Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name)),
            [],
          );
          assert.equal(key.use, 'sig');
          assert.ok(key.kid);
        }
      });

      it('says the same whatever host the request names', async () => {
        for (const headers of [
          { 'X-Forwarded-Host': 'evil.example' },
          { 'X-Forwarded-Proto': 'https' },
          { Forwarded: 'host=evil.example' },
        ])
          assert.equal((await api.get('/.well-known/openid-configuration', { token: null, headers })).body.issuer, api.url);
      });
    });

    describe('an authorization code', () => {
      it('is worth tokens to a confidential application, with PKCE, state, nonce and issuer', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const { url, checks } = await party.ask();
        const page = await new TestBrowser(api).signIn(url, person);
        const answer = redirectTargetOf(page);
        assert.equal(answer.origin + answer.pathname, CALLBACK);
        assert.equal(answer.searchParams.get('iss'), api.url);
        assert.equal(answer.searchParams.get('state'), checks.expectedState);
        const tokens = await party.redeem(page, checks);
        const claims = tokens.claims()!;
        assert.deepEqual(
          [claims.iss, claims.aud, claims.sub, claims.nonce],
          [api.url, party.application.id, person.id, checks.expectedNonce],
        );
        assert.equal(tokens.refresh_token, undefined, 'nobody asked for one');
        assert.equal((await party.userInfo(tokens)).sub, person.id);
      });

      it('is worth tokens to a public application that proves the key of its request', async () => {
        const [party, person] = [await RelyingParty.make(api, { client_type: 'public' }), await makeUser(api)];
        const tokens = await party.tokensFor(person);
        assert.equal(tokens.claims()!.sub, person.id);
      });

      it('goes to an application on the machine of the person, at whatever port it listens', async () => {
        const values = { client_type: 'public', redirect_uris: ['http://127.0.0.1/back', 'org.example.app:/back'] };
        const [party, person] = [await RelyingParty.make(api, values), await makeUser(api)];
        for (const redirect_uri of ['http://127.0.0.1:49152/back', 'org.example.app:/back']) {
          const { url, checks } = await party.ask({ redirect_uri });
          const page = await new TestBrowser(api).signIn(url, person);
          assert.ok(redirectTargetOf(page).href.startsWith(redirect_uri));
          assert.equal((await party.redeem(page, checks)).claims()!.sub, person.id);
        }
      });

      it('comes at once when the person is signed in and has agreed before', async () => {
        const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
        await party.tokensFor(person, {}, browser);
        const { url, checks } = await party.ask();
        const page = await browser.go(url);
        assert.equal((await party.redeem(page, checks)).claims()!.sub, person.id);
      });

      it('needs a second agreement only for what is new', async () => {
        const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
        await party.tokensFor(person, {}, browser);
        const { url, checks } = await party.ask({ scope: 'openid email' });
        const page = await browser.go(url);
        assert.equal(stepOf(page), 'allow');
        assert.match(page.text, /e-mail address/);
        const tokens = await party.redeem(await browser.submit(page, 'allow'), checks);
        assert.equal((await party.userInfo(tokens)).email, person.user.email);
      });

      it('is not given when the person says no', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const { url, checks } = await party.ask();
        const page = await new TestBrowser(api).signIn(url, { ...person, consent: false });
        assert.equal(await refusal(party.redeem(page, checks)), 'access_denied');
      });

      it('needs the second factor of those who have one', async () => {
        const [party, careful] = [await RelyingParty.make(api), await makeTwoFactorPerson(api)];
        const person = { name: careful.user.name, password: careful.password };
        const { url, checks } = await party.ask();
        const browser = new TestBrowser(api);
        const half = await browser.signIn(url, person);
        assert.equal(stepOf(half), 'code');
        const page = await browser.answerForms(half, { ...person, code: () => careful.phone.fresh() });
        assert.equal((await party.redeem(page, checks)).claims()!.sub, careful.user.id);
      });

      it('is also posted as a form to applications that want it so', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const { url, checks } = await party.ask({ response_mode: 'form_post' });
        const page = await new TestBrowser(api).signIn(url, person);
        const form = page.forms[0]!;
        assert.equal(form.action, CALLBACK);
        const request = new Request(CALLBACK, { method: 'POST', body: new URLSearchParams({ ...form.fields }) });
        const tokens = await client.authorizationCodeGrant(party.config, request, checks);
        assert.equal(tokens.claims()!.sub, person.id);
      });

      it('comes from a request that was pushed, and only its application can push it', async () => {
        const values = { require_pushed_authorization_requests: true };
        const [party, person] = [await RelyingParty.make(api, values), await makeUser(api)];
        const { parameters, checks } = await party.parameters();
        const url = await client.buildAuthorizationUrlWithPAR(party.config, parameters);
        assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri']);
        const tokens = await party.redeem(await new TestBrowser(api).signIn(url, person), checks);
        assert.equal(tokens.claims()!.sub, person.id);

        const again = await new TestBrowser(api).go(url);
        assert.equal(again.redirectTarget?.searchParams.get('code') ?? null, null, 'it is used up');
        const plain = await new TestBrowser(api).go((await party.ask()).url);
        assert.equal(redirectTargetOf(plain).searchParams.get('error'), 'invalid_request');
        const other = await RelyingParty.make(api, { redirect_uris: ['https://other.example.org/back'] });
        const stolen = await client.buildAuthorizationUrlWithPAR(party.config, (await party.parameters()).parameters);
        stolen.searchParams.set('client_id', other.application.id);
        const page = await new TestBrowser(api).go(stolen);
        assert.equal(redirectTargetOf(page).origin, 'https://other.example.org');
        assert.equal(redirectTargetOf(page).searchParams.get('error'), 'invalid_request_object');
      });
    });

    describe('an ID token', () => {
      for (const alg of ['RS256', 'ES256', 'EdDSA'])
        it(`is signed by ${alg} for applications that ask for it`, async () => {
          const [party, person] = [await RelyingParty.make(api, { id_token_signed_response_alg: alg }), await makeUser(api)];
          const tokens = await party.tokensFor(person);
          const { protectedHeader, payload } = await jwtVerify(tokens.id_token!, jwksOf(api), {
            issuer: api.url,
            audience: party.application.id,
          });
          assert.equal(protectedHeader.alg, alg);
          assert.ok(protectedHeader.kid);
          assert.equal(payload.sub, person.id);
        });
    });

    describe('a refresh token', () => {
      it('is replaced with every use, and gives new access and ID tokens of the same person', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const first = await party.tokensFor(person, { scope: 'openid email offline_access' });
        const second = await client.refreshTokenGrant(party.config, first.refresh_token!);
        const third = await client.refreshTokenGrant(party.config, second.refresh_token!);
        assert.equal(new Set([first, second, third].map((one) => one.refresh_token)).size, 3);
        assert.equal(new Set([first, second, third].map((one) => one.access_token)).size, 3);
        assert.equal(third.claims()!.sub, person.id);
        assert.equal((await party.userInfo(third as never)).email, person.user.email);
      });

      it('gives less when less is asked for, and never more', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const first = await party.tokensFor(person, { scope: 'openid email offline_access' });
        const less = await client.refreshTokenGrant(party.config, first.refresh_token!, { scope: 'openid' });
        assert.equal(less.scope, 'openid');
        assert.equal((await party.userInfo(less as never)).email, undefined);
        const more = client.refreshTokenGrant(party.config, less.refresh_token!, { scope: 'openid profile' });
        assert.equal(await refusal(more), 'invalid_scope');
      });

      it('outlives the session of the browser', async () => {
        const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
        const tokens = await party.tokensFor(person, { scope: 'openid offline_access' }, browser);
        const page = await browser.go(client.buildEndSessionUrl(party.config));
        await browser.submit(page, undefined, { logout: 'yes' });
        assert.ok((await client.refreshTokenGrant(party.config, tokens.refresh_token!)).access_token);
      });
    });

    describe('an application by itself', () => {
      it('gets a token of its own by its secret, which says nothing of any person', async () => {
        const party = await RelyingParty.make(api);
        const tokens = await client.clientCredentialsGrant(party.config);
        assert.deepEqual([tokens.id_token, tokens.refresh_token], [undefined, undefined]);
        const seen = await client.tokenIntrospection(party.config, tokens.access_token);
        assert.deepEqual([seen.active, seen.client_id, seen.sub], [true, party.application.id, undefined]);
        const asked = client.fetchUserInfo(party.config, tokens.access_token, client.skipSubjectCheck);
        assert.equal(await refusal(asked), 'invalid_token');
      });

      it('gets none without a secret, whatever it is registered with', async () => {
        for (const grant_type of ['authorization_code', 'client_credentials', 'password']) {
          const party = await RelyingParty.make(api, { client_type: 'public', grant_type });
          assert.equal(await refusal(client.clientCredentialsGrant(party.config)), 'invalid_request');
        }
        const party = await RelyingParty.make(api, { token_endpoint_auth_method: 'none' }, client.None());
        assert.equal(await refusal(client.clientCredentialsGrant(party.config)), 'invalid_client');
      });
    });

    describe('a device', () => {
      const start = (party: RelyingParty) => client.initiateDeviceAuthorization(party.config, { scope: 'openid email' });
      const poll = (party: RelyingParty, started: client.DeviceAuthorizationResponse) =>
        client.genericGrantRequest(party.config, 'urn:ietf:params:oauth:grant-type:device_code', {
          device_code: started.device_code,
        });

      it('gets tokens once the person typed its code, confirmed it, signed in and agreed', async () => {
        const [party, person, browser] = [
          await RelyingParty.make(api, { client_type: 'public' }),
          await makeUser(api),
          new TestBrowser(api),
        ];
        const started = await start(party);
        assert.equal(await refusal(poll(party, started)), 'authorization_pending');
        const asked = await browser.go(started.verification_uri);
        const shown = await browser.submit(asked, undefined, { user_code: started.user_code.toLowerCase().replace('-', ' ') });
        assert.ok(shown.text.includes(started.user_code) && shown.text.includes(party.application.name));
        const done = await browser.answerForms(await browser.submit(shown, undefined), person);
        assert.match(done.text, /The device is connected/);
        const tokens = await client.pollDeviceAuthorizationGrant(party.config, { ...started, interval: 1 });
        assert.equal(tokens.claims()!.sub, person.id);
        assert.equal((await party.userInfo(tokens)).email, person.user.email);
        assert.equal(await refusal(poll(party, started)), 'invalid_grant', 'a code is good once');
      });

      it('brings its code along in a link, and the person still confirms', async () => {
        const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
        const started = await start(party);
        const brought = await browser.go(started.verification_uri_complete!);
        const shown = await browser.submit(brought, undefined);
        assert.ok(shown.text.includes(started.user_code));
        assert.equal(await refusal(poll(party, started)), 'authorization_pending');
        await browser.answerForms(await browser.submit(shown, undefined), person);
        assert.equal((await poll(party, started)).claims()!.sub, person.id);
      });

      it('gets nothing when the person says no, and a code nobody gave is asked for again', async () => {
        const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
        const started = await start(party);
        const wrong = await browser.submit(await browser.go(started.verification_uri), undefined, { user_code: 'BCDF-GHJK' });
        assert.match(wrong.text, /no such code/);
        const shown = await browser.submit(wrong, undefined, { user_code: started.user_code });
        await browser.submit(shown, undefined, { abort: 'yes' });
        assert.equal(await refusal(poll(party, started)), 'access_denied');
      });

      it('is too late after ten minutes', async () => {
        const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
        const started = await start(party);
        api.clock.advance(601);
        const page = await browser.submit(await browser.go(started.verification_uri), undefined, {
          user_code: started.user_code,
        });
        assert.match(page.text, /no such code/);
        assert.match(await refusal(poll(party, started)), /invalid_grant|expired_token/);
      });
    });

    describe('an access token', () => {
      it('bound to a key (DPoP) is good only with a proof by that key', async () => {
        const [party, person] = [await RelyingParty.make(api, { dpop_bound_access_tokens: true }), await makeUser(api)];
        const pair = await client.randomDPoPKeyPair('ES256', { extractable: true });
        const DPoP = client.getDPoPHandle(party.config, pair);
        const { url, checks } = await party.ask({ scope: 'openid offline_access' });
        const page = await new TestBrowser(api).signIn(url, person);
        const tokens = await party.redeem(page, checks, { DPoP });
        assert.equal(tokens.token_type, 'dpop');
        const { sub } = tokens.claims()!;
        assert.equal((await client.fetchUserInfo(party.config, tokens.access_token, sub, { DPoP })).sub, person.id);
        const seen: any = await client.tokenIntrospection(party.config, tokens.access_token);
        assert.equal(seen.cnf.jkt, await calculateJwkThumbprint(await exportJWK(pair.publicKey)));

        const other = client.getDPoPHandle(party.config, await client.randomDPoPKeyPair());
        assert.equal(await refusal(client.fetchUserInfo(party.config, tokens.access_token, sub)), 'invalid_token');
        assert.equal(
          await refusal(client.fetchUserInfo(party.config, tokens.access_token, sub, { DPoP: other })),
          'invalid_token',
        );
        assert.ok((await client.refreshTokenGrant(party.config, tokens.refresh_token!, undefined, { DPoP })).access_token);
      });

      it('is not given without a proof to an application that is registered for them', async () => {
        const [party, person] = [await RelyingParty.make(api, { dpop_bound_access_tokens: true }), await makeUser(api)];
        assert.equal(await refusal(party.tokensFor(person)), 'invalid_grant');
      });

      it('for a resource is a JWT by RFC 9068 that its API can verify by itself', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const { identifier: resource } = await makeApi(api, { token_format: 'jwt' });
        const { url, checks } = await party.ask({ scope: 'openid papers:read', resource });
        const page = await new TestBrowser(api).signIn(url, person);
        const tokens = await client.authorizationCodeGrant(party.config, redirectTargetOf(page), checks, { resource });
        const { payload, protectedHeader } = await jwtVerify(tokens.access_token, jwksOf(api), {
          issuer: api.url,
          audience: resource,
          typ: 'at+jwt',
          requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
        });
        assert.equal(protectedHeader.alg, 'ES256');
        assert.deepEqual([payload.sub, payload.client_id, payload.scope], [person.id, party.application.id, 'papers:read']);
        assert.ok(payload.exp! - payload.iat! <= 600, 'it cannot be taken back, so it does not last');
        const asked = client.fetchUserInfo(party.config, tokens.access_token, person.id);
        assert.equal(await refusal(asked), 'invalid_token', 'it is good at its API only');
      });

      it('for a resource is also given to an application by itself', async () => {
        const party = await RelyingParty.make(api);
        const { identifier: resource } = await makeApi(api, { token_format: 'jwt' });
        const tokens = await client.clientCredentialsGrant(party.config, { resource, scope: 'papers:read' });
        const expected = { issuer: api.url, audience: resource, typ: 'at+jwt' };
        const { payload } = await jwtVerify(tokens.access_token, jwksOf(api), expected);
        assert.deepEqual([payload.sub, payload.client_id], [party.application.id, party.application.id]);
      });

      it('is not given for what is no address of a resource', async () => {
        const party = await RelyingParty.make(api);
        for (const resource of ['http://api.example.org', 'https://api.example.org/#part', 'urn:x', 'nothing'])
          assert.equal(await refusal(client.clientCredentialsGrant(party.config, { resource })), 'invalid_target', resource);
      });

      it('is opaque otherwise', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const { access_token } = await party.tokensFor(person);
        assert.throws(() => decodeProtectedHeader(access_token));
      });

      it('tells what it is by introspection, and nothing once it is revoked', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const tokens = await party.tokensFor(person, { scope: 'openid email' });
        const seen = await client.tokenIntrospection(party.config, tokens.access_token);
        assert.deepEqual(
          [seen.active, seen.sub, seen.client_id, seen.scope, seen.iss, seen.token_type],
          [true, person.id, party.application.id, 'openid email', api.url, 'Bearer'],
        );
        assert.ok(seen.exp! > Date.now() / 1000);
        await client.tokenRevocation(party.config, tokens.access_token);
        assert.deepEqual(await client.tokenIntrospection(party.config, tokens.access_token), { active: false });
        assert.equal(await refusal(party.userInfo(tokens)), 'invalid_token');
        await client.tokenRevocation(party.config, tokens.access_token);
      });

      it('ends in time', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const tokens = await party.tokensFor(person);
        api.clock.advance(3601);
        assert.equal(await refusal(party.userInfo(tokens)), 'invalid_token');
        assert.equal(await party.isActive(tokens.access_token), false);
      });
    });

    describe('revocation', () => {
      it('of a refresh token ends the access tokens that came of it', async () => {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const tokens = await party.tokensFor(person, { scope: 'openid offline_access' });
        await client.tokenRevocation(party.config, tokens.refresh_token!);
        assert.equal(await refusal(client.refreshTokenGrant(party.config, tokens.refresh_token!)), 'invalid_grant');
        assert.equal(await refusal(party.userInfo(tokens)), 'invalid_token');
      });
    });

    describe('user information', () => {
      it('has the claims of each scope, and no others', async () => {
        const scim = await connect(api);
        const [userName, password] = [uniqueName('ada'), 'a password of a person'];
        const user = await scim.make('/Users', {
          schemas: [USER],
          userName,
          password,
          displayName: 'Countess',
          nickName: 'Ada',
          name: { givenName: 'Ada', familyName: 'Lovelace', middleName: 'King', formatted: 'Ada King Lovelace' },
          profileUrl: 'https://example.org/ada',
          locale: 'en-GB',
          timezone: 'Europe/London',
          emails: [{ value: 'ada@example.org', primary: true }],
        });
        const party = await RelyingParty.make(api);
        const [own, shared] = [await makeRole(api, party.application), await makeRole(api, party.application)];
        const [home, organization] = [await makeOrganization(api, { user }), await makeOrganization(api, { user })];
        await api.patch(`/v3/users/${user.id}`, { user: { default_project_id: home.id } });
        await assign(api, { user, application: party.application, role: own });
        await assign(api, { user, organization, application: party.application, role: shared });

        const claimsOf = async (scope: string): Promise<Record<string, unknown>> =>
          party.userInfo(await party.tokensFor({ name: userName, password }, { scope }));
        const sub = user.id;
        assert.deepEqual(await claimsOf('openid'), { sub });
        const { updated_at: at, ...profile } = await claimsOf('openid profile');
        assert.equal(typeof at, 'number');
        assert.deepEqual(profile, {
          sub,
          name: 'Countess',
          given_name: 'Ada',
          family_name: 'Lovelace',
          middle_name: 'King',
          nickname: 'Ada',
          preferred_username: userName,
          profile: 'https://example.org/ada',
          locale: 'en-GB',
          zoneinfo: 'Europe/London',
          displayName: 'Countess',
        });
        assert.deepEqual(await claimsOf('openid email'), { sub, email: 'ada@example.org', email_verified: false });
        const roles = [{ id: own.id, name: own.name }];
        const organizations = [{ id: organization.id, name: organization.name, roles: [{ id: shared.id, name: shared.name }] }];
        assert.deepEqual(await claimsOf('openid roles'), { sub, roles });
        assert.deepEqual(await claimsOf('openid organizations'), { sub, organizations });
        assert.deepEqual(await claimsOf('openid all_info'), {
          sub,
          id: sub,
          email: 'ada@example.org',
          displayName: 'Countess',
          roles,
          organizations,
          app_id: party.application.id,
          isGravatarEnabled: false,
          username: userName,
        });
      });
    });
  },
  // The clock is moved, and the administrator stays.
  { settings: { GATEHOUSE_IDENTITY_TOKEN_SECONDS: '604800' } },
);
