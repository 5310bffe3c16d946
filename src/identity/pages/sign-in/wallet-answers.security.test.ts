// Attacks on signing in with a wallet: hostile wallets, whose answer is wrong in one thing.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, it } from 'node:test';
import { decodeJwt, SignJWT } from 'jose';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { type CredentialHolder, makeCredentialHolder } from '../../../../test/support/credential-holders.ts';
import { Holder, type HolderTwist, readWalletRequest } from '../../../../test/support/holder.ts';
import { makeRoleWorld, usesRoleWorld } from '../../../../test/support/role-credentials.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';
import { assertNotSignedIn, usesVisitors } from '../../../../test/support/wallet-visitor.ts';

const seconds = (): number => Math.floor(Date.now() / 1000);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

onUsualDatabase(
  'A hostile wallet',
  (api) => {
    const { world } = usesRoleWorld(api);
    const { visitor } = usesVisitors(api);
    /** Somebody whose credential is good all the time. */
    let anna: CredentialHolder;
    let eve: CredentialHolder;
    before(async () => {
      anna = await makeCredentialHolder(api, world);
      eve = await makeCredentialHolder(api, world);
    });

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
      // As in drafts before the final text of OID4VP 1.0.
      'with a presentation that is in no list': {
        answer: (payload) =>
          Object.assign(payload, {
            vp_token: Object.fromEntries(Object.entries<string[]>(payload.vp_token).map(([id, all]) => [id, all[0]])),
          }),
      },
      'with the presentations as a text': {
        answer: (payload) => Object.assign(payload, { vp_token: JSON.stringify(payload.vp_token) }),
      },
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

    it('is refused with a credential of ours that is of another type than was asked for', async () => {
      for (const [format, query] of [
        ['dc+sd-jwt', 'own'],
        ['jwt_vc_json', 'own_w3c'],
      ] as const) {
        const visit = await visitor().ask();
        // A type that was not there when the wallet was asked.
        const { holder } = await makeCredentialHolder(api, await makeRoleWorld(api), { format });
        const answer: HolderTwist['answer'] = (payload) =>
          void Object.assign(payload, { vp_token: { [query]: Object.values(payload.vp_token)[0] } });
        assert.equal((await holder.answer(visit.link, { answer })).status, 400, format);
        const last = api.logged.findLast((line) => line.includes('answer of a wallet refused'))!;
        assert.match(JSON.parse(last).reason, /of another type than was asked for/);
        await (await visitor().ask()).answered(holder);
      }
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
  { settings: { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' } },
);
