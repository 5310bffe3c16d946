// Attacks on signing in with credentials of other issuers: whose they are, what they say, when, and by whom they are shown.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { certify } from '../../../../test/support/certificates.ts';
import {
  CredentialIssuer,
  connectIssuer,
  type IssueOptions,
  type TestCredential,
  type WalletConnection,
} from '../../../../test/support/credential-issuer.ts';
import { ROOT } from '../../../../test/support/federation.ts';
import { Holder, type HolderTwist, readWalletRequest } from '../../../../test/support/holder.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { makeRoleWorld } from '../../../../test/support/role-credentials.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { assertAnswerRefused, assertNotSignedIn, usesVisitors } from '../../../../test/support/wallet-visitor.ts';

const settings = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' };
const UNLISTED = /issuer is not on the list/;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

onUsualDatabase(
  'Whoever shows a credential of another issuer',
  (api) => {
    const { visitor } = usesVisitors(api);
    let issuer: CredentialIssuer;
    /** Trusted by another provider. */
    let other: CredentialIssuer;
    /** Trusted by nobody. */
    let nobody: CredentialIssuer;
    let provider: WalletConnection;
    before(async () => {
      const start = () => new CredentialIssuer(() => api.clock.now()).start();
      [issuer, other, nobody] = await Promise.all([start(), start(), start()]);
      provider = await connectIssuer(api, issuer);
      await connectIssuer(api, other);
    });
    after(() => Promise.all([issuer.stop(), other.stop(), nobody.stop()]));

    const countUsers = async (): Promise<number> => assertOk(await api.get('/v3/users')).users.length;

    /** The answer itself is refused. */
    const isRefused = (why: RegExp, issued: TestCredential, twist?: HolderTwist) =>
      assertAnswerRefused(api, visitor(), why, issued, twist);

    /** The answer is taken, and nobody gets in. `between`: after it was taken. */
    async function getsNowhere(issued: TestCredential, between: () => unknown = () => undefined): Promise<BrowserPage> {
      const visit = await visitor().ask();
      const { body } = await visit.answered(issued.holder);
      await between();
      const page = await visit.returns(body.redirect_uri);
      assertNotSignedIn(page);
      assert.notEqual(stepOf(page), 'provider-link', 'an account is offered');
      return page;
    }

    async function show({ holder }: Pick<TestCredential, 'holder'>) {
      const visit = await visitor().ask();
      const { body } = await visit.answered(holder);
      return { visit, page: await visit.returns(body.redirect_uri), redirectUri: body.redirect_uri as string };
    }

    /** Somebody who has an account by it. */
    async function arrive(issued: Pick<TestCredential, 'holder'>): Promise<string> {
      const { visit, page } = await show(issued);
      return (await visit.claims(await visit.presses(page, 'provider-new'))).sub;
    }

    /** The query of a type, in a request. */
    const queryFor = async (link: string, type: string): Promise<string> =>
      (await readWalletRequest(link)).payload.dcql_query.credentials.find(({ meta }: any) => meta.vct_values?.includes(type)).id;

    describe('is refused for its issuer', () => {
      it('which nobody trusts, but names the type', async () => isRefused(UNLISTED, await nobody.issue({ type: issuer.type })));

      it('whom another provider trusts', async () => {
        await isRefused(UNLISTED, await other.issue({ type: issuer.type }));
        const { holder } = await other.issue();
        const visit = await visitor().ask();
        const asked = await queryFor(visit.link, issuer.type);
        const answer = (payload: Record<string, any>) =>
          void Object.assign(payload, { vp_token: { [asked]: Object.values(payload.vp_token)[0] } });
        assert.equal((await holder.answer(visit.link, { answer })).status, 400);
      });

      const CASES: Readonly<Record<string, readonly [RegExp, () => IssueOptions]>> = {
        'which another signed for': [/signature/, () => ({ twist: (draft) => void Object.assign(draft, { key: nobody.key }) })],
        'whom a DID names that is not trusted': [/DID is not on the list/, () => ({ by: 'did' })],
        'whose certificate is of no trusted root': [/lead to none that is trusted/, () => ({ by: 'certificate' })],
        'whose key is in its own header': [
          /signature/,
          () => ({
            twist(draft) {
              draft.header = { alg: 'ES256', typ: 'dc+sd-jwt', jwk: nobody.jwk };
              draft.key = nobody.key;
            },
          }),
        ],
        'that is spelled otherwise': [
          UNLISTED,
          () => ({ twist: ({ payload }) => void Object.assign(payload, { iss: `${payload.iss}/` }) }),
        ],
      };
      for (const [name, [why, options]] of Object.entries(CASES))
        it(name, async () => isRefused(why, await issuer.issue(options())));

      it('whose certificate is good, and who is not on the list', async () => {
        const type = `${issuer.type}/listed`;
        const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'] }];
        const root_certificates = [issuer.root.certificate.toString()];
        const own = await connectIssuer(api, issuer, { settings: { credentials, root_certificates } });
        const leaf = certify({ name: 'CN=Eve', by: issuer.root, uris: [nobody.url], key: nobody.key });
        const twist: NonNullable<IssueOptions['twist']> = (draft) => {
          draft.header = { alg: 'ES256', typ: 'dc+sd-jwt', x5c: [leaf.der] };
        };
        await isRefused(/not one that the provider trusts/, await nobody.issue({ type, twist }));
        const asIssuer: NonNullable<IssueOptions['twist']> = (draft) => {
          twist(draft);
          draft.payload.iss = issuer.url;
        };
        await isRefused(/certificate is not one of the issuer/, await nobody.issue({ type, twist: asIssuer }));
        const nameless = await issuer.issue({ type, by: 'certificate', twist: ({ payload }) => void delete payload.iss });
        await isRefused(/named by a certificate only/, nameless);
        assertOk(await api.delete(own.path), 204);
      });
    });

    describe('is refused for what the credential says', () => {
      const change =
        (values: Record<string, unknown>): NonNullable<IssueOptions['twist']> =>
        ({ payload }) =>
          void Object.assign(payload, values);
      const seconds = (): number => Math.floor(api.clock.now() / 1000);
      const CASES: Readonly<Record<string, readonly [RegExp, () => IssueOptions]>> = {
        'of another type': [/of another type/, () => ({ type: 'https://other.example/type' })],
        'that has expired': [/has expired/, () => ({ twist: change({ exp: seconds() - 120 }) })],
        'that is not valid yet': [/not valid yet/, () => ({ twist: change({ nbf: seconds() + 600 }) })],
        'without a status, where one is required': [
          /no entry in a status list/,
          () => ({ twist: ({ payload }) => void delete payload.status }),
        ],
        'without anybody it is bound to': [/bound to nobody/, () => ({ twist: ({ payload }) => void delete payload.cnf })],
        'that names nobody': [/who the person is/, () => ({ twist: ({ payload }) => void delete payload.sub })],
        'that names somebody by a number': [/who the person is/, () => ({ twist: change({ sub: 7 }) })],
        'that names somebody by nothing': [/who the person is/, () => ({ twist: change({ sub: ' ' }) })],
        'whose subject cannot be seen whole': [/who the person is/, () => ({ twist: change({ sub: 'a\u0007b' }) })],
        'that does not have what was asked for': [
          /asked for is missing/,
          () => ({ twist: ({ disclosures }) => void delete disclosures.preferred_username }),
        ],
      };
      for (const [name, [why, options]] of Object.entries(CASES))
        it(name, async () => isRefused(why, await issuer.issue(options())));
    });

    describe('is refused for how it is shown', () => {
      const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      const sd_hash = createHash('sha256').update('x').digest('base64url');
      const altered = encode(['salt', 'preferred_username', 'root']);
      const CASES: Readonly<Record<string, readonly [RegExp, HolderTwist]>> = {
        'with an altered disclosure': [/./, { disclosed: (text) => text.split('~').toSpliced(1, 1, altered).join('~') }],
        'with a disclosure held back': [/asked for is missing/, { disclosed: (text) => `${text.split('~', 1)[0]}~` }],
        'with a disclosure beside it': [/./, { disclosed: (text) => `${text}${encode(['salt', 'sub', 'x'])}~` }],
        'without a key binding': [/who holds it/, { presentation: (text) => text.slice(0, text.lastIndexOf('~') + 1) }],
        'by another key': [/holder did not sign/, { key: another }],
        'for another verifier': [
          /another verifier/,
          { binding: (payload) => Object.assign(payload, { aud: 'x509_hash:another' }) },
        ],
        'with another nonce': [/another request/, { binding: (payload) => Object.assign(payload, { nonce: 'another' }) }],
        'over other disclosures': [/something else/, { binding: (payload) => Object.assign(payload, { sd_hash }) }],
      };
      for (const [name, [why, twist]] of Object.entries(CASES)) it(name, async () => isRefused(why, await issuer.issue(), twist));

      it('by a key of the holder’s DID that is not for authentication', async () => {
        const bound = async (use: string): Promise<readonly [TestCredential, HolderTwist]> => {
          const holder = new Holder(() => api.clock.now());
          const kid = `did:jwk:${encode({ ...holder.jwk, use })}#0`;
          const issued = await issuer.issue({ holder, twist: ({ payload }) => void Object.assign(payload, { cnf: { kid } }) });
          return [issued, { binding: (_, header) => void Object.assign(header, { kid }) }];
        };
        await isRefused(/does not give the key/, ...(await bound('enc')));
        const [{ holder }, twist] = await bound('sig');
        assert.equal((await holder.answer((await visitor().ask()).link, twist)).status, 200);
      });

      it('by somebody who saw it shown', async () => {
        const { holder } = await issuer.issue();
        const first = await visitor().ask();
        const { presentation, form, body } = await holder.answer(first.link);
        const second = await visitor().ask();
        assert.equal((await holder.answer(second.link, { presentation: () => presentation })).status, 400);
        // The same answer again.
        const { payload } = await readWalletRequest(first.link);
        assert.equal((await holder.post(payload.response_uri, form)).status, 400);
        // In a browser that did not begin, and that has not the cookie.
        const page = await new TestBrowser(api).go(body.redirect_uri);
        assertNotSignedIn(page);
        assertNotSignedIn(await second.browser.go(body.redirect_uri));
      });

      it('a second time, once it was used', async () => {
        const issued = await issuer.issue();
        const { visit, page, redirectUri } = await show(issued);
        await visit.claims(await visit.presses(page, 'provider-new'));
        assertNotSignedIn(await new TestBrowser(api).go(redirectUri));
        const again = await visitor().ask();
        assertNotSignedIn(await again.browser.go(redirectUri));
      });

      it('twice at the same moment', async () => {
        const issued = await issuer.issue();
        await arrive(issued);
        const visit = await visitor().ask();
        const { body } = await visit.answered(issued.holder);
        const address = `${visit.page.url.split('?')[0]}?wallet=${body.redirect_uri.split('/').at(-1)}`;
        const pages = await Promise.all(Array.from({ length: 4 }, () => visit.browser.request(address)));
        const entered = pages.filter(({ headers }) => headers.get('location')?.includes('/openid/authorize/'));
        assert.equal(entered.length, 1, pages.map(({ status }) => status).join());
      });
    });

    describe('gets nowhere with a credential', () => {
      for (const state of ['revoked', 'suspended', 'away'] as const) {
        it(state === 'away' ? 'whose status cannot be read' : `that is ${state}`, async () => {
          const issued = await issuer.issue();
          issuer.becomes(issued, state);
          const page = await getsNowhere(issued);
          assert.equal(page.status, 401);
          assert.match(page.text, /You cannot sign in with this credential/);
        });

        it(`${state === 'away' ? 'whose status cannot be read' : `that is ${state}`} after it was shown`, async () => {
          const issued = await issuer.issue();
          await arrive(issued);
          await getsNowhere(issued, () => issuer.becomes(issued, state));
        });
      }

      it('whose status somebody else signed', async () => {
        const issued = await issuer.issue();
        issuer.listKey = nobody.key;
        try {
          await getsNowhere(issued);
        } finally {
          issuer.listKey = issuer.key;
        }
      });

      it('that expires after it was shown', async () => {
        const exp = Math.floor(api.clock.now() / 1000) + 60;
        const issued = await issuer.issue({ twist: ({ payload }) => void Object.assign(payload, { exp }) });
        await getsNowhere(issued, () => api.clock.advance(61));
      });

      it('that is revoked while the person chooses an account', async () => {
        const before = await countUsers();
        const created = await issuer.issue();
        const first = await show(created);
        issuer.becomes(created, 'revoked');
        const refused = await first.visit.presses(first.page, 'provider-new');
        assertNotSignedIn(refused);
        assert.match(refused.text, /not valid any more/);
        assert.equal(await countUsers(), before);
        const { id, name, password } = await makeUser(api);
        const linked = await issuer.issue();
        const second = await show(linked);
        const proving = await second.visit.browser.submit(second.page, 'provider-link');
        issuer.becomes(linked, 'revoked');
        assertNotSignedIn(await second.visit.presses(proving, 'password', { name, password }));
        assert.deepEqual(assertOk(await api.get(`/v3/users/${id}`)).user.federated ?? [], []);
      });

      it('of which the mapping makes nobody', async () => {
        const type = `${issuer.type}/nobody`;
        const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'] }];
        const rules = [
          { local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }, { type: 'vct', any_one_of: ['another'] }] },
        ];
        const own = await connectIssuer(api, issuer, { rules, settings: { credentials } });
        const before = await countUsers();
        const page = await getsNowhere(await issuer.issue({ type }));
        assert.match(page.text, /rules of this service do not let you in/);
        assert.equal(await countUsers(), before);
        assertOk(await api.delete(own.path), 204);
      });

      it('whose mapping sees more than what was asked for', async () => {
        const type = `${issuer.type}/more`;
        const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'] }];
        const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] }];
        const own = await connectIssuer(api, issuer, { rules, settings: { credentials } });
        // The holder shows it all the same.
        await getsNowhere(await issuer.issue({ type }));
        assertOk(await api.delete(own.path), 204);
      });
    });

    describe('gets nowhere when the provider', () => {
      const type = uniqueName('https://changing.example');
      const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'], claims: [['preferred_username']] }];
      const connect = () => connectIssuer(api, issuer, { settings: { credentials } });
      const CHANGES: Readonly<Record<string, (own: WalletConnection) => Promise<unknown>>> = {
        'is disabled': async ({ path }) => assertOk(await api.patch(path, { identity_provider: { enabled: false } })),
        'is deleted': async ({ path }) => assertOk(await api.delete(path), 204),
        'has no settings any more': async ({ path }) => assertOk(await api.delete(`${path}/openid4vp`), 204),
        'has no protocol any more': async ({ path }) => assertOk(await api.delete(`${path}/protocols/openid4vp`), 204),
        'trusts others': (own) => own.put({ issuers: [other.url] }),
        'asks for another type': (own) => own.put({ credentials: [{ ...credentials[0], types: ['https://x.example'] }] }),
        'goes by another claim': (own) => own.put({ credentials: [{ ...credentials[0], subject: ['preferred_username'] }] }),
        'is not shown any more': (own) => own.put({ shown: false }),
      };
      for (const [name, changed] of Object.entries(CHANGES)) {
        it(`${name} after the answer`, async () => {
          const own = await connect();
          await getsNowhere(await issuer.issue({ type }), () => changed(own));
          await api.delete(own.path);
        });

        it(`${name} before the answer`, async () => {
          const own = await connect();
          const { holder } = await issuer.issue({ type });
          const visit = await visitor().ask();
          await changed(own);
          assert.equal((await holder.answer(visit.link)).status, 400);
          await api.delete(own.path);
        });
      }

      it('is disabled while the person chooses an account', async () => {
        const own = await connect();
        const { visit, page } = await show(await issuer.issue({ type }));
        assertOk(await api.patch(own.path, { identity_provider: { enabled: false } }));
        assertNotSignedIn(await visit.presses(page, 'provider-new'));
        await api.delete(own.path);
      });

      it('has another mapping while the person chooses an account, by which they are nobody', async () => {
        const own = await connect();
        const { visit, page } = await show(await issuer.issue({ type }));
        const rules = [
          { local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }, { type: 'iss', any_one_of: ['another'] }] },
        ];
        assertOk(await api.patch(`${ROOT}/mappings/${own.id}`, { mapping: { rules } }));
        assertNotSignedIn(await visit.presses(page, 'provider-new'));
        await api.delete(own.path);
      });
    });

    describe('is somebody else', () => {
      it('when another issuer names them the same', async () => {
        const type = `${issuer.type}/two`;
        const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'], claims: [['preferred_username']] }];
        const own = await connectIssuer(api, issuer, { settings: { credentials, issuers: [issuer.url, other.url] } });
        const sub = uniqueName('sub');
        const one = await arrive(await issuer.issue({ type, sub }));
        const { visit, page } = await show(await other.issue({ type, sub }));
        assert.equal(stepOf(page), 'provider-link', 'they are not known');
        const two = (await visit.claims(await visit.presses(page, 'provider-new'))).sub;
        assert.notEqual(one, two);
        assertOk(await api.delete(own.path), 204);
      });

      it('when another claim says the same', async () => {
        const sub = uniqueName('sub');
        const one = await arrive(await issuer.issue({ sub }));
        const [asked] = assertOk(await api.get(`${provider.path}/openid4vp`)).openid4vp.credentials;
        await provider.put({ credentials: [{ ...asked, subject: ['preferred_username'] }] });
        const { visit, page } = await show(await issuer.issue({ sub: uniqueName('eve'), claims: { preferred_username: sub } }));
        assert.equal(stepOf(page), 'provider-link', 'they are not known');
        assert.notEqual((await visit.claims(await visit.presses(page, 'provider-new'))).sub, one);
        await provider.put();
      });

      it('when they had signed in by OpenID', async () => {
        const { path } = provider;
        const sub = uniqueName('sub');
        assertOk(await api.put(`${path}/protocols/openid`, { protocol: { mapping_id: provider.id } }), 201);
        assertOk(await api.put(`${path}/openid`, { openid: { issuer: issuer.url, client_id: 'x' } }));
        const federated = [{ idp_id: provider.id, protocols: [{ protocol_id: 'openid', unique_id: sub }] }];
        await api.make('user', { name: uniqueName('linked'), federated });
        const { page } = await show(await issuer.issue({ sub }));
        assert.equal(stepOf(page), 'provider-link', 'they are not known');
        assertOk(await api.delete(`${path}/openid`), 204);
      });
    });

    it('does not take over the account with their address', async () => {
      const type = `${issuer.type}/mail`;
      const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'], claims: [['email'], ['email_verified']] }];
      const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'email' }] }];
      const own = await connectIssuer(api, issuer, { rules, settings: { credentials } });
      const { user } = await makeUser(api);
      const eve = () => issuer.issue({ type, claims: { email: user.email, email_verified: true } });
      const { page } = await show(await eve());
      assert.equal(stepOf(page), 'provider-link', 'the provider is not trusted with addresses');
      await own.put({ credentials, trusts_email: true, email_domains: ['elsewhere.example'] });
      assert.equal(stepOf((await show(await eve())).page), 'provider-link', 'nor with those of this domain');
      assertOk(await api.delete(own.path), 204);
    });

    it('connects no account by a credential of ours, also where the form for it is made up', async () => {
      await makeRoleWorld(api);
      const { visit, page } = await show(await issuer.issue());
      const proving = await visit.browser.submit(page, 'provider-link');
      const form = proving.forms.find(({ fields }) => fields.step === 'password')!;
      const sent = await visit.browser.send(new URL(form.action, proving.url), { ...form.fields, step: 'wallet' });
      assert.equal(sent.status, 400);
      assert.ok(!sent.text.includes('openid4vp:'), 'no wallet is asked');
      assert.equal(stepOf(await visit.browser.go(proving.url)), 'password', 'they still connect');
    });

    it('is told nothing of accounts, and leaves a refused login', async () => {
      const issued = await issuer.issue();
      issuer.becomes(issued, 'revoked');
      const known = await issuer.issue();
      await arrive(known);
      issuer.becomes(known, 'revoked');
      const [one, two] = [await getsNowhere(issued), await getsNowhere(known)];
      const plain = ({ text }: BrowserPage): string =>
        text.replaceAll(/value="[^"]*"|action="[^"]*"|interaction[/=][\w-]+|nonce="[^"]*"|nonce-[\w+/=-]+/g, '');
      assert.equal(plain(one), plain(two));
      const { body } = await api.get('/v3/OS-AUDIT/events?action=user.login_refused');
      assert.ok(body.events.some(({ detail }: any) => detail.methods.includes('mapped')));
    });
  },
  { settings },
);
