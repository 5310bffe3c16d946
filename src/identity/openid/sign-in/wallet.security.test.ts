// Attacks on signing in with a wallet: hostile wallets, one thing wrong at a time, hostile browsers, and relayed requests.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, it } from 'node:test';
import { decodeJwt, SignJWT } from 'jose';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import {
  issuedTo,
  makeCredentialHolder,
  makeCredentialType,
  makeRoleHolder,
  type RoleCredentialWorld,
  receiveCredential,
  takeRole,
} from '../../../../test/support/credential-holders.ts';
import { Holder, type HolderTwist, readWalletRequest } from '../../../../test/support/holder.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { assertNotSignedIn, WalletVisitor } from '../../../../test/support/wallet-visitor.ts';
import { UNFINISHED_LIMIT } from '../provider/unfinished-limit.ts';

const settings = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' };
const seconds = (): number => Math.floor(Date.now() / 1000);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

onEachDatabase(
  'A hostile wallet',
  (api) => {
    let application: RelyingParty;
    let world: RoleCredentialWorld;
    /** Somebody whose credential is good all the time. */
    let anna: Awaited<ReturnType<typeof makeCredentialHolder>>;
    let eve: Awaited<ReturnType<typeof makeCredentialHolder>>;
    before(async () => {
      application = await RelyingParty.make(api);
      world = await makeCredentialType(api);
      anna = await makeCredentialHolder(api, world);
      eve = await makeCredentialHolder(api, world);
    });
    const visitor = () => new WalletVisitor(api, application);

    /** The answer is refused, nobody is signed in, and a good answer is still taken. */
    async function refused(twist: HolderTwist, holder: Holder = anna.holder): Promise<void> {
      const visit = await visitor().ask();
      const { status, body } = await holder.answer(visit.link, twist);
      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual(Object.keys(body).sort(), ['error', 'error_description']);
      assert.equal(body.error, 'invalid_request');
      assertNotSignedIn(await visit.browser.go(visit.page.url));
    }

    const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const CASES: Readonly<Record<string, HolderTwist>> = {
      'with another nonce': { binding: (payload) => Object.assign(payload, { nonce: 'another' }) },
      'without a nonce': { binding: (payload) => void delete payload.nonce },
      'for another verifier': { binding: (payload) => Object.assign(payload, { aud: 'x509_hash:another' }) },
      'for our address instead of our client id': { binding: (payload) => Object.assign(payload, { aud: api.url }) },
      'without an audience': { binding: (payload) => void delete payload.aud },
      'made long before the request': { binding: (payload) => Object.assign(payload, { iat: seconds() - 600 }) },
      'made in the future': { binding: (payload) => Object.assign(payload, { iat: seconds() + 600 }) },
      'signed by a key that the credential is not bound to': { key: another },
      'over other disclosures': { binding: (payload) => Object.assign(payload, { sd_hash: 'AAAA' }) },
      'whose key binding is another JWT': { binding: (_, header) => Object.assign(header, { typ: 'JWT' }) },
      'without a key binding': { presentation: (text) => text.slice(0, text.lastIndexOf('~') + 1) },
      'with an altered disclosure': {
        disclosed: (text) =>
          text
            .split('~')
            .toSpliced(1, 1, encode(['salt', 'email', 'root@example.org']))
            .join('~'),
      },
      'with a disclosure of its own that replaces the subject': {
        disclosed: (text) => `${text}${encode(['salt', 'sub', 'x'])}~`,
      },
      'with a credential that was altered': {
        disclosed(text) {
          const [jwt = ''] = text.split('~', 1);
          const [head, , signature] = jwt.split('.');
          return `${[head, encode({ ...decodeJwt(jwt), sub: eve.id }), signature].join('.')}~`;
        },
      },
      'with a credential that is not signed': {
        disclosed(text) {
          const [jwt = ''] = text.split('~', 1);
          return `${encode({ alg: 'none', typ: 'dc+sd-jwt' })}.${encode(decodeJwt(jwt))}.AA~`;
        },
      },
      'with another state': { answer: (payload) => Object.assign(payload, { state: 'another' }) },
      'without a state': { answer: (payload) => void delete payload.state },
      'with no presentation': { answer: (payload) => Object.assign(payload, { vp_token: {} }) },
      'with two presentations': {
        answer: (payload) =>
          Object.assign(payload, {
            vp_token: Object.fromEntries(Object.entries<string[]>(payload.vp_token).map(([id, all]) => [id, [...all, ...all]])),
          }),
      },
      'to a query that was not asked': {
        answer: (payload) => Object.assign(payload, { vp_token: { elsewhere: Object.values(payload.vp_token)[0] } }),
      },
      'to a query for another format': {
        answer: (payload) => Object.assign(payload, { vp_token: { own_w3c: Object.values(payload.vp_token)[0] } }),
      },
      'to __proto__': {
        answer: (payload) =>
          Object.assign(payload, {
            vp_token: JSON.parse(`{"__proto__": ${JSON.stringify(Object.values(payload.vp_token)[0])}}`),
          }),
      },
      'in the language of earlier drafts': {
        answer: (payload) =>
          void Object.assign(payload, { presentation_submission: { id: 'x', definition_id: 'x', descriptor_map: [] } }),
      },
      'that is not encrypted': {
        form(form, plain) {
          form.delete('response');
          form.set('vp_token', JSON.stringify(plain.vp_token));
          form.set('state', plain.state);
        },
      },
      'that is encrypted for somebody else': {
        form: (form) => form.set('response', form.get('response')!.replace(/^[^.]+/, encode({ alg: 'dir', enc: 'A256GCM' }))),
      },
      'that was altered under way': { form: (form) => form.set('response', `${form.get('response')!.slice(0, -4)}AAAA`) },
      'twice in one form': { form: (form) => form.append('response', form.get('response')!) },
      'that is nothing': { form: (form) => form.set('response', 'x') },
    };
    for (const [name, twist] of Object.entries(CASES)) it(`is refused with an answer ${name}`, () => refused(twist));

    it('is refused with an answer that is signed instead of encrypted', async () => {
      const visit = await visitor().ask();
      const { payload } = await readWalletRequest(visit.link);
      const signed = await new SignJWT({
        vp_token: {},
        state: payload.state,
        iss: 'x',
        aud: payload.client_id,
        exp: seconds() + 60,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'x' })
        .sign(another);
      assert.equal(
        (await anna.holder.post(payload.response_uri, new URLSearchParams({ response: signed }).toString())).status,
        400,
      );
    });

    it('is refused with a credential of another issuer, even one that names us', async () => {
      const forged = new Holder(() => api.clock.now());
      const [jwt = ''] = anna.holder.raw.split('~', 1);
      const claims = { ...decodeJwt(jwt), cnf: { jwk: forged.jwk } };
      const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      for (const header of [
        { alg: 'ES256', typ: 'dc+sd-jwt', kid: 'mine' },
        { alg: 'ES256', typ: 'dc+sd-jwt', jwk: key.publicKey.export({ format: 'jwk' }) },
        { ...(JSON.parse(Buffer.from(jwt.split('.')[0]!, 'base64url').toString()) as object), alg: 'ES256' },
      ]) {
        forged.raw = `${await new SignJWT(claims).setProtectedHeader(header as never).sign(key.privateKey)}~`;
        await refused({}, forged);
      }
      forged.raw = `${await new SignJWT({ ...claims, iss: 'https://issuer.example' }).setProtectedHeader({ alg: 'ES256', typ: 'dc+sd-jwt', kid: 'x' }).sign(key.privateKey)}~`;
      await refused({}, forged);
    });

    it('cannot show one presentation twice: not for another request, nor for the same', async () => {
      const [first, second] = [await visitor().ask(), await visitor().ask()];
      const good = await anna.holder.answer(first.link);
      assert.equal(good.status, 200);
      await refused({ presentation: () => good.presentation });
      const { payload } = await readWalletRequest(second.link);
      assert.equal((await anna.holder.post(payload.response_uri, good.form)).status, 400, 'for another request');
      const { payload: same } = await readWalletRequest(first.link);
      assert.equal((await anna.holder.post(same.response_uri, good.form)).status, 400, 'the answer twice');
      assert.equal((await eve.holder.answer(first.link)).status, 400, 'another answer to an answered request');
    });

    it('cannot mix up the two requests of a sign-in', async () => {
      const visit = await visitor().ask();
      const [same, other] = [await readWalletRequest(visit.link), await readWalletRequest(visit.code)];
      for (const name of ['nonce', 'state', 'response_uri'] as const) assert.notEqual(same.payload[name], other.payload[name]);
      const mixed = await anna.holder.answerRequest(other, { to: same.payload.response_uri });
      assert.equal(mixed.status, 400);
    });

    it('has a few tries only', async () => {
      const visit = await visitor().ask();
      for (let i = 0; i < 5; i++) assert.equal((await anna.holder.answer(visit.link, { key: another })).status, 400);
      assert.equal((await anna.holder.answer(visit.link)).status, 400);
    });

    it('is too late after five minutes', async () => {
      const visit = await visitor().ask();
      const request = await readWalletRequest(visit.link);
      api.clock.advance(301);
      assert.equal((await anna.holder.answerRequest(request)).status, 400);
      assert.equal((await fetch(visit.link.match(/request_uri=([^&]+)/)!.map(decodeURIComponent)[1]!)).status, 404);
      const page = await visit.browser.go(visit.page.url);
      assert.equal(stepOf(page), 'password', 'the sign-in goes on');
    });
  },
  { settings },
);

onEachDatabase(
  'With a wallet, nobody gets in',
  (api) => {
    const db = usesDatabaseOf(api);
    let application: RelyingParty;
    let world: RoleCredentialWorld;
    before(async () => {
      application = await RelyingParty.make(api);
      world = await makeCredentialType(api);
    });
    const visitor = () => new WalletVisitor(api, application);
    const REFUSED = /You cannot sign in with this credential/;

    /** Something happens between the answer of the wallet and the return of the browser. */
    async function inBetween(
      happens: (person: Awaited<ReturnType<typeof makeCredentialHolder>>) => Promise<unknown>,
    ): Promise<void> {
      for (const device of ['link', 'code'] as const) {
        const person = await makeCredentialHolder(api, world);
        const visit = await visitor().ask();
        const { status, body } = await person.holder.answer(visit[device]);
        assert.equal(status, 200, JSON.stringify(body));
        const number = device === 'code' ? await visit.numberAt(body.redirect_uri) : '';
        await happens(person);
        const page = await (device === 'code' ? visit.types(number) : visit.returns(body.redirect_uri));
        assertNotSignedIn(page);
        assert.equal(page.status, 401);
        assert.match(page.text, REFUSED);
      }
    }

    it('when the role is taken away in between', () => inBetween((person) => takeRole(api, person, world)));
    it('when the credential is revoked in between', () =>
      inBetween(async (person) => {
        const { id } = await issuedTo(api, person);
        assert.equal((await api.delete(`/v3/OS-ROLE-CREDENTIALS/credentials/${id}`)).status, 204);
      }));
    it('when it is suspended in between', () =>
      inBetween(async (person) => {
        const { id } = await issuedTo(api, person);
        const answer = await api.patch(`/v3/OS-ROLE-CREDENTIALS/credentials/${id}`, { credential: { state: 'suspended' } });
        assert.equal(answer.status, 200, answer.text);
      }));
    it('when the user is disabled in between', () =>
      inBetween((person) => api.patch(`/v3/users/${person.id}`, { user: { enabled: false } })));
    it('when the user is deleted in between', () => inBetween((person) => api.delete(`/v3/users/${person.id}`)));
    it('when the application is deleted in between', async () => {
      const own = await makeCredentialType(api);
      const person = await makeCredentialHolder(api, own);
      const visit = await visitor().ask();
      const { body } = await person.holder.answer(visit.link);
      await api.delete(`/v3/OS-OAUTH2/consumers/${own.application.id}`);
      assert.match((await visit.returns(body.redirect_uri)).text, REFUSED);
    });

    it('with a credential that was revoked, and all of them get the same answer', async () => {
      const [revoked, gone, disabled] = [
        await makeCredentialHolder(api, world),
        await makeCredentialHolder(api, world),
        await makeCredentialHolder(api, world),
      ];
      await takeRole(api, revoked, world);
      await api.delete(`/v3/users/${gone.id}`);
      await api.patch(`/v3/users/${disabled.id}`, { user: { enabled: false } });
      const pages = [];
      for (const { holder } of [revoked, gone, disabled]) {
        const visit = await visitor().ask();
        const { status, body } = await holder.answer(visit.link);
        assert.equal(status, 200, 'the wallet learns nothing');
        const page = await visit.returns(body.redirect_uri);
        pages.push([page.status, page.text.replaceAll(/value="[^"]*"|interaction[/=][\w-]+|data-[\w-]+="[^"]*"/g, '')]);
      }
      assert.deepEqual(pages[1], pages[0]);
      assert.deepEqual(pages[2], pages[0]);
    });

    it('with a credential that has expired', async () => {
      const short = await makeCredentialType(api, { validity_seconds: 60 });
      const person = await makeCredentialHolder(api, short);
      const visit = await visitor().ask();
      const { body } = await person.holder.answer(visit.link);
      api.clock.advance(90);
      assert.match((await visit.returns(body.redirect_uri)).text, REFUSED);
    });

    it('in another browser than the one that began, with what the wallet was sent back with', async () => {
      const person = await makeCredentialHolder(api, world);
      const [attacker, victim] = [await visitor().ask(), new TestBrowser(api)];
      // The victim follows a link of the attacker's session on their own device.
      const { body } = await person.holder.answer(attacker.link);
      const page = await victim.go(body.redirect_uri);
      assertNotSignedIn(page);
      assert.equal(page.status, 400);
      assert.ok(!/\d{3} \d{3}/.test(page.text), 'there is no number for a link');
      // The attacker's browser is not signed in by that, nor by typing anything.
      assertNotSignedIn(await attacker.browser.go(attacker.page.url));
      assertNotSignedIn(await attacker.types('000000'));
    });

    it('by a relayed code, unless the holder passes the number on', async () => {
      const person = await makeCredentialHolder(api, world);
      const attacker = await visitor().ask();
      const { body } = await person.holder.answer(attacker.code);
      const shown = await new TestBrowser(api).go(body.redirect_uri);
      assert.match(shown.text, /127\.0\.0\.1/, 'it says who would get in');
      assert.match(shown.text, new RegExp(application.application.name));
      assertNotSignedIn(await attacker.browser.go(attacker.page.url));
      const number = await attacker.numberAt(body.redirect_uri);
      const wrong = String((Number(number) + 1) % 1_000_000).padStart(6, '0');
      for (let i = 0; i < 5; i++) {
        const page = await attacker.types(wrong);
        assert.equal(page.status, 401);
        assertNotSignedIn(page);
      }
      assertNotSignedIn(await attacker.types(number));
      assertNotSignedIn(await attacker.browser.go(attacker.page.url));
    });

    it('by the answer in the session of another', async () => {
      const person = await makeCredentialHolder(api, world);
      const [one, other] = [await visitor().ask(), await visitor().ask()];
      const { body } = await person.holder.answer(one.link);
      const code = body.redirect_uri.split('/').at(-1);
      const page = await other.browser.go(`${other.page.url.split('?')[0]}?wallet=${code}`);
      assertNotSignedIn(page);
      const { body: second } = await person.holder.answer(one.code);
      assertNotSignedIn(await other.types(await one.numberAt(second.redirect_uri)));
    });

    it('twice by one answer', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { body } = await person.holder.answer(visit.link);
      const [one, two] = await Promise.all([
        visit.browser.request(interactionOf(visit, body)),
        visit.browser.request(interactionOf(visit, body)),
      ]);
      const entered = [one, two].filter(({ headers }) => headers.get('location')?.includes('/openid/authorize/'));
      assert.equal(entered.length, 1, `${one.status} ${two.status}`);
    });
    const interactionOf = (visit: WalletVisitor, body: { redirect_uri: string }): string =>
      `${visit.page.url.split('?')[0]}?wallet=${body.redirect_uri.split('/').at(-1)}`;

    it('as the second step with the wallet of somebody else', async () => {
      const [person, thief] = [await makeCredentialHolder(api, world), await makeCredentialHolder(api, world)];
      await enable(api, person);
      const visit = visitor();
      const asked = await visit.browser.submit(await visit.signInPage(), 'password', {
        name: person.name,
        password: person.password,
      });
      visit.page = await visit.browser.submit(asked, 'wallet');
      const { body } = await thief.holder.answer(visit.link);
      const page = await visit.returns(body.redirect_uri);
      assertNotSignedIn(page);
      assert.equal(page.status, 401);
    });

    it('as the second step, when the first was too long ago: the wallet does not become the first', async () => {
      const person = await makeCredentialHolder(api, world);
      await enable(api, person);
      const visit = visitor();
      const asked = await visit.browser.submit(await visit.signInPage(), 'password', {
        name: person.name,
        password: person.password,
      });
      api.clock.advance(200);
      visit.page = await visit.browser.submit(asked, 'wallet');
      const { body } = await person.holder.answer(visit.link);
      api.clock.advance(150);
      const page = await visit.returns(body.redirect_uri);
      assertNotSignedIn(page);
      assert.equal(stepOf(page), 'password');
    });

    it('by a form of another site', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { body } = await person.holder.answer(visit.code);
      const number = await visit.numberAt(body.redirect_uri);
      const form = visit.page.forms.find(({ fields }) => fields.step === 'wallet-code')!;
      const sent = await visit.browser.send(new URL(form.action, visit.page.url), {
        ...form.fields,
        form_token: 'x',
        code: number,
      });
      assert.equal(sent.status, 403);
      const denied = await visit.browser.send(
        body.redirect_uri,
        {},
        { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      );
      assert.equal(denied.status, 403);
      assert.equal((await visit.claims(await visit.types(number))).sub, person.id, 'nothing was spoiled');
    });

    it('as if a wallet were a passkey: it can be relayed', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask({ acr_values: 'phr' });
      const { body } = await person.holder.answer(visit.link);
      const { amr, acr } = await visit.claims(await visit.returns(body.redirect_uri));
      assert.deepEqual([amr, acr], [['wallet'], 'https://refeds.org/profile/sfa']);
    });

    it('by a secret in the log, or in an address that is kept', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { form, presentation, body } = await person.holder.answer(visit.code);
      const number = await visit.numberAt(body.redirect_uri);
      await visit.types(number);
      const logged = api.logged.join('');
      for (const secret of [presentation, new URLSearchParams(form).get('response')!, person.holder.raw.split('~', 1)[0]!])
        assert.ok(!logged.includes(secret));
      assert.ok(!logged.includes(body.redirect_uri.split('/').at(-1)), 'what the wallet was sent back with');
    });

    it('with the credential of a user who was deleted and made again under the same name', async () => {
      const name = uniqueName('again');
      const person = await makeCredentialHolder(api, world, { name });
      await api.delete(`/v3/users/${person.id}`);
      await makeUser(api, { name });
      const visit = await visitor().ask();
      const { body } = await person.holder.answer(visit.link);
      assert.match((await visit.returns(body.redirect_uri)).text, REFUSED);
    });

    it('by the entry of another credential, although our signature is right', async () => {
      const person = await makeCredentialHolder(api, world);
      // As after the restore of a backup that was made before it was issued: the entry is free, and is given to another.
      await db().write((tx) =>
        tx.updateTable('issued_credentials').set({ key_thumbprint: 'of another key' }).where('user_id', '=', person.id).execute(),
      );
      const visit = await visitor().ask();
      const { status, body } = await person.holder.answer(visit.link);
      assert.equal(status, 200, 'the wallet learns nothing');
      assert.match((await visit.returns(body.redirect_uri)).text, REFUSED);
    });

    it('as the person who allowed an application to receive their credential', async () => {
      const person = await makeRoleHolder(api, world);
      const { url, checks } = await application.ask({ scope: `openid role_credential.${world.typeId}` });
      const { access_token: token } = await application.redeem(await new TestBrowser(api).signIn(url, person), checks);
      const holder = new Holder(() => api.clock.now());
      const nonced = await fetch(`${api.url}/openid/credentials/nonce`, { method: 'POST' });
      const { c_nonce: nonce } = (await nonced.json()) as { c_nonce: string };
      const answer = await fetch(`${api.url}/openid/credentials/credential`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify({
          credential_configuration_id: `${world.typeId}.sd_jwt`,
          proofs: { jwt: [await holder.proof(api.service.issuer(), nonce)] },
        }),
      });
      assert.equal(answer.status, 200, await answer.clone().text());
      const { credentials } = (await answer.json()) as { credentials: [{ credential: string }] };
      holder.raw = credentials[0].credential;
      const visit = await visitor().ask();
      const { body } = await holder.answer(visit.link);
      const page = await visit.returns(body.redirect_uri);
      assertNotSignedIn(page);
      assert.match(page.text, REFUSED);
    });

    it('any longer in a session that began with a credential that somebody withdrew', async () => {
      for (const withdraw of ['delete', 'suspend'] as const) {
        const person = await makeCredentialHolder(api, world);
        const visit = await visitor().ask();
        const { body } = await person.holder.answer(visit.link);
        await visit.returns(body.redirect_uri);
        const silently = async () => (await visit.browser.go((await application.ask({ prompt: 'none' })).url)).redirectTarget;
        assert.ok((await silently())?.searchParams.has('code'), 'signed in');
        const { id } = await issuedTo(api, person);
        const path = `/v3/OS-ROLE-CREDENTIALS/credentials/${id}`;
        const { status } = await (withdraw === 'delete'
          ? api.delete(path)
          : api.patch(path, { credential: { state: 'suspended' } }));
        assert.ok(status < 300);
        assert.equal((await silently())?.searchParams.get('error'), 'login_required');
      }
    });

    it('with one of several copies after another was revoked with the role', async () => {
      const person = await makeCredentialHolder(api, world);
      const second = await receiveCredential(api, person, `${world.typeId}.sd_jwt`);
      await takeRole(api, person, world);
      for (const holder of [person.holder, second]) {
        const visit = await visitor().ask();
        const { body } = await holder.answer(visit.link);
        assert.match((await visit.returns(body.redirect_uri)).text, REFUSED);
      }
    });
  },
  { settings },
);

onEachDatabase(
  'Requests to wallets that nobody answers',
  (api) => {
    const db = usesDatabaseOf(api);
    const stored = async (): Promise<number> =>
      (await db().read.selectFrom('openid_records').where('model', '=', 'WalletRequest').select('id').execute()).length;

    it('do not fill the table', async () => {
      await makeCredentialType(api);
      const application = await RelyingParty.make(api);
      const visit = new WalletVisitor(api, application);
      const start = await visit.signInPage();
      for (let time = 0; time < 3; time++) {
        const page = await visit.browser.submit(start, 'wallet');
        const link = /request_uri=([^&"]+)/.exec(page.text)![1]!;
        assert.equal(await stored(), 2);
        await visit.browser.submit(page, 'wallet-forget');
        assert.equal(await stored(), 0, 'what was given up is not kept');
        assert.equal((await fetch(decodeURIComponent(link))).status, 404);
      }
      const { url } = await application.ask();
      for (let sent = 0; sent < UNFINISHED_LIMIT.attempts; sent++)
        if ((await new TestBrowser(api).request(url)).redirectTarget) break;
      const page = await visit.browser.submit(start, 'wallet');
      assert.deepEqual([page.status, await stored()], [429, 0], 'and they are counted as sign-ins are that nobody finishes');
    });
  },
  { settings, rateLimits: true },
);
