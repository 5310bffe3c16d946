// The walk: mail, look, rules for passwords, and registration of the service.
import assert from 'node:assert/strict';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { uniqueName } from './api.ts';
import { inDialog, said } from './console.ts';
import { linkIn, newestMail } from './mailbox.ts';
import { png } from './pictures.ts';
import { enterPassword, follow, openAccount, words as pages, press, titleOf } from './visitor.ts';
import { shows, type Walk } from './walk.ts';

const { look, service, settings } = words;

export async function setMail(walk: Walk): Promise<void> {
  const { page } = walk;
  const { mails } = walk.around;
  await walk.menu(service.title);
  await walk.tab(service.tabs.mail);
  const server = { SMTP_HOST: 'localhost', SMTP_PORT: String(mails.port), SMTP_TLS: 'off' };
  await walk.set({ ...server, MAIL_FROM: 'Harbour <id@example.org>' });
  await press(page, settings.testMail);
  await page.getByLabel(settings.testMailTo).fill('first@example.org');
  await inDialog(page, settings.testMailSend);
  await page.getByText(settings.testMailAccepted).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: texts.close, exact: true }).last().click();
  assert.equal(mails.to('first@example.org').length, 1);
  await walk.seen('mail', true, async (replica) => {
    await replica.post('/v3/OS-SERVICE/mail/test', { mail: { to: 'last@example.org', language: 'en' } });
    return mails.to('last@example.org').length > 0;
  });
}

export async function setLook(walk: Walk): Promise<void> {
  const { page } = walk;
  await walk.menu(service.title);
  await walk.tab(service.tabs.look);
  await walk.set({ BRAND_NAME: 'Harbour', BRAND_COLOR: '#aa0000', TERMS_URL: 'https://harbour.example.org/terms' });
  await walk.seen('look', true, (replica) => shows(replica, '/openid/register', 'Harbour'));
  const logo = { name: 'logo.png', mimeType: 'image/png', buffer: png(20) };
  await page.getByLabel(words.applications.logoFile).first().setInputFiles(logo);
  await press(page, look.pictures.logo.save);
  await said(page, look.pictures.logo.saved);
  await walk.seen('logo', 200, async ({ url }) => (await fetch(`${url}/openid/assets/logo`)).status);
}

export async function setPasswordRules(walk: Walk): Promise<void> {
  await walk.change('passwords', { PASSWORD_MIN_LENGTH: '14' });
  await walk.seen('rules for passwords', 400, async (replica) => {
    const user = { name: uniqueName('short'), password: 'a short one', domain_id: 'default' };
    return (await replica.post('/v3/users', { user })).status;
  });
}

export const GRACE = { name: 'grace@example.org', password: 'the password of Grace' };

/** Somebody registers at the last replica, with a mail from there. */
export async function openRegistration(walk: Walk): Promise<void> {
  const { mails } = walk.around;
  const { api } = walk.services;
  await walk.menu(service.title);
  await walk.tab(service.tabs.registration);
  await walk.set({ REGISTRATION: 'open', TERMS_VERSION: '2026-11' });
  await walk.seen('registration', true, (replica) => shows(replica, '/openid/register', pages.emailAddress));
  await walk.atLast(async () => {
    const visitor = await walk.openBrowser();
    await openAccount(api, visitor, 'overview');
    await follow(visitor, pages.register);
    await visitor.getByLabel(pages.emailAddress).fill(GRACE.name);
    await press(visitor, pages.continueLabel);
    await visitor.goto(linkIn(await newestMail(mails, GRACE.name)).href);
    await visitor.getByLabel(pages.yourName).fill('Grace Example');
    await visitor.getByLabel(pages.newPassword, { exact: true }).fill(GRACE.password);
    await visitor.getByLabel(pages.newPasswordAgain).fill(GRACE.password);
    await visitor.getByLabel(pages.acceptTerms).check();
    await press(visitor, pages.createAccount);
    await follow(visitor, pages.signIn);
    await enterPassword(visitor, GRACE);
    assert.equal(await titleOf(visitor), pages.accountPages.overview);
  });
}

/** She mistypes her password at the last replica, until an administrator helps. */
export async function unlockGrace(walk: Walk): Promise<void> {
  const { page } = walk;
  const { people } = words;
  await walk.change('lock_out', { LOCKOUT_FAILURE_ATTEMPTS: '3', LOCKOUT_DURATION: '86400' });
  const replica = walk.services.replicas.at(-1)!;
  const logIn = async (password = GRACE.password): Promise<number> =>
    (await replica.authenticate({ name: GRACE.name, password })).status;
  await walk.seen('lock-out', 401, async () => {
    for (let i = 0; i < 3; i++) assert.equal(await logIn('mistyped'), 401);
    return logIn();
  });
  await walk.menu(people.title);
  await page.getByLabel(people.state, { exact: true }).selectOption({ label: people.lockedOut });
  await walk.follow(GRACE.name);
  await walk.tab(people.tabs['sign-in']);
  await press(page, people.unlock);
  await inDialog(page, people.unlock);
  await said(page, people.unlocked(GRACE.name));
  await walk.seen('unlocked', 201, () => logIn());
}
