// Signing in with a credential of this service from a wallet: on the same device and on another, as the first and as the second factor.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeCredentialHolder } from '../../../../test/support/credential-holders.ts';
import { usesDomainFiles } from '../../../../test/support/domain-files.ts';
import { itAtLength } from '../../../../test/support/extent.ts';
import { readWalletRequest } from '../../../../test/support/holder.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { FORMATS, makeRoleWorld, usesRoleWorld } from '../../../../test/support/role-credentials.ts';
import { enable, Phone } from '../../../../test/support/second-factor.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';
import { usesVisitors, WalletVisitor } from '../../../../test/support/wallet-visitor.ts';

const MFA = 'https://refeds.org/profile/mfa';
const settings = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' };

onUsualDatabase(
  'A wallet',
  (api) => {
    const { world } = usesRoleWorld(api, { formats: [...FORMATS, 'mso_mdoc'] });
    const { visitor } = usesVisitors(api);

    for (const format of ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'])
      it(`signs its holder in on the same device (${format})`, async () => {
        const { id, holder } = await makeCredentialHolder(api, world, { format });
        const visit = await visitor().ask();
        const claims = await visit.claims(await visit.shows(holder));
        assert.equal(claims.sub, id);
        assert.deepEqual(claims.amr, ['wallet']);
        assert.equal(claims.acr, 'https://refeds.org/profile/sfa');
      });

    it('signs its holder in on another device, by the number that it shows', async () => {
      const { id, holder } = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { body } = await visit.answered(holder, 'code');
      const number = await visit.numberAt(body.redirect_uri);
      assert.equal((await visit.claims(await visit.types(`${number.slice(0, 3)} ${number.slice(3)}`))).sub, id);
    });

    it('is asked by a signed request, for nothing that could be held back, and to encrypt its answer', async () => {
      const visit = await visitor().ask();
      const { payload } = await readWalletRequest(visit.link);
      assert.equal(payload.response_mode, 'direct_post.jwt');
      assert.ok(payload.response_uri.startsWith(`${api.url}/openid/wallet/requests/`));
      assert.ok(payload.nonce.length >= 43 && payload.state.length >= 43);
      for (const query of payload.dcql_query.credentials) assert.equal(query.claims, undefined);
      assert.ok(payload.dcql_query.credentials[0].meta.vct_values.includes(`${api.url}/openid/credential-types/${world.typeId}`));
      assert.equal(payload.client_metadata.jwks.keys[0].d, undefined);
      assert.equal(payload.exp - payload.iat, 300);
    });

    it('leaves the events of a login', async () => {
      const { id, holder } = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      await visit.shows(holder);
      const { body } = await api.get(`/v3/OS-AUDIT/events?target_id=${id}&action=user.logged_in`);
      const found = body.events.find(({ detail }: any) => detail.via === 'sign-in page');
      assert.deepEqual(found.detail.methods, ['wallet']);
    });

    it('is one factor: somebody with a second one is asked for it', async () => {
      const { id, holder } = await makeCredentialHolder(api, world);
      const phone = new Phone(api, (await enable(api, { id })).body.two_factor_auth.two_factor_key);
      const visit = await visitor().ask();
      const page = await visit.shows(holder);
      assert.equal(stepOf(page), 'code', page.text);
      assert.ok(!page.forms.some(({ fields }) => fields.step === 'wallet'), 'the same wallet is no second factor');
      const done = await visit.browser.answerForms(page, { name: '', password: '', code: () => phone.fresh() });
      assert.deepEqual((await visit.claims(done)).amr, ['wallet', 'otp', 'mfa']);
    });

    it('is the second factor after the password, instead of a code', async () => {
      const { id, name, password, holder } = await makeCredentialHolder(api, world);
      await enable(api, { id });
      const visit = visitor();
      const asked = await visit.browser.submit(await visit.signInPage(), 'password', { name, password });
      visit.page = await visit.browser.submit(asked, 'wallet');
      const claims = await visit.claims(await visit.shows(holder));
      assert.deepEqual([claims.sub, claims.amr, claims.acr], [id, ['pwd', 'wallet', 'mfa'], MFA]);
    });

    it('is one factor also where everybody must have two; beside a password it is the second, and the password adds no other', async (t) => {
      const people = [await makeCredentialHolder(api, world), await makeCredentialHolder(api, world)] as const;
      const require = (value: 'required' | null) =>
        api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_TWO_FACTOR: value } });
      t.after(() => require(null));
      assertOk(await require('required'));
      const visit = await visitor().ask();
      const page = await visit.shows(people[0].holder);
      assert.equal(stepOf(page), 'factor-create', page.text);
      const { name, password, id, holder } = people[1];
      const beside = visitor();
      const asked = await beside.browser.submit(await beside.signInPage(), 'password', { name, password });
      assert.ok(!asked.forms.some(({ fields }) => ['factor-create', 'skip'].includes(fields.step ?? '')), asked.text);
      beside.page = await beside.browser.submit(asked, 'wallet');
      const claims = await beside.claims(await beside.shows(holder));
      assert.deepEqual([claims.sub, claims.acr], [id, MFA]);
    });

    it('adds what an application asks for to a password', async () => {
      const { id, name, password, holder } = await makeCredentialHolder(api, world);
      const visit = visitor();
      const asked = await visit.browser.submit(await visit.signInPage({ acr_values: MFA }), 'password', { name, password });
      assert.ok(
        asked.forms.some(({ fields }) => fields.step === 'skip'),
        'it is a wish',
      );
      visit.page = await visit.browser.submit(asked, 'wallet');
      const claims = await visit.claims(await visit.showsElsewhere(holder));
      assert.deepEqual([claims.sub, claims.acr], [id, MFA]);
    });

    itAtLength('can be left for another way', async () => {
      const { name, password, id } = await makeUser(api);
      const visit = await visitor().ask();
      const page = await visit.browser.submit(visit.page, 'wallet-forget');
      const done = await visit.browser.answerForms(page, { name, password });
      assert.equal((await visit.claims(done)).sub, id);
    });

    it('that declines is answered, and the person goes on', async () => {
      const visit = await visitor().ask();
      const { payload } = await readWalletRequest(visit.link);
      const { holder } = await makeCredentialHolder(api, world);
      const declined = new URLSearchParams({ error: 'access_denied', state: payload.state });
      assert.equal((await holder.post(payload.response_uri, declined.toString())).status, 200);
      assert.equal(stepOf(await visit.browser.submit(visit.page, 'wallet-forget')), 'password');
    });

    itAtLength('is there in Spanish', async () => {
      const visit = visitor();
      await visit.ask({ ui_locales: 'es' });
      assert.match(visit.page.text, /Abrir mi cartera/);
      const { holder } = await makeCredentialHolder(api, world);
      const { body } = await visit.answered(holder, 'code');
      const other = await visit.browser.request(body.redirect_uri, { headers: { 'Accept-Language': 'es' } });
      assert.match(other.text, /Un paso más en el navegador/);
    });

    it('whose holder says that it was not them lets nobody in', async () => {
      const { holder } = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { body } = await visit.answered(holder, 'code');
      const phone = visitor().browser;
      const page = await phone.go(body.redirect_uri);
      const number = /<code>(\d{3}) (\d{3})<\/code>/.exec(page.text)!.slice(1).join('');
      assert.match((await phone.submit(page, undefined)).text, /Nobody was signed in/);
      const refused = await visit.types(number);
      assert.equal(refused.status, 401);
      assert.equal(refused.redirectTarget, undefined);
    });
  },
  { settings },
);

const byDomain = usesDomainFiles({
  'wallet first': '[wallet]\nsign_in = first\n',
  'wallet second': '[wallet]\nsign_in = second\n',
});

onDatabase('SQLite', 'The policy for wallets', { settings: byDomain }, (api) => {
  const { world } = usesRoleWorld(api);
  const { visitor } = usesVisitors(api);
  const domains: Record<string, { id: string; name: string }> = {};
  before(async () => {
    for (const policy of ['first', 'second']) domains[policy] = await api.make('domain', { name: `wallet ${policy}` });
  });

  const signIn = async (domain: string | undefined) => {
    const { id, holder } = await makeCredentialHolder(api, world, domain === undefined ? {} : { domain_id: domains[domain]!.id });
    const visit = await visitor().ask();
    return { id, visit, page: await visit.shows(holder) };
  };

  it('lets people of a domain sign in with one', async () => {
    const { id, visit, page } = await signIn('first');
    assert.equal((await visit.claims(page)).sub, id);
  });

  for (const domain of ['second', undefined])
    it(`does not let people of a domain sign in with one that ${domain ? 'has it as the second factor' : 'says nothing'}`, async () => {
      const { page } = await signIn(domain);
      assert.equal(page.status, 401);
      assert.match(page.text, /You cannot sign in with this credential/);
    });

  it('offers a wallet as the second step where it is one, and nowhere else', async () => {
    for (const [domain, offered] of [
      ['second', true],
      ['first', false],
    ] as const) {
      const { id, name, password } = await makeCredentialHolder(api, world, { domain_id: domains[domain]!.id });
      await enable(api, { id });
      const visit = visitor();
      const page = await visit.browser.submit(await visit.signInPage(), 'password', {
        name,
        password,
        domain: domains[domain]!.name,
      });
      assert.equal(stepOf(page), 'code', page.text);
      assert.equal(
        page.forms.some(({ fields }) => fields.step === 'wallet'),
        offered,
      );
    }
  });
});

onDatabase('SQLite', 'Without a policy for wallets', {}, (api) => {
  it('none is offered, and none is asked', async () => {
    await makeRoleWorld(api);
    const visit = new WalletVisitor(api, await RelyingParty.make(api));
    const page = await visit.signInPage();
    assert.ok(!page.text.includes('wallet'));
    const form = page.forms[0]!;
    const refused = await visit.browser.send(new URL(form.action, page.url), { ...form.fields, step: 'wallet' });
    assert.equal(refused.status, 400);
    assert.ok(!refused.text.includes('openid4vp'));
  });

  it('the addresses for wallets know nothing', async () => {
    const unknown = uniqueName('x').padEnd(22, 'x').slice(0, 22);
    assert.equal((await fetch(`${api.url}/openid/wallet/requests/${unknown}`)).status, 404);
  });
});
