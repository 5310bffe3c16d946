// Limits tell nobody whether an account exists: the course of many wrong guesses is the same, answer by answer.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, it } from 'node:test';
import { onDatabase, type TestApi, uniqueName } from './support/api.ts';
import { smtpSettings } from './support/mail-server.ts';
import { newMailbox, startMailServer } from './support/mailbox.ts';
import { AT_LOCALHOST, PasskeyPerson, passkeyOptionsOf, servesAtLocalhost } from './support/passkeys.ts';
import { RelyingParty } from './support/relying-party.ts';
import { type BrowserPage, TestBrowser } from './support/test-browser.ts';

const server = await startMailServer();
const settings = { ...smtpSettings(server), ...AT_LOCALHOST, GATEHOUSE_IDENTITY_REGISTRATION: 'open' };
const options = { settings, rateLimits: true, trustedProxies: ['127.0.0.1', '::1'] };
const password = 'not the password';

/** More than one account, and for mails one address, is allowed in a moment. */
const GUESSES = 13;
const MAILS = 32;

type Headers = Readonly<Record<string, string>>;
type Answer = { readonly status: number; readonly text: string; readonly headers: { get(name: string): string | null } };
type Guess = (name: string, from: Headers) => Promise<Answer>;

onDatabase('SQLite', 'The limits of an account that exists, and of one that does not', options, (api: TestApi) => {
  servesAtLocalhost(api);
  let known: PasskeyPerson;
  let party: RelyingParty;
  let browser: TestBrowser;
  let page: BrowserPage;
  let email: string;
  before(async () => {
    known = await PasskeyPerson.withPasskey(api);
    party = await RelyingParty.make(api, { grant_type: 'password' });
    browser = new TestBrowser(api);
    email = (await api.get(`/v3/users/${known.id}`)).body.user.email;
  });

  let addresses = 0;
  async function courseOf(guess: Guess, name: string, guesses: number): Promise<string[]> {
    const from = { 'X-Forwarded-For': `203.0.113.${++addresses}` };
    const course: string[] = [];
    for (let at = 0; at < guesses; at++) {
      const { status, text, headers } = await guess(name, from);
      const said = /role="alert">([^<]*)/.exec(text)?.[1] ?? text.replaceAll(/"req-[\w-]+"/g, '').slice(0, 400);
      course.push(`${status} ${headers.get('retry-after')} ${said.replaceAll(name, '#')}`);
    }
    return course;
  }

  async function areTheSame(guess: Guess, name: string, unknown: string, guesses = GUESSES): Promise<void> {
    page = await browser.go((await party.ask()).url);
    api.clock.hold();
    const course = await courseOf(guess, name, guesses);
    assert.deepEqual(await courseOf(guess, unknown, guesses), course);
    assert.ok(new Set(course).size > 1, `never refused: ${course[0]}`);
    api.clock.advance(3600);
  }

  const byId = () => randomBytes(16).toString('hex');
  const logIn = (identity: object, headers: Headers) =>
    api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
  const form = (path: string, fields: Record<string, string>, headers: Headers) =>
    new TestBrowser(api, headers).send(path, fields);
  const submit = (step: string, answers: Record<string, string>, headers: Headers) => {
    const found = page.forms.find(({ fields }) => fields.step === 'password')!;
    return browser.send(new URL(found.action, page.url), { ...found.fields, step, ...answers }, headers);
  };

  it('are the same at the base API', async () => {
    const domain = { id: 'default' };
    const byName: Guess = (name, from) => logIn({ methods: ['password'], password: { user: { name, domain, password } } }, from);
    await areTheSame(byName, known.name, uniqueName('nobody'));
    await areTheSame(
      (id, from) => logIn({ methods: ['password'], password: { user: { id, password } } }, from),
      known.id,
      byId(),
    );
    const code: Guess = (id, from) => logIn({ methods: ['totp'], totp: { user: { id, passcode: '000000' } } }, from);
    await areTheSame(code, known.id, byId());
    const user = { original_password: password, password: 'another' };
    const change: Guess = (id, headers) => api.post(`/v3/users/${id}/password`, { user }, { token: null, headers });
    await areTheSame(change, known.id, byId());
  });

  it('are the same at the sign-in page, also for passkeys', async () => {
    await areTheSame((name, from) => submit('password', { name, password }, from), known.name, uniqueName('nobody'));
    const fresh = { password, new_password: 'another', new_password_again: 'another' };
    await areTheSame((name, from) => submit('new-password', { name, ...fresh }, from), known.name, uniqueName('nobody'));
    const answerTo = () => JSON.parse(known.authenticator.get(passkeyOptionsOf(page), { foreignKey: true }));
    const use: Guess = (id, from) => submit('passkey', { passkey: JSON.stringify({ ...answerTo(), id, rawId: id }) }, from);
    await areTheSame(use, known.authenticator.passkeys[0]!.id.toString('base64url'), randomBytes(32).toString('base64url'));
  });

  it('are the same at the password grant', () => {
    const { id, secret } = party.application;
    const grant: Guess = async (username, from) => {
      const body = new URLSearchParams({ grant_type: 'password', username, password, client_id: id, client_secret: secret });
      const answer = await fetch(`${api.url}/openid/token`, { method: 'POST', body, headers: from });
      return { status: answer.status, text: await answer.text(), headers: answer.headers };
    };
    return areTheSame(grant, known.name, uniqueName('nobody'));
  });

  it('are the same for mails', async () => {
    const forgotten: Guess = (name, from) => form('/openid/forgotten-password', { name }, from);
    await areTheSame(forgotten, known.name, uniqueName('nobody'), MAILS);
    await areTheSame((address, from) => form('/openid/register', { email: address }, from), email, newMailbox(), MAILS);
  });
});
