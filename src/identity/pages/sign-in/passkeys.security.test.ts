// Passkeys at the pages: what they open, and what an attacker tries. The authenticator is software that does one thing wrong at a time.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { passTime } from '../../../../test/support/account-deletion.ts';
import { onUsualDatabase, TestApi, uniqueName, withApi } from '../../../../test/support/api.ts';
import { connectProvider, ROOT } from '../../../../test/support/federation.ts';
import {
  AT_LOCALHOST,
  PasskeyPerson,
  passkeyOptionsOf,
  servesAtLocalhost,
  visitSignIn,
} from '../../../../test/support/passkeys.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { enable, Phone } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { linkOf } from '../../../../test/support/ways-in.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const words = LANGUAGES.en;

const [SINGLE, MULTI, RESISTANT] = ['https://refeds.org/profile/sfa', 'https://refeds.org/profile/mfa', 'phr'];
const STRICT = 'strict';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-passkeys-'));
writeFileSync(join(folder, `keystone.${STRICT}.conf`), '[passkeys]\npolicy = required_for_administrators\n');

after(() => rmSync(folder, { recursive: true }));

const define = (api: TestApi): void => {
  servesAtLocalhost(api);
  let party: RelyingParty;
  before(async () => {
    party = await RelyingParty.make(api);
  });

  const visit = (more?: Record<string, string>, browser?: TestBrowser) => visitSignIn(api, party, more, browser);

  const isRefused = (page: BrowserPage, text: string = words.passkeyWrong): void => {
    assert.equal(page.status, 401);
    assert.ok(page.text.includes(text.replaceAll("'", '&#39;')), page.text);
  };

  async function setPolicy(domainId: string, policy: string | null): Promise<void> {
    const settings = { 'passkeys.policy': policy };
    assert.equal((await api.patch(`/v3/OS-SERVICE/domains/${domainId}/settings`, { settings })).status, 200);
  }

  async function turnOnCodes(person: PasskeyPerson): Promise<Phone> {
    return new Phone(api, (await enable(api, person)).body.two_factor_auth.two_factor_key);
  }

  async function events(person: PasskeyPerson, action: string): Promise<any[]> {
    const db = await databaseOf(api);
    try {
      const rows = await db.read.selectFrom('audit_events').where('target_id', '=', person.id).selectAll().execute();
      return rows.filter((row) => row.action === action).map(({ detail }) => JSON.parse(detail ?? '{}'));
    } finally {
      await db.close();
    }
  }

  describe('alone', () => {
    it('signs in, counts as two factors, and the ID token says so', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      await turnOnCodes(person);
      const { browser, page, claims } = await visit();
      const { sub, amr, acr } = await claims(await person.usePasskey(browser, page));
      assert.deepEqual({ sub, amr, acr }, { sub: person.id, amr: ['pop', 'user', 'hwk', 'mfa'], acr: RESISTANT });
      const logins = await events(person, 'user.logged_in');
      assert.deepEqual(logins.at(-1).methods, ['passkey']);
    });

    it('opens the account page, which lists it, renames it and removes it', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const browser = new TestBrowser(api);
      const account = await person.usePasskey(browser, await browser.go('/account/security'));
      assert.match(account.text, /a phone/);
      const renamed = await browser.submit(account, 'passkey-rename', { passkey_name: '<b>key</b>' });
      assert.match(renamed.text, /&lt;b&gt;key&lt;\/b&gt;/);
      const removed = await browser.submit(renamed, 'passkey-remove');
      assert.ok(removed.text.includes(words.noPasskeys));
      const again = await visit();
      isRefused(await person.usePasskey(again.browser, again.page));
      assert.equal((await again.claims(await again.browser.answerForms(again.page, person))).sub, person.id, 'by password');
    });

    it('is refused when the person was not verified, and nobody learns whose it is', async () => {
      const [person, stranger] = [await PasskeyPerson.withPasskey(api), await PasskeyPerson.make(api)];
      const { browser, page } = await visit();
      const strangers = { rp: { id: 'localhost' }, user: { id: 'eA' }, challenge: 'eA' };
      stranger.authenticator.create(strangers);
      const refusals = [
        await person.usePasskey(browser, page, { isUserVerified: false }),
        await person.usePasskey(browser, page, { foreignKey: true }),
        await person.usePasskey(browser, page, { origin: 'http://localhost.evil.example' }),
        await stranger.usePasskey(browser, page),
        await browser.submit(page, 'passkey', { passkey: 'no passkey' }),
        await browser.submit(page, 'passkey', { passkey: '' }),
      ];
      for (const refusal of refusals) isRefused(refusal);
      assert.equal(new Set(refusals.map(({ text }) => text)).size, 1);
      const [event] = await events(person, 'user.login_refused');
      assert.deepEqual(event.methods, ['passkey']);
    });

    it('is refused in another interaction and another browser, also where there is no counter', async () => {
      const person = await PasskeyPerson.withPasskey(api, { counter: 0 });
      const { browser, page } = await visit();
      const answer = person.authenticator.get(passkeyOptionsOf(page), { counter: 0 });
      for (const other of [await visit(), await visit({}, browser)])
        isRefused(await other.browser.submit(other.page, 'passkey', { passkey: answer }));
      const signedIn = await visit();
      const text = person.authenticator.get(passkeyOptionsOf(signedIn.page), { counter: 0 });
      await signedIn.claims(await signedIn.browser.submit(signedIn.page, 'passkey', { passkey: text }));
      const replayed = await signedIn.browser.submit(signedIn.page, 'passkey', { passkey: text });
      assert.equal(replayed.status, 400, 'the interaction is over');
      assert.ok(replayed.text.includes(words.expiredTitle));
    });

    it('is no copy when the form is sent twice, and one when its counter goes back', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const { browser, page } = await visit();
      const form = page.forms.find(({ fields }) => fields.step === 'passkey')!;
      const passkey = person.authenticator.get(passkeyOptionsOf(page));
      const post = () =>
        browser.request(new URL(form.action, page.url), {
          method: 'POST',
          body: new URLSearchParams({ ...form.fields, passkey }),
          headers: { Origin: new URL(api.url).origin },
        });
      const [one, other] = [await post(), await post()];
      assert.deepEqual([one.status, other.status], [303, 303]);
      assert.equal(other.headers.get('location'), one.headers.get('location'));
      assert.equal((await events(person, 'passkey.cloned')).length, 0);
      const again = await visit();
      isRefused(await person.usePasskey(again.browser, again.page, { counter: 1 }));
      assert.equal((await events(person, 'passkey.cloned')).length, 1);
    });

    it('does not open a disabled account, nor one whose rules ask for more', async () => {
      const [closed, strict] = [await PasskeyPerson.withPasskey(api), await PasskeyPerson.withPasskey(api)];
      assert.equal((await api.patch(`/v3/users/${closed.id}`, { user: { enabled: false } })).status, 200);
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
      assert.equal((await api.patch(`/v3/users/${strict.id}`, { user: { options } })).status, 200);
      const { browser, page } = await visit();
      isRefused(await closed.usePasskey(browser, page));
      isRefused(await strict.usePasskey(browser, page), words.passkeyMore);
    });

    it('is no method of the base API', async () => {
      const { id } = await PasskeyPerson.withPasskey(api);
      const identity = { methods: ['passkey'], passkey: { user: { id } } };
      assert.equal((await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null })).status, 401);
    });
  });

  describe('beside a password', () => {
    it('replaces the code of who has one, and needs no PIN', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      await turnOnCodes(person);
      const { browser, page, claims } = await visit();
      const second = await browser.submit(page, 'password', { name: person.name, password: person.password });
      assert.equal(stepOf(second), 'code');
      const { amr, acr } = await claims(await person.usePasskey(browser, second, { isUserVerified: false }));
      assert.deepEqual({ amr, acr }, { amr: ['pwd', 'pop', 'mfa'], acr: RESISTANT });
    });

    it('is not asked of who has no code, and the code still works where both are there', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const { browser, page, claims } = await visit();
      const { amr, acr } = await claims(await browser.answerForms(page, person));
      assert.deepEqual({ amr, acr }, { amr: ['pwd'], acr: SINGLE });
      const phone = await turnOnCodes(person);
      const other = await visit();
      const withCode = await other.claims(
        await other.browser.answerForms(other.page, {
          ...person,
          ...person,
          name: person.name,
          password: person.password,
          code: () => phone.fresh(),
        }),
      );
      assert.deepEqual([withCode.amr, withCode.acr], [['pwd', 'otp', 'mfa'], MULTI]);
    });

    it('must be of the same person, and made for this step', async () => {
      const [person, thief] = [await PasskeyPerson.withPasskey(api), await PasskeyPerson.withPasskey(api)];
      await turnOnCodes(person);
      const { browser, page } = await visit();
      const second = await browser.submit(page, 'password', { name: person.name, password: person.password });
      isRefused(await thief.usePasskey(browser, second));
      const first = person.authenticator.get(passkeyOptionsOf(page));
      isRefused(await browser.submit(second, 'second-passkey', { passkey: first }));
      const early = await browser.submit(page, 'passkey', {
        passkey: person.authenticator.get(passkeyOptionsOf(second), { isUserVerified: false }),
      });
      isRefused(early);
    });

    it('is not asked of somebody who knows no password', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const { browser, page } = await visit();
      const form = page.forms.find(({ fields }) => fields.step === 'passkey')!;
      for (const step of ['second-passkey', 'passkey-create', 'skip']) {
        const passkey = person.authenticator.get(passkeyOptionsOf(page));
        const sent = await browser.send(new URL(form.action, page.url), { ...form.fields, step, passkey });
        isRefused(sent, words.tooLate);
      }
    });
  });

  describe('on the account page', () => {
    it('needs a fresh sign-in to be added or removed', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const browser = new TestBrowser(api);
      const account = await browser.signIn('/account/security', person);
      await passTime(api, 1000);
      for (const step of ['passkey-new', 'passkey-remove']) assert.equal(stepOf(await browser.submit(account, step)), 'password');
    });

    it('is bound to the session and cannot be replayed, not even after it was removed', async () => {
      const person = await PasskeyPerson.make(api);
      const [browser, other] = [new TestBrowser(api), new TestBrowser(api)];
      const page = await browser.submit(await browser.signIn('/account/security', person), 'passkey-new');
      const elsewhere = await other.submit(await other.signIn('/account/security', person), 'passkey-new');
      const passkey = person.authenticator.create(passkeyOptionsOf(page, 'create'));
      assert.equal((await other.submit(elsewhere, 'passkey-create', { passkey })).status, 400, 'another session');
      const added = await browser.submit(page, 'passkey-create', { passkey });
      assert.equal((await browser.submit(page, 'passkey-create', { passkey })).status, 400, 'twice');
      await browser.submit(added, 'passkey-remove');
      assert.equal((await browser.submit(page, 'passkey-create', { passkey })).status, 400, 'after its removal');
    });

    it('of somebody else is neither renamed nor removed', async () => {
      const [person, thief] = [await PasskeyPerson.withPasskey(api), await PasskeyPerson.withPasskey(api)];
      const { passkeys } = (await api.get(`/v3/users/${person.id}/OS-PASSKEYS/passkeys`)).body;
      const browser = new TestBrowser(api);
      const account = await browser.signIn('/account/security', thief);
      for (const step of ['passkey-rename', 'passkey-remove']) {
        const sent = await browser.submit(account, step, { passkey_id: passkeys[0].id, passkey_name: 'mine' });
        assert.equal(sent.status, 400);
      }
      assert.deepEqual((await api.get(`/v3/users/${person.id}/OS-PASSKEYS/passkeys`)).body.passkeys, passkeys);
    });
  });

  it('uses one script of our own, on pages that need it only', async () => {
    const { browser, page } = await visit();
    const source = /<script type="module" src="(\/openid\/assets\/passkeys-[0-9a-f]{16}\.js)"><\/script>/.exec(page.text)![1]!;
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none';.*script-src 'self'$/);
    const script = await browser.request(source);
    assert.match(script.headers.get('content-type')!, /^text\/javascript/);
    assert.match(script.headers.get('cache-control')!, /immutable/);
    assert.equal((await browser.request('/openid/assets/passkeys-0000000000000000.js')).status, 404);
    const account = await new TestBrowser(api).signIn('/account', await PasskeyPerson.make(api));
    assert.doesNotMatch(account.headers.get('content-security-policy')!, /script-src/);
    assert.doesNotMatch(account.text, /<script/);
  });

  describe('as the last way in', () => {
    const ISSUER = 'https://provider.example.org';
    const provider = { issuer: ISSUER, clientId: 'x', clientSecret: 'y' };

    /** Signed in to the account page, without a password, and with a link to a provider of a domain. */
    async function withoutPassword(domain: { id: string; name: string }, providerDomainId: string) {
      const person = await PasskeyPerson.make(api, { domain_id: domain.id });
      const browser = new TestBrowser(api);
      const { name, password } = person;
      const account = await browser.signIn('/account/security', { name, password, domain: domain.name });
      const page = await browser.submit(account, 'passkey-new');
      await browser.submit(page, 'passkey-create', { passkey: person.authenticator.create(passkeyOptionsOf(page, 'create')) });
      const { id } = await connectProvider(api, provider, { domainId: providerDomainId, settings: { button_name: null } });
      const db = await databaseOf(api);
      try {
        await db.write(async (tx) => {
          await tx.deleteFrom('passwords').where('user_id', '=', person.id).execute();
          await tx
            .insertInto('provider_links')
            .values(linkOf(person.id, id, ISSUER))
            .execute();
        });
      } finally {
        await db.close();
      }
      return {
        browser,
        provider: id,
        press: async (step: string) => browser.submit(await browser.go('/account/security'), step),
      };
    }

    it('is not removed for a link with a provider that is not for this domain, or is disabled', async () => {
      const [domain, other] = [
        await api.make('domain', { name: uniqueName('d') }),
        await api.make('domain', { name: uniqueName('d') }),
      ];
      const foreign = await withoutPassword(domain, other.id);
      const refused = await foreign.press('passkey-remove');
      assert.equal(refused.status, 400);
      assert.match(refused.text, /only way to sign in/);
      const own = await withoutPassword(domain, domain.id);
      const path = `${ROOT}/identity_providers/${own.provider}`;
      assert.equal((await api.patch(path, { identity_provider: { enabled: false } })).status, 200);
      assert.equal((await own.press('passkey-remove')).status, 400);
      assert.equal((await api.patch(path, { identity_provider: { enabled: true } })).status, 200);
      assert.ok((await own.press('passkey-remove')).text.includes(words.noPasskeys));
      assert.match((await own.press('provider-unlink')).text, /only way to sign in/, 'without a passkey the link is the last');
    });

    it('is none where the domain has passkeys off: the link with a provider stays', async () => {
      const domain = await api.make('domain', { name: uniqueName('soon off') });
      const person = await withoutPassword(domain, domain.id);
      await setPolicy(domain.id, 'off');
      const refused = await person.press('provider-unlink');
      assert.equal(refused.status, 400);
      assert.match(refused.text, /only way to sign in/);
      await setPolicy(domain.id, null);
      assert.doesNotMatch((await person.press('provider-unlink')).text, /only way to sign in/);
    });
  });

  describe('where a domain has them off', () => {
    it('is not offered, and does not work', async () => {
      const domain = await api.make('domain', { name: uniqueName('soon off') });
      const person = await PasskeyPerson.make(api, { domain_id: domain.id });
      const browser = new TestBrowser(api);
      const signedIn = await browser.signIn('/account/security', {
        ...person,
        name: person.name,
        password: person.password,
        domain: domain.name,
      });
      const page = await browser.submit(signedIn, 'passkey-new');
      const passkey = person.authenticator.create(passkeyOptionsOf(page, 'create'));
      await browser.submit(page, 'passkey-create', { passkey });
      await setPolicy(domain.id, 'off');
      const account = await browser.go('/account/security');
      assert.ok(!account.text.includes(words.passkeys));
      const sent = await browser.send(new URL('/account/security', page.url), { ...page.forms[0]!.fields, step: 'passkey-new' });
      assert.equal(passkeyOptionsOf(sent, 'create'), undefined);
      const visitor = await visit();
      isRefused(await person.usePasskey(visitor.browser, visitor.page));
      await setPolicy(domain.id, null);
    });
  });

  describe('where administrators must have one', () => {
    let domain: { id: string };
    before(async () => {
      domain = await api.make('domain', { name: STRICT });
    });

    async function makeAdministrator(): Promise<PasskeyPerson> {
      const person = await PasskeyPerson.make(api, { domain_id: domain.id });
      const role = await api.roleId('admin');
      assert.equal((await api.put(`/v3/domains/${domain.id}/users/${person.id}/roles/${role}`)).status, 204);
      return person;
    }
    const answers = (person: PasskeyPerson) => ({ name: person.name, password: person.password, domain: STRICT });
    const logIn = ({ id, password }: PasskeyPerson) => api.authenticate({ id, password });

    it('they add it while they sign in, and use it from then on', async () => {
      const person = await makeAdministrator();
      const { browser, page, claims } = await visit();
      const adding = await browser.submit(page, 'password', answers(person));
      assert.equal(stepOf(adding), 'passkey-create');
      assert.equal((await events(person, 'user.logged_in')).length, 0);
      const passkey = person.authenticator.create(passkeyOptionsOf(adding, 'create'));
      const wrong = await browser.submit(adding, 'passkey-create', { passkey: passkey.replace('public-key', 'private-key') });
      assert.equal(stepOf(wrong), 'passkey-create');
      const { amr } = await claims(await browser.submit(adding, 'passkey-create', { passkey }));
      assert.deepEqual(amr, ['pwd', 'pop', 'mfa']);

      const next = await visit();
      const using = await next.browser.submit(next.page, 'password', answers(person));
      assert.equal(stepOf(using), 'second-passkey');
      assert.ok(!using.text.includes(words.continueWithout));
      for (const step of ['skip', 'passkey-create']) {
        const fields = {
          ...using.forms[0]!.fields,
          step,
          passkey: person.authenticator.create(passkeyOptionsOf(adding, 'create')),
        };
        const sent = await next.browser.send(new URL(using.forms[0]!.action, using.url), fields);
        assert.equal(stepOf(sent), 'second-passkey', step);
      }
      person.authenticator.passkeys.length = 1;
      assert.equal((await next.claims(await person.usePasskey(next.browser, using))).sub, person.id);
    });

    it('a code comes first: a stolen password adds no passkey', async () => {
      const person = await makeAdministrator();
      const phone = await turnOnCodes(person);
      const { browser, page, claims } = await visit();
      const code = await browser.submit(page, 'password', answers(person));
      assert.equal(stepOf(code), 'code');
      const forced = await browser.send(new URL(code.forms[0]!.action, code.url), {
        ...code.forms[0]!.fields,
        step: 'passkey-create',
      });
      assert.equal(stepOf(forced), 'code');
      const adding = await browser.submit(code, 'code', { code: phone.fresh() });
      const passkey = person.authenticator.create(passkeyOptionsOf(adding, 'create'));
      assert.deepEqual((await claims(await browser.submit(adding, 'passkey-create', { passkey }))).amr, [
        'pwd',
        'otp',
        'pop',
        'mfa',
      ]);
    });

    it('their password alone gets no token, and only the log says why; others are not concerned', async () => {
      const [administrator, other] = [await makeAdministrator(), await PasskeyPerson.make(api, { domain_id: domain.id })];
      const refused = await logIn(administrator);
      const wrong = await api.authenticate({ id: administrator.id, password: 'wrong' });
      assert.equal(refused.status, 401);
      assert.deepEqual(refused.body, wrong.body);
      assert.ok(api.logged.some((line) => line.includes('administrators of this domain sign in with a passkey')));
      assert.equal((await logIn(other)).status, 201);
      const { browser, page, claims } = await visit();
      assert.deepEqual((await claims(await browser.answerForms(page, answers(other)))).amr, ['pwd']);
    });

    it('a session from before somebody became an administrator is not enough', async () => {
      const person = await PasskeyPerson.make(api, { domain_id: domain.id });
      const { browser, page, claims } = await visit();
      await claims(await browser.answerForms(page, answers(person)));
      const role = await api.roleId('admin');
      assert.equal((await api.put(`/v3/domains/${domain.id}/users/${person.id}/roles/${role}`)).status, 204);
      const adding = await visit({}, browser);
      assert.notEqual(stepOf(adding.page), 'allow');
      assert.ok(['passkey-create', 'password'].includes(stepOf(adding.page)!), 'asked for more');
      api.clock.advance(901);
      const later = await visit({}, browser);
      assert.equal(stepOf(later.page), 'password', 'an old session adds no way to sign in');
      const forged = await browser.send(adding.page.url, {
        ...adding.page.forms[0]!.fields,
        step: 'passkey-create',
        passkey: '{}',
      });
      assert.equal(stepOf(forged), 'password');
    });
  });

  describe('when an application asks for a stronger sign-in', () => {
    it('only what is missing is asked of who is signed in', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const browser = new TestBrowser(api);
      const first = await visit({}, browser);
      const before = await first.claims(await browser.answerForms(first.page, person));
      assert.equal(before.acr, SINGLE);
      const again = await visit({ acr_values: MULTI! }, browser);
      assert.equal(stepOf(again.page), 'second-passkey');
      const after = await again.claims(await person.usePasskey(browser, again.page));
      assert.deepEqual([after.acr, after.amr], [MULTI, ['pwd', 'pop', 'mfa']]);
      const third = await visit({ acr_values: `unknown ${RESISTANT}` }, browser);
      assert.equal((await third.claims(third.page)).acr, RESISTANT, 'nothing is missing');
    });

    it('goes on with less when the person has no more, or does not want to', async () => {
      const [poor, unwilling] = [await PasskeyPerson.make(api), await PasskeyPerson.withPasskey(api)];
      const one = await visit({ acr_values: RESISTANT! });
      assert.equal((await one.claims(await one.browser.answerForms(one.page, poor))).acr, SINGLE);
      const two = await visit({ acr_values: RESISTANT! });
      const asked = await two.browser.submit(two.page, 'password', { name: unwilling.name, password: unwilling.password });
      assert.equal(stepOf(asked), 'second-passkey');
      assert.equal((await two.claims(await two.browser.submit(asked, 'skip'))).acr, SINGLE);
    });

    it('asks for everything again when the sign-in is too old', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const browser = new TestBrowser(api);
      const first = await visit({}, browser);
      await first.claims(await browser.answerForms(first.page, person));
      assert.equal(stepOf((await visit({ acr_values: MULTI!, prompt: 'login' }, browser)).page), 'password');
    });

    it('says in its metadata what can be asked for', async () => {
      const { body } = await api.get('/.well-known/openid-configuration');
      assert.deepEqual(body.acr_values_supported, [SINGLE, MULTI, RESISTANT]);
    });
  });
};

onUsualDatabase('A passkey at the pages', define, {
  settings: { ...AT_LOCALHOST, GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder },
});

describe('At an address where browsers offer no passkeys', () => {
  it('none is offered or taken, and the service does not start when administrators must have one', async () => {
    const api = new TestApi('SQLite');
    await api.start();
    try {
      const page = await new TestBrowser(api).go('/account');
      assert.equal(passkeyOptionsOf(page), undefined);
      assert.doesNotMatch(page.text, /<script/);
      assert.match(api.logged.join(''), /people cannot use passkeys/);
    } finally {
      await api.stop();
    }
    const strict = new TestApi('SQLite', { settings: { GATEHOUSE_IDENTITY_PASSKEYS: 'required_for_administrators' } });
    await assert.rejects(strict.start(), /GATEHOUSE_IDENTITY_PASSKEYS: .* GATEHOUSE_IDENTITY_URL/);
    await strict.stop();
  });
});

describe('At an address where browsers offer passkeys', () => {
  it('the service starts when administrators must have one', async () => {
    const api = new RestartableApi('SQLite');
    try {
      await api.begin({ ...AT_LOCALHOST, GATEHOUSE_IDENTITY_PASSKEYS: 'required_for_administrators' });
    } finally {
      await api.remove();
    }
  });
});

describe('Where passkeys are off', () => {
  const settings = { GATEHOUSE_IDENTITY_PASSKEYS: 'off' };

  it('none is offered', () =>
    withApi({ settings: { ...AT_LOCALHOST, ...settings } }, async (api) => {
      api.url = AT_LOCALHOST.GATEHOUSE_IDENTITY_URL;
      assert.equal(passkeyOptionsOf(await new TestBrowser(api).go('/account')), undefined);
    }));

  it('nobody is told that the address does not allow them', () =>
    withApi({ settings }, async (api) => assert.doesNotMatch(api.logged.join(''), /people cannot use passkeys/)));
});
