// Signing in with credentials of other issuers: they pass through the mapping of the provider that trusts them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeCredentialHolder } from '../../../../test/support/credential-holders.ts';
import {
  CredentialIssuer,
  connectIssuer,
  type TestCredential,
  type WalletConnection,
} from '../../../../test/support/credential-issuer.ts';
import { usesDomainFiles } from '../../../../test/support/domain-files.ts';
import { readWalletRequest } from '../../../../test/support/holder.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { makeRoleWorld } from '../../../../test/support/role-credentials.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';
import { usesVisitors, type WalletVisitor } from '../../../../test/support/wallet-visitor.ts';

const settings = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' };

onUsualDatabase(
  'A credential of another issuer',
  (api) => {
    const { application, visitor } = usesVisitors(api);
    let issuer: CredentialIssuer;
    let provider: WalletConnection;
    let group: { id: string };
    before(async () => {
      issuer = await new CredentialIssuer(() => api.clock.now()).start();
      group = await api.make('group', { name: uniqueName('pilots') });
      const rules = [
        { local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] },
        { local: [{ group: { id: group.id } }], remote: [{ type: 'licence.kind', any_one_of: ['pilot'] }] },
      ];
      const asked = { format: 'dc+sd-jwt', types: [issuer.type], subject: ['sub'] };
      const credentials = [{ ...asked, claims: [['preferred_username'], ['licence', 'kind']] }];
      provider = await connectIssuer(api, issuer, { rules, settings: { credentials } });
    });
    after(() => issuer.stop());

    const licence = { kind: 'pilot', number: 7 };
    const issue = (more: Parameters<CredentialIssuer['issue']>[0] = {}) => issuer.issue({ claims: { licence }, ...more });

    /** Up to the page after the wallet has answered. */
    async function show({ holder }: Pick<TestCredential, 'holder'>) {
      const visit = await visitor().ask();
      return { visit, page: await visit.shows(holder) };
    }

    /** Somebody who has an account by it. */
    async function arrive(issued: Pick<TestCredential, 'holder'>) {
      const { visit, page } = await show(issued);
      assert.equal(stepOf(page), 'provider-link', page.text);
      return { visit, claims: await visit.claims(await visit.presses(page, 'provider-new')) };
    }
    const isInGroup = async (id: string): Promise<boolean> =>
      (await api.head(`/v3/groups/${group.id}/users/${id}`)).status === 204;
    const hasSession = async ({ browser }: WalletVisitor): Promise<boolean> =>
      stepOf(await browser.go(`${api.url}/account/security`)) !== 'password';

    it('makes an account by the mapping for somebody new, and signs them in again', async () => {
      const issued = await issue();
      const { claims } = await arrive(issued);
      assert.deepEqual(claims.amr, ['fed']);
      const { user } = assertOk(await api.get(`/v3/users/${claims.sub}`));
      assert.deepEqual([user.name, user.domain_id], [issued.sub, 'default']);
      const federated = [{ idp_id: provider.id, protocols: [{ protocol_id: 'openid4vp', unique_id: issued.sub }] }];
      assert.deepEqual(user.federated, federated);
      assert.ok(await isInGroup(user.id));
      const { visit, page } = await show(issued);
      assert.equal((await visit.claims(page)).sub, user.id);
    });

    it('gives the token of the console to its holder, until the provider is disabled', async () => {
      const { visit } = await arrive(await issue());
      const headers = { Origin: new URL(api.url).origin };
      const answer = await visit.browser.request(`${api.url}/console/session`, { method: 'POST', headers });
      assert.equal(answer.status, 201, answer.text);
      const { token } = JSON.parse(answer.text);
      assert.ok(await isAlive(api, token));
      const path = `/v3/OS-FEDERATION/identity_providers/${provider.id}`;
      assertOk(await api.patch(path, { identity_provider: { enabled: false } }));
      assert.ok(!(await isAlive(api, token)));
      assertOk(await api.patch(path, { identity_provider: { enabled: true } }));
      assert.ok(!(await isAlive(api, token)), 'for good');
    });

    it('is asked for beside our own, by its type, with the claims that the mapping needs', async () => {
      const { typeId } = await makeRoleWorld(api);
      const visit = await visitor().ask();
      const { dcql_query: query } = (await readWalletRequest(visit.link)).payload;
      assert.deepEqual(
        query.credential_sets,
        [{ options: query.credentials.map(({ id }: { id: string }) => [id]) }],
        'one of them',
      );
      const own = query.credentials.find(({ id }: { id: string }) => id === 'own');
      assert.ok(own.meta.vct_values.includes(`${api.url}/openid/credential-types/${typeId}`));
      const theirs = query.credentials.find(({ meta }: any) => meta.vct_values?.includes(issuer.type));
      assert.deepEqual(
        theirs.claims.map(({ path }: any) => path.join('.')),
        ['sub', 'preferred_username', 'licence.kind'],
      );
    });

    it('counts on another device, too, by the number that it shows', async () => {
      const visit = await visitor().ask();
      const page = await visit.showsElsewhere((await issue()).holder);
      assert.equal(stepOf(page), 'provider-link', page.text);
      await visit.claims(await visit.presses(page, 'provider-new'));
    });

    it('is connected with an account by whoever has its password', async () => {
      const { id, name, password } = await makeUser(api);
      const issued = await issue();
      const { visit, page } = await show(issued);
      const proving = await visit.browser.submit(page, 'provider-link');
      assert.ok(!proving.forms.some(({ fields }) => fields.step === 'wallet'), 'by its own means');
      const done = await visit.presses(proving, 'password', { name, password });
      assert.equal((await visit.claims(done)).sub, id);
      const again = await show(issued);
      assert.equal((await again.visit.claims(again.page)).sub, id);
      const account = await again.visit.browser.go(`${api.url}/account/security`);
      assert.match(account.text, new RegExp(`${provider.id}: ${issued.sub}`));
    });

    it('leaves the events of a login by a provider', async () => {
      const { claims } = await arrive(await issue());
      const { body } = await api.get(`/v3/OS-AUDIT/events?target_id=${claims.sub}`);
      const actions: string[] = body.events.map(({ action }: any) => action);
      for (const action of ['user.provider_linked', 'user.provider_vouched', 'user.logged_in'])
        assert.ok(actions.includes(action), `${action} in ${actions}`);
      const login = body.events.find(({ action }: any) => action === 'user.logged_in');
      assert.deepEqual(login.detail.methods, ['mapped']);
    });

    for (const by of ['did', 'certificate'] as const)
      it(`counts by the ${by} of its issuer`, async () => {
        const type = `https://${by}.example/${uniqueName('x')}`;
        const trusted =
          by === 'did'
            ? { issuers: [issuer.did], requires_status: false }
            : { issuers: [], root_certificates: [issuer.root.certificate.toString()] };
        const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'], claims: [['preferred_username']] }];
        const own = await connectIssuer(api, issuer, { settings: { credentials, ...trusted } });
        const issued = await issuer.issue({ type, by });
        const { claims } = await arrive(issued);
        const { visit, page } = await show(issued);
        assert.equal((await visit.claims(page)).sub, claims.sub);
        assertOk(await api.delete(own.path), 204);
      });

    it('may be a W3C credential, known by any claim of it', async () => {
      const credentials = [
        {
          format: 'jwt_vc_json',
          types: [issuer.w3cType],
          subject: ['credentialSubject', 'employee'],
          claims: [['credentialSubject', 'units', null]],
        },
      ];
      const rules = [
        { local: [{ user: { name: '{0}' } }], remote: [{ type: 'credentialSubject.employee' }] },
        { local: [{ group: { id: group.id } }], remote: [{ type: 'credentialSubject.units', any_one_of: ['harbour'] }] },
      ];
      const own = await connectIssuer(api, issuer, { rules, settings: { credentials, requires_status: false } });
      const issued = await issuer.issueW3c({ claims: { units: ['town', 'harbour'] } });
      const { claims } = await arrive(issued);
      assert.ok(await isInGroup(claims.sub));
      assertOk(await api.delete(own.path), 204);
    });

    it('enters the account of its verified address, where the provider is trusted with it', async () => {
      const credentials = [
        { format: 'dc+sd-jwt', types: [`${issuer.type}/mail`], subject: ['sub'], claims: [['email'], ['email_verified']] },
      ];
      const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'email' }] }];
      const trusted = { credentials, trusts_email: true, email_domains: ['example.org'] };
      const own = await connectIssuer(api, issuer, { rules, settings: trusted });
      const address = `${uniqueName('mail')}@example.org`;
      const { id } = await makeUser(api, { email: address });
      const claims = { email: address, email_verified: true };
      const { visit, page } = await show(await issuer.issue({ type: `${issuer.type}/mail`, claims }));
      assert.equal((await visit.claims(page)).sub, id);
      assertOk(await api.delete(own.path), 204);
    });

    describe('and its sessions', () => {
      it('end when the provider is disabled, and do not come back', async () => {
        const { visit } = await arrive(await issue());
        assert.ok(await hasSession(visit));
        for (const enabled of [false, true]) assertOk(await api.patch(provider.path, { identity_provider: { enabled } }));
        assert.equal(await hasSession(visit), false);
      });

      it('end when the provider trusts less, with what it gave, and go on when it trusts more', async () => {
        const elsewhere = 'https://elsewhere.example';
        await provider.put({ issuers: [issuer.url, elsewhere] });
        const issued = await issue();
        const { visit, claims } = await arrive(issued);
        await provider.put({ issuers: [issuer.url, elsewhere, 'did:web:more.example'], requires_status: false });
        assert.ok(await hasSession(visit));
        assert.ok(await isInGroup(claims.sub));
        await provider.put();
        assert.equal(await hasSession(visit), false);
        assert.equal(await isInGroup(claims.sub), false);
        const again = await show(issued);
        assert.equal((await again.visit.claims(again.page)).sub, claims.sub);
        assert.ok(await isInGroup(claims.sub));
      });

      it('end with the settings and with the provider', async () => {
        const credentials = [
          { format: 'dc+sd-jwt', types: [`${issuer.type}/end`], subject: ['sub'], claims: [['preferred_username']] },
        ];
        const own = await connectIssuer(api, issuer, { settings: { credentials } });
        const issued = await issuer.issue({ type: `${issuer.type}/end` });
        const first = await arrive(issued);
        assertOk(await api.delete(`${own.path}/openid4vp`), 204);
        assert.equal(await hasSession(first.visit), false);
        await own.put();
        const { visit, page } = await show(issued);
        assert.equal((await visit.claims(page)).sub, first.claims.sub);
        assertOk(await api.delete(own.path), 204);
        assert.equal(await hasSession(visit), false);
      });
    });

    it('and one of ours are the same wallet: never two factors of a sign-in', async () => {
      const world = await makeRoleWorld(api);
      const { name, password } = await makeCredentialHolder(api, world);
      const issued = await issue();
      const offersWallet = async ({ browser }: WalletVisitor): Promise<boolean> => {
        const { url } = await application().ask({ acr_values: 'https://refeds.org/profile/mfa' });
        return (await browser.go(url)).forms.some(({ fields }) => fields.step === 'wallet');
      };
      const { visit, page } = await show(issued);
      await visit.claims(await visit.presses(await visit.browser.submit(page, 'provider-link'), 'password', { name, password }));
      assert.ok(await offersWallet(visit), 'after the password');
      const again = await show(issued);
      await again.visit.claims(again.page);
      assert.equal(await offersWallet(again.visit), false);
    });
  },
  { settings },
);

onUsualDatabase(
  'The settings for credentials of others',
  (api) => {
    const issuers = ['https://issuer.example', 'did:web:issuer.example'];
    const credentials = [{ format: 'dc+sd-jwt', types: ['https://issuer.example/person'], subject: ['sub'], claims: [] }];
    let issuer: CredentialIssuer;
    before(async () => {
      issuer = await new CredentialIssuer(Date.now).start();
    });
    after(() => issuer.stop());

    it('are written, read and removed', async () => {
      const { path } = await connectIssuer(api, issuer);
      const pem = issuer.root.certificate.toString();
      const root_certificates = [`${pem}-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n`];
      const { openid4vp } = assertOk(
        await api.put(`${path}/openid4vp`, { openid4vp: { credentials, issuers, root_certificates } }),
      );
      const { links, ...shown } = openid4vp;
      assert.deepEqual(shown, {
        credentials,
        issuers,
        root_certificates: [pem],
        requires_status: true,
        name: null,
        shown: true,
        email_domains: [],
        trusts_email: false,
        whole_service: false,
        may_give_admin: false,
      });
      assert.deepEqual(assertOk(await api.get(`${path}/openid4vp`)).openid4vp, openid4vp);
      assert.equal(links.self, `${api.url}${path}/openid4vp`);
      assertOk(await api.delete(`${path}/openid4vp`), 204);
      assertRefused(await api.get(`${path}/openid4vp`), 404, /no settings for credentials/);
    });

    it('are refused when they say nothing that can be trusted', async () => {
      const { path } = await connectIssuer(api, issuer);
      const leaf = issuer.leaf.certificate.toString();
      const [asked] = credentials;
      for (const [wrong, why] of [
        [{ issuers: [] }, /issuers or root certificates/],
        [{ issuers: ['did:web:x.example#key'] }, /without a fragment/],
        [{ issuers: ['did:example:x'] }, /did:web, did:key or did:jwk/],
        [{ issuers: ['https://x.example/?a'] }, /https address/],
        [{ issuers: ['x'] }, /https address/],
        [{ issuers: [], root_certificates: ['x'] }, /certificate of an authority/],
        [{ root_certificates: [leaf] }, /certificate of an authority/],
        [{ credentials: [{ ...asked, claims: [['a', null, 'b']] }] }, /null stands at the end/],
        [{ credentials: [{ ...asked, claims: [[null]] }] }, /null stands at the end/],
        [{ credentials: [{ ...asked, subject: [] }] }, /subject/],
        [{ credentials: [{ ...asked, format: 'ldp_vc' }] }, /format/],
        [{ credentials: [] }, /credentials/],
        [{ trusts_email: true }, /email_domains/],
      ] as const)
        assertRefused(await api.put(`${path}/openid4vp`, { openid4vp: { credentials, issuers, ...wrong } }), 400, why);
    });

    it('are for those who may change providers', async () => {
      const { path } = await connectIssuer(api, issuer);
      const { id, password } = await makeUser(api);
      const token = await api.logIn({ id, password });
      await assertForbidden(api, [token], 'PUT', `${path}/openid4vp`, { body: { openid4vp: { credentials, issuers } } });
      for (const method of ['GET', 'DELETE']) await assertForbidden(api, [token], method, `${path}/openid4vp`);
    });
  },
  { settings },
);

const withWallets = usesDomainFiles({ 'with wallets': '[wallet]\nsign_in = first\n' });

onDatabase('SQLite', 'What wallets are asked for', { settings: withWallets }, (api) => {
  const { visitor } = usesVisitors(api);
  let issuer: CredentialIssuer;
  before(async () => {
    issuer = await new CredentialIssuer(() => api.clock.now()).start();
  });
  after(() => issuer.stop());
  const asked = async (): Promise<any[]> => {
    const visit = await visitor().ask();
    return (await readWalletRequest(visit.link)).payload.dcql_query.credentials;
  };

  it('is of providers in domains that have wallets, which are shown', async () => {
    const domain = await api.make('domain', { name: 'with wallets' });
    await connectIssuer(api, issuer);
    const types = [uniqueName('https://there.example')];
    const credentials = [{ format: 'dc+sd-jwt', types, subject: ['sub'] }];
    const there = await connectIssuer(api, issuer, { domainId: domain.id, settings: { credentials } });
    assert.deepEqual(
      (await asked()).map(({ meta }) => meta.vct_values),
      [types],
    );
    await makeRoleWorld(api);
    await there.put({ shown: false });
    assert.deepEqual(
      (await asked()).map(({ id }) => id),
      ['own', 'own_w3c'],
    );
    await there.put();
  });

  it('has a limit, which our own wallet has, too: the oldest types of ours, and providers by their names', async () => {
    const [first] = await asked();
    const oldest = first.meta.vct_values[0];
    const { id: domainId } = assertOk(await api.get('/v3/domains?name=with%20wallets')).domains[0];
    api.clock.advance(10);
    for (let made = 0; made < 105; made++) await makeRoleWorld(api, { id: `a-type-${made}` });
    for (let made = 0; made < 22; made++) await connectIssuer(api, issuer, { domainId, settings: { name: `provider ${made}` } });
    const all = await asked();
    assert.equal(all[0].meta.vct_values.length, 100);
    assert.equal(all[0].meta.vct_values[0], oldest);
    // Fifty types, each by its full name and by the one of earlier drafts.
    assert.equal(all[1].meta.type_values.length, 100);
    assert.equal(all.filter(({ id }) => id.startsWith('provider_')).length, 18);
    assert.ok(api.logged.some((line) => line.includes('more than fit into a query')));
  });
});
