// Signing in with mobile documents: those that are issued here, and those of others.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { certify, DOCUMENT_SIGNER, newEcKey, usages } from '../../../../test/support/certificates.ts';
import { type CredentialHolder, makeCredentialHolder } from '../../../../test/support/credential-holders.ts';
import {
  CredentialIssuer,
  connectIssuer,
  type TestCredential,
  type WalletConnection,
} from '../../../../test/support/credential-issuer.ts';
import { type Holder, type HolderTwist, readWalletRequest } from '../../../../test/support/holder.ts';
import { doctypeOf } from '../../../../test/support/mdoc-holder.ts';
import { issuedTo, makeRoleWorld, takeRole, usesRoleWorld, withdraw } from '../../../../test/support/role-credentials.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';
import { assertAnswerRefused, assertNotSignedIn, usesVisitors } from '../../../../test/support/wallet-visitor.ts';

const settings = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' };

onUsualDatabase(
  'A mobile document of a role',
  (api) => {
    const { world } = usesRoleWorld(api, { formats: ['mso_mdoc'] });
    const { visitor } = usesVisitors(api);
    let anna: CredentialHolder;
    before(async () => {
      anna = await makeCredentialHolder(api, world, { format: 'mso_mdoc' });
    });

    async function refused(twist: HolderTwist, holder: Holder = anna.holder): Promise<void> {
      const visit = await visitor().ask();
      const { status, body } = await holder.answer(visit.link, twist);
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(body.error, 'invalid_request');
      assertNotSignedIn(await visit.browser.go(visit.page.url));
    }

    it('is asked for by its doctype, and for none of its elements', async () => {
      const { payload } = await readWalletRequest((await visitor().ask()).link);
      const asked = payload.dcql_query.credentials.find(({ format }: any) => format === 'mso_mdoc');
      assert.deepEqual(asked, { id: 'own_mdoc', format: 'mso_mdoc', meta: { doctype_value: doctypeOf(anna.holder.raw) } });
      // ES256, ES384, ES512 and EdDSA, by both their numbers.
      const algorithms = [-7, -9, -35, -51, -36, -52, -8, -19];
      assert.deepEqual(payload.client_metadata.vp_formats_supported.mso_mdoc, {
        issuerauth_alg_values: algorithms,
        deviceauth_alg_values: algorithms,
      });
    });

    it('signs its holder in on another device', async () => {
      const visit = await visitor().ask();
      assert.equal((await visit.claims(await visit.showsElsewhere(anna.holder))).sub, anna.id);
    });

    const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const session = (at: number, value: unknown): HolderTwist => ({
      mdoc: { session: (info) => void info.splice(at, 1, value) },
    });
    const CASES: Readonly<Record<string, HolderTwist>> = {
      'in a session with another verifier': session(0, 'x509_hash:another'),
      'in a session with another nonce': session(1, 'another'),
      'in a session with another key of encryption': session(2, Buffer.alloc(32)),
      'in a session without encryption': session(2, null),
      'in a session at another address': session(3, 'https://elsewhere.example/answer'),
      'signed by a key that it is not bound to': { key: another },
      'that is a credential and no presentation': { presentation: () => anna.holder.raw },
      'to a query for another format': {
        answer: (payload) => Object.assign(payload, { vp_token: { own: Object.values(payload.vp_token)[0] } }),
      },
      'with two documents': { mdoc: { response: (all) => void all.get('documents').push(all.get('documents')[0]) } },
    };
    for (const [name, twist] of Object.entries(CASES)) it(`is refused ${name}`, () => refused(twist));

    it('is refused with a signature of somebody whose certificate says that they are this service', async () => {
      const root = certify({ name: 'CN=Gatehouse development CA - not for production', ca: true });
      const forger = new CredentialIssuer(() => api.clock.now());
      await forger.start();
      try {
        forger.leaf = certify({ name: 'CN=127.0.0.1 (development)', by: root, uris: [api.url], key: forger.key });
        const { holder } = await forger.issueMdoc({ sub: anna.id, type: doctypeOf(anna.holder.raw) });
        await refused({}, holder);
      } finally {
        await forger.stop();
      }
    });

    it('cannot be shown twice', async () => {
      const visit = await visitor().ask();
      const { presentation } = await visit.answered(anna.holder);
      await refused({ presentation: () => presentation });
    });

    it('of another type than was asked for is refused', async () => {
      const visit = await visitor().ask();
      const later = await makeRoleWorld(api, { formats: ['mso_mdoc'] });
      const { holder } = await makeCredentialHolder(api, later, { format: 'mso_mdoc' });
      const answer: HolderTwist['answer'] = (payload) =>
        void Object.assign(payload, { vp_token: { own_mdoc: Object.values(payload.vp_token)[0] } });
      assert.equal((await holder.answer(visit.link, { answer })).status, 400);
      await (await visitor().ask()).answered(holder);
    });

    it('lets nobody in once it is revoked, or its role is taken', async () => {
      for (const take of [
        async ({ id }: CredentialHolder) => withdraw(api, (await issuedTo(api, { id }))[0].id, 'revoke'),
        async ({ id }: CredentialHolder) => takeRole(api, { id }, world),
      ]) {
        const person = await makeCredentialHolder(api, world, { format: 'mso_mdoc' });
        const visit = await visitor().ask();
        const { body } = await visit.answered(person.holder);
        await take(person);
        assertNotSignedIn(await visit.returns(body.redirect_uri));
      }
    });
  },
  { settings },
);

onUsualDatabase(
  'A mobile document of another issuer',
  (api) => {
    const { visitor } = usesVisitors(api);
    let issuer: CredentialIssuer;
    let provider: WalletConnection;
    const credentials = (type: string) => [
      { format: 'mso_mdoc', types: [type], subject: [type, 'sub'], claims: [[type, 'preferred_username']] },
    ];
    before(async () => {
      issuer = await new CredentialIssuer(() => api.clock.now()).start();
      const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: `${issuer.doctype}.preferred_username` }] }];
      provider = await connectIssuer(api, issuer, {
        rules,
        settings: {
          credentials: credentials(issuer.doctype),
          issuers: [],
          root_certificates: [issuer.root.certificate.toString()],
        },
      });
    });
    after(() => issuer.stop());

    async function arrive({ holder }: Pick<TestCredential, 'holder'>): Promise<string> {
      const visit = await visitor().ask();
      const page = await visit.shows(holder);
      const done = stepOf(page) === 'provider-link' ? await visit.presses(page, 'provider-new') : page;
      return (await visit.claims(done)).sub;
    }

    it('makes an account, and signs the same person in by the next one', async () => {
      const first = await issuer.issueMdoc();
      const id = await arrive(first);
      assert.equal((await api.get(`/v3/users/${id}`)).body.user.name, first.sub);
      assert.equal(await arrive(await issuer.issueMdoc({ sub: first.sub })), id);
    });

    it('is of the same person after its issuer has another certificate, and of another under another root', async () => {
      const first = await issuer.issueMdoc();
      const id = await arrive(first);
      const { leaf } = issuer;
      issuer.certifiedBy(issuer.root, 'CN=Issuer of next year');
      try {
        assert.equal(await arrive(await issuer.issueMdoc({ sub: first.sub })), id);
        // The same name, by another authority that the provider trusts, too.
        const second = certify({ name: issuer.root.certificate.subject, ca: true });
        const roots = [issuer.root, second].map(({ certificate }) => certificate.toString());
        await provider.put({ root_certificates: roots });
        issuer.certifiedBy(second);
        const visit = await visitor().ask();
        assert.equal(stepOf(await visit.shows((await issuer.issueMdoc({ sub: first.sub })).holder)), 'provider-link');
      } finally {
        issuer.leaf = leaf;
        await provider.put();
      }
    });

    it('lets nobody in after it was revoked, or below another root', async () => {
      const issued = await issuer.issueMdoc();
      await arrive(issued);
      issuer.becomes(issued, 'revoked');
      const visit = await visitor().ask();
      assertNotSignedIn(await visit.shows(issued.holder));
      const stranger = await new CredentialIssuer(() => api.clock.now()).start();
      try {
        const { holder } = await stranger.issueMdoc({ type: issuer.doctype });
        assert.equal((await holder.answer((await visitor().ask()).link)).status, 400);
      } finally {
        await stranger.stop();
      }
    });

    /** What a root may certify beside document signers: nothing said, any purpose, a web server, a person's mail. */
    const STRAYS = [[], [usages('2.5.29.37.0')], [usages('1.3.6.1.5.5.7.3.1')], [usages('1.3.6.1.5.5.7.3.4')]];

    it('cannot be signed by others whom the root certifies, to enter as somebody else', async () => {
      const victim = await issuer.issueMdoc();
      const id = await arrive(victim);
      const forger = await new CredentialIssuer(() => api.clock.now()).start();
      try {
        for (const extensions of STRAYS) {
          forger.certifiedBy(issuer.root, 'CN=Issuer', extensions);
          const forged = await forger.issueMdoc({ sub: victim.sub, type: issuer.doctype });
          await assertAnswerRefused(api, visitor(), /the certificate (does not say|is for another purpose)/, forged);
        }
        // Whom the root certifies as a document signer, it trusts with all its people.
        forger.certifiedBy(issuer.root, 'CN=Another signer');
        assert.equal(await arrive(await forger.issueMdoc({ sub: victim.sub, type: issuer.doctype })), id);
      } finally {
        await forger.stop();
      }
    });

    it('is not made valid by a list that others whom the root certifies have signed', async () => {
      const { leaf, listKey } = issuer;
      // Known already, so that they would enter at once.
      const known = await issuer.issueMdoc();
      await arrive(known);
      const { sub } = known;
      issuer.listKey = newEcKey();
      const sign = (extensions: ReturnType<typeof usages>[]) =>
        certify({ name: 'CN=Issuer', by: issuer.root, uris: [issuer.url], key: issuer.listKey, extensions });
      try {
        for (const extensions of STRAYS) {
          issuer.leaf = leaf;
          const { holder } = await issuer.issueMdoc({ sub });
          issuer.leaf = sign(extensions);
          assertNotSignedIn(await (await visitor().ask()).shows(holder));
        }
        issuer.leaf = leaf;
        const issued = await issuer.issueMdoc({ sub });
        issuer.leaf = sign([usages(DOCUMENT_SIGNER)]);
        assert.ok(await arrive(issued));
      } finally {
        Object.assign(issuer, { leaf, listKey });
      }
    });

    it('of this service counts by its own record only, also where a provider trusts our root', async () => {
      const world = await makeRoleWorld(api, { formats: ['mso_mdoc'] });
      const { holder } = await makeCredentialHolder(api, world, { format: 'mso_mdoc' });
      const { root } = (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer;
      const doctype = doctypeOf(holder.raw);
      const settings = { credentials: credentials(doctype).map((one) => ({ ...one, claims: [] })), issuers: [] };
      await connectIssuer(api, issuer, { settings: { ...settings, root_certificates: [root] } });
      const visit = await visitor().ask();
      const request = await readWalletRequest(visit.link);
      const asked = request.payload.dcql_query.credentials.filter(({ meta }: any) => meta.doctype_value === doctype);
      const [theirs] = asked.filter(({ id }: any) => id.startsWith('provider_'));
      // All elements are shown, in answer to the question of the provider.
      const answer: HolderTwist['answer'] = (payload) =>
        void Object.assign(payload, { vp_token: { [theirs.id]: Object.values(payload.vp_token)[0] } });
      assert.equal((await holder.answerRequest(request, { mdoc: { isShown: () => true }, answer })).status, 400);
      const last = api.logged.findLast((line) => line.includes('answer of a wallet refused'))!;
      assert.match(JSON.parse(last).reason, /issued here/);
    });

    it('is asked for with paths of two names, and by roots alone', async () => {
      const put = (openid4vp: object) => api.put(`${provider.path}/openid4vp`, { openid4vp });
      const good = {
        credentials: credentials('a.b'),
        root_certificates: [issuer.root.certificate.toString()],
      };
      const [asked] = good.credentials;
      for (const subject of [['sub'], ['a.b', 'x', 'y']])
        assertRefused(await put({ ...good, credentials: [{ ...asked, subject }] }), 400, /namespace/);
      assertRefused(await put({ ...good, credentials: [{ ...asked, claims: [['a.b', null]] }] }), 400, /namespace/);
      assertRefused(await put({ ...good, issuers: [issuer.url] }), 400, /root certificates/);
      assertOk(await put(good));
      await provider.put();
    });
  },
  { settings },
);
