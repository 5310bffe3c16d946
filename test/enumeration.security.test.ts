// Nobody learns whether an account exists: answers and times are the same for those that do and those that do not, on every page and call
// where a stranger can name one.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onEachDatabase, type TestApi, uniqueName } from './support/api.ts';
import { basic } from './support/keyrock-client.ts';
import { smtpSettings } from './support/mail-server.ts';
import { newMailbox, startMailServer } from './support/mailbox.ts';
import { AT_LOCALHOST, servesAtLocalhost } from './support/passkeys.ts';
import { makeUser, RelyingParty } from './support/relying-party.ts';
import { TestBrowser } from './support/test-browser.ts';
import { assertOtherTime, assertSameTime } from './support/timing.ts';

const server = await startMailServer();
const settings = {
  ...smtpSettings(server),
  ...AT_LOCALHOST,
  GATEHOUSE_IDENTITY_REGISTRATION: 'open',
  // Slow enough that a hash more or less is seen.
  GATEHOUSE_IDENTITY_ARGON2_MEMORY: '4096',
  GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
};

/** Answers to requests that name somebody: `name` is what the answer may repeat. */
type Ask = (name: string) => Promise<{ status: number; text: string }>;

/** The values that differ with every answer. */
const plain = ({ status, text }: { status: number; text: string }, name: string): string =>
  `${status} ${text}`
    .replaceAll(name, '#')
    .replaceAll(/(form_token" value|challenge(&quot;|")?:?(&quot;|")?)[=:]?"?[\w-]+/g, '$1')
    .replaceAll(/interaction[/=][\w-]+/g, 'interaction')
    .replaceAll(/"req-[\w-]+"/g, '');

onEachDatabase(
  'An account that exists, and one that does not',
  (api: TestApi) => {
    servesAtLocalhost(api);
    let known: { name: string; email: string };
    let disabled: { name: string; email: string };
    let party: RelyingParty;
    before(async () => {
      const [one, other] = [await makeUser(api), await makeUser(api, { enabled: false })];
      known = { name: one.name, email: one.user.email };
      disabled = { name: other.name, email: other.user.email };
      party = await RelyingParty.make(api, { grant_type: 'password' });
    });

    async function cannotBeTold(what: string, ask: Ask, names: { known: string; disabled: string; unknown: () => string }) {
      const answers = new Set<string>();
      for (const name of [names.known, names.disabled, names.unknown()]) answers.add(plain(await ask(name), name));
      assert.equal(answers.size, 1, [...answers].join('\n'));
      await assertSameTime(
        what,
        () => ask(names.known),
        () => ask(names.unknown()),
      );
    }
    const byName = () => ({ known: known.name, disabled: disabled.name, unknown: () => uniqueName('nobody') });
    const byEmail = () => ({ known: known.email, disabled: disabled.email, unknown: newMailbox });

    const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      new TestBrowser(api).send(path, fields, headers);
    const password = 'not the password';

    it('look the same to whoever has forgotten a password', async () => {
      await cannotBeTold('forgotten password', (name) => post('/openid/forgotten-password', { name }), byName());
      await cannotBeTold('forgotten password by e-mail', (name) => post('/openid/forgotten-password', { name }), byEmail());
      await assertSameTime(
        'forgotten password of a disabled account',
        () => post('/openid/forgotten-password', { name: disabled.name }),
        () => post('/openid/forgotten-password', { name: uniqueName('nobody') }),
      );
    });

    it('look the same in the request after that one, while the mail is made', async () => {
      const twice = async (name: string) => {
        const first = await post('/openid/forgotten-password', { name });
        await new TestBrowser(api).go('/openid/forgotten-password');
        return first;
      };
      await cannotBeTold('the request after it', twice, byName());
    });

    it('look the same to whoever registers', () =>
      cannotBeTold('register', (email) => post('/openid/register', { email }), byEmail()));

    it('look the same at the sign-in page, with its options for passkeys', async () => {
      const url = (name: string) => party.ask({ login_hint: name }).then((asked) => asked.url);
      await cannotBeTold('sign-in page', async (name) => new TestBrowser(api).go(await url(name)), byName());
      const browser = new TestBrowser(api);
      const page = await browser.go((await party.ask()).url);
      await cannotBeTold('sign-in', (name) => browser.submit(page, 'password', { name, password }), byName());
    });

    it('look the same at the base API and at the password grant', async () => {
      await cannotBeTold('tokens', (name) => api.authenticate({ name, password }), byName());
      const { application } = party;
      const grant: Ask = async (username) => {
        const body = new URLSearchParams({ grant_type: 'password', username, password });
        const answer = await fetch(`${api.url}/openid/token`, {
          method: 'POST',
          body,
          headers: { Authorization: basic(application) },
        });
        return { status: answer.status, text: await answer.text() };
      };
      await cannotBeTold('password grant', grant, byName());
    });

    it('would be told apart by one hash', () =>
      assertOtherTime(
        'a hash',
        () => api.authenticate({ name: known.name, password }),
        () => api.get('/v3', { token: null }),
      ));
  },
  { settings },
);
