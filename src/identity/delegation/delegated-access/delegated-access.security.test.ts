// Somebody was in the account of a person. A new password and a second factor do not end what they left behind; the person sees it and does.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isValid } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { intrude, intrudedPerson } from '../../../../test/support/intruder.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import { askForPassword, linkIn, newestMail, startMailServer } from '../../../../test/support/mailbox.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { Phone } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, TestBrowser } from '../../../../test/support/test-browser.ts';
import { makeTrust, trustPerson, trustToken } from '../../../../test/support/trusts.ts';
import type { TrustRow } from '../../ground/database/index.ts';

const ACCESS = '/account/access';
const FRESH = 'a fresh one of a person';
const HOUR = 3600;
/** By default, with the time in which services that were called with it may use it. */
const TOKEN_LIFE = HOUR + 48 * HOUR;
const server = await startMailServer();

const listed = (page: BrowserPage): string[] =>
  page.forms.filter(({ fields }) => fields.step === 'end-delegated').map(({ fields }) => fields.kind!);

onUsualDatabase(
  'What an intruder left behind',
  (api) => {
    const db = usesDatabaseOf(api);
    const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
      (await browser.go(ACCESS)).text.includes('end-all-access');

    /** Stores trusts of a person as they are in the database. */
    const planting =
      ({ user, project }: Awaited<ReturnType<typeof intrudedPerson>>) =>
      (name: string, count: number, values: Partial<TrustRow> = {}) =>
        db().write(async (tx) => {
          for (let at = 0; at < count; at++)
            await tx
              .insertInto('trusts')
              .values({
                id: `${name}${String(at).padStart(4, '0')}${user.id}`.slice(0, 32),
                trustor_user_id: user.id,
                trustee_user_id: user.id,
                project_id: project.id,
                impersonation: 1,
                expires_at: null,
                remaining_uses: null,
                redelegated_trust_id: null,
                redelegation_count: 0,
                extra: '{}',
                created_at: 1,
                used_up_at: null,
                ...values,
              })
              .execute();
        });

    it('is named after a new password, shown on the account page, and ends at once', async () => {
      const person = await intrudedPerson(api);
      const planted = await intrude(api, person);
      await askForPassword(api, person.name);
      const browser = new TestBrowser(api);
      const reset = { new_password: FRESH, new_password_again: FRESH };
      const saved = await browser.submit(await browser.go(linkIn(await newestMail(server, person.email))), undefined, reset);
      assert.match(saved.text, /5 programs or people can still act for you/);
      assert.ok(saved.text.includes(`href="${ACCESS}"`));
      assert.deepEqual(await planted.working(), planted.all, 'a new password alone ends none of it');
      const ofProgram = await planted.programToken();

      const page = await browser.signIn(ACCESS, { name: person.name, password: FRESH });
      assert.deepEqual(listed(page).toSorted(), ['application_credential', 'key', 'key', 'oauth1', 'trust']);
      for (const shown of [planted.program.name, planted.key.access, planted.accomplice.user.name, person.project.name])
        assert.ok(page.text.includes(shown), shown);
      for (const secret of [planted.program.secret, planted.key.secret]) assert.ok(!page.text.includes(secret));
      const [elsewhere, own] = [new TestBrowser(api), await api.logIn({ id: person.user.id, password: FRESH })];
      await elsewhere.signIn(ACCESS, { name: person.name, password: FRESH });
      const party = await RelyingParty.make(api);
      const tokens = await party.tokensFor({ name: person.name, password: FRESH }, { scope: 'openid offline_access' });

      const done = await browser.submit(page, 'end-all-access');
      assert.match(done.text, /role="status"/);
      assert.deepEqual(listed(done), []);
      assert.deepEqual(await planted.working(), []);
      assert.notEqual((await planted.takeLater()).status, 201, 'what was authorized before and is not taken yet');
      for (const token of [ofProgram, own]) assert.equal((await api.get(`/v3/users/${person.user.id}`, { token })).status, 401);
      assert.equal(await party.isActive(tokens.access_token), false);
      assert.deepEqual([await isSignedIn(browser), await isSignedIn(elsewhere)], [true, false]);

      const { events } = (await api.get(`/v3/OS-AUDIT/events?actor_id=${person.user.id}&limit=100`)).body;
      const request = events.find(({ action }: { action: string }) => action === 'user.tokens_revoked').request_id;
      const together = events.filter((one: { request_id: string }) => one.request_id === request);
      assert.deepEqual(together.map(({ action }: { action: string }) => action).toSorted(), [
        'application_credential.deleted',
        'credential.deleted',
        'credential.deleted',
        'oauth1_access_token.deleted',
        'trust.deleted',
        'user.tokens_revoked',
      ]);
    });

    it('ends one by one, and nothing of anybody else', async () => {
      const [person, thief] = [await intrudedPerson(api), await intrudedPerson(api)];
      const planted = await intrude(api, person);
      const [browser, evil] = [new TestBrowser(api), new TestBrowser(api)];
      const page = await browser.signIn(ACCESS, person);
      await intrude(api, thief);
      const own = await evil.signIn(ACCESS, thief);
      const forms = page.forms.filter(({ fields }) => fields.step === 'end-delegated');
      for (const { fields } of forms) {
        await evil.submit(own, 'end-delegated', { kind: fields.kind!, id: fields.id! });
        assert.equal((await evil.submit(own, 'end-delegated', { kind: '__proto__', id: fields.id! })).status, 400);
      }
      assert.deepEqual(await planted.working(), planted.all);
      assert.equal(listed(await evil.go(ACCESS)).length, 5);
      for (const [at, { fields }] of forms.entries()) {
        const answer = await browser.send(ACCESS, fields);
        assert.equal(listed(answer).length, forms.length - at - 1, answer.text);
        assert.equal((await planted.working()).length, forms.length - at - 1);
        assert.equal((await browser.send(ACCESS, fields)).status, 200, 'twice');
      }
      assert.ok(await isSignedIn(browser));
    });

    it('is not hidden by hundreds of trusts that are over, and the page says when it does not show all', async () => {
      const person = await intrudedPerson(api);
      const plant = planting(person);
      await plant('0', 1001, { expires_at: 2 });
      await plant('f', 1);
      const browser = new TestBrowser(api);
      const MORE = /There are more trusts than are shown here/;
      const one = await browser.signIn(ACCESS, person);
      assert.deepEqual([listed(one), MORE.test(one.text)], [['trust'], false]);
      await plant('e', 200);
      const many = await browser.go(ACCESS);
      assert.equal(listed(many).length, 200);
      assert.match(many.text, MORE);
      assert.match((await browser.go('/account/security')).text, /More than 200 programs or people can still act for you/);
      await browser.submit(many, 'end-delegated');
      const all = await browser.go(ACCESS);
      assert.deepEqual([listed(all).length, MORE.test(all.text)], [200, false]);
    });

    it('is shown while a token of its last use is good, which ends with it', async () => {
      const [person, accomplice] = [await intrudedPerson(api), await trustPerson(api)];
      const trust = await makeTrust(api, person, accomplice, { impersonation: true, remaining_uses: 1 });
      const token = await trustToken(api, accomplice, trust);
      const browser = new TestBrowser(api);
      const page = await browser.signIn(ACCESS, person);
      assert.deepEqual(listed(page), ['trust']);
      const now = Math.floor(api.clock.now() / 1000);
      const plant = planting(person);
      await plant('a', 1, { remaining_uses: 0, used_up_at: now - TOKEN_LIFE });
      assert.equal(listed(await browser.go(ACCESS)).length, 1, 'all of its tokens have expired');
      await plant('b', 1, { remaining_uses: 0, used_up_at: now - TOKEN_LIFE + HOUR });
      assert.equal(listed(await browser.go(ACCESS)).length, 2, 'noted by the job, and not that long ago');
      assert.ok(await isValid(api, token));
      await browser.submit(page, 'end-delegated');
      assert.ok(!(await isValid(api, token)));
    });

    it('ends by no old session: whoever sits at an unlocked browser is asked to sign in', async () => {
      const person = await intrudedPerson(api);
      const planted = await intrude(api, person);
      const browser = new TestBrowser(api);
      const page = await browser.signIn(ACCESS, person);
      api.clock.advance(3600);
      for (const step of ['end-all-access', 'end-delegated'])
        assert.match((await browser.submit(page, step)).text, /name="password"/, step);
      api.clock.advance(-3600);
      assert.deepEqual(await planted.working(), planted.all);
    });

    it('is named when the person turns on two-factor authentication, and not to those without any', async () => {
      for (const isPlanted of [true, false]) {
        const person = await intrudedPerson(api);
        if (isPlanted) await intrude(api, person);
        const browser = new TestBrowser(api);
        const security = await browser.signIn('/account/security', person);
        assert.equal(/can still act for you/.test(security.text), isPlanted, 'also beside the password');
        const proposal = await browser.submit(security, 'two-factor-on');
        const [, key = ''] = /<code class="copy">(\w+)</.exec(proposal.text) ?? [];
        const code = new Phone(api, key).code();
        const on = await browser.submit(proposal, 'two-factor-confirm', { code, question: 'q', answer: 'a' });
        assert.match(on.text, /recovery-codes-file/);
        assert.equal(/can still act for you/.test(on.text), isPlanted);
      }
    });
  },
  { settings: smtpSettings(server) },
);
