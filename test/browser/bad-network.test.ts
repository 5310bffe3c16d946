// The console and the wallet with a slow and a failing network, with a session that ends in the middle, and with somebody else who edits the
// same: nothing is lost, and nothing is done twice.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { words as walletWords } from '../../console/wallet/words/en/index.ts';
import { DELETION_ALLOWED } from '../support/account-deletion.ts';
import { onDatabase, type TestApi, uniqueName } from '../support/api.ts';
import { BadNetwork, FAULTS } from '../support/bad-network.ts';
import { usesChromium } from '../support/chromium.ts';
import { move, openConsole, visit } from '../support/console.ts';
import { type Change, changes, edits, FORMS, opens } from '../support/console-forms.ts';
import { consoleScreens } from '../support/console-screens.ts';
import { makeConsoleWorld } from '../support/console-world.ts';
import { aShareOf } from '../support/extent.ts';
import { setUpPresentation } from '../support/presentation.ts';
import { enterPassword } from '../support/visitor.ts';
import { onWallet } from '../support/wallet.ts';
import { openWallet } from '../support/wallet-page.ts';

const chromium = usesChromium();
const { credentials } = words;

/** They ask the service nothing. */
const WITHOUT_READS = ['/why', '/applications/new', '/try/x', '/tried-provider'];
const CONSOLE = fileURLToPath(new URL('../../console/identity/', import.meta.url));
/** Where a form is made. */
const FORM = /\b(?:openForm|edit(?:<\w+>)?|form)\(\{/g;
const withoutIds = (path: string): string => path.replaceAll(/[0-9a-f]{32}|(?<=\/providers\/)[\w-]+/g, ':id');
const API = /\/v3\//;
const LOGIN = /\/v3\/auth\/(tokens|system|domains|projects)/;

function formOf(page: Page, { open, field }: Change): Locator {
  if (open !== undefined) return page.getByRole('dialog').last();
  return page
    .locator('main form')
    .filter({ has: page.getByLabel(field) })
    .last();
}

/** Opens the form and enters something. */
async function enter(page: Page, change: Change, text: string): Promise<void> {
  await visit(page, change.path);
  if (change.open) await page.locator('main').getByRole('button', { name: change.open, exact: true }).first().click();
  await formOf(page, change).getByLabel(change.field).first().fill(text);
  for (const [label, value] of Object.entries(change.more ?? {}))
    await formOf(page, change).getByLabel(label).first().fill(value);
}

/** Waits until the form is left, and until the page that opens by itself is there: it would replace the next one. */
async function isLeft(page: Page, { path, opensMade }: Change): Promise<void> {
  await page.getByText(texts.saving).waitFor({ state: 'detached' });
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  if (opensMade) await page.waitForURL((url) => url.pathname.startsWith(`/console${path}/`));
}

const submitOf = (page: Page, change: Change): Locator =>
  formOf(page, change).getByRole('button', { name: new RegExp(`^(${change.submit}|${texts.saving})$`) });

/** Sent once; without an answer it says that nobody knows, keeps the text, and does not repeat it by itself. */
async function checkChange(page: Page, network: BadNetwork, change: Change): Promise<void> {
  const text = change.textOf(uniqueName('entered'));
  await enter(page, change, text);
  for (const fault of FAULTS) {
    network.hold(fault);
    await submitOf(page, change).click();
    await formOf(page, change).getByText(texts.saving).waitFor();
    // Somebody is impatient.
    await submitOf(page, change).click({ force: true });
    await page.keyboard.press('Enter');
    network.release();
    await formOf(page, change).getByRole('alert').waitFor();
    const said = await formOf(page, change).getByRole('alert').innerText();
    if (fault === 'no answer') assert.ok(said.includes(texts.unsureText), said);
    assert.deepEqual(
      network.takeChanges().map((one) => change.sent.test(one)),
      [true],
      `${change.path}, ${fault}`,
    );
    assert.equal(await formOf(page, change).getByLabel(change.field).first().inputValue(), text);
    network.mend();
  }
  await submitOf(page, change).click();
  // The error goes when the form is sent. The form may be left when that is done.
  await formOf(page, change).getByRole('alert').waitFor({ state: 'detached' });
  await isLeft(page, change);
  assert.equal(network.takeChanges().length, 1, change.path);
}

// What a page does with bad answers does not depend on the database.
onDatabase('SQLite', 'The console with a bad network', { settings: DELETION_ALLOWED }, (api) => {
  let world: Awaited<ReturnType<typeof makeConsoleWorld>>;
  before(async () => {
    world = await makeConsoleWorld(api);
  });

  async function openAsAdmin(as: TestApi) {
    const { user, password } = await as.persona(['admin'], 'system');
    const person = { id: user.id as string, name: user.name as string, password };
    const page = await openConsole(chromium, as, { person });
    const network = new BadNetwork(page);
    await network.start(API, LOGIN);
    return { person, page, network };
  }

  it('shows progress on every screen, then what to do, and goes on when it is better', async () => {
    const { page, network, person } = await openAsAdmin(api);
    const paths = consoleScreens(world, person).map(({ path }) => path);
    for (const [at, path] of aShareOf(
      paths.filter((one) => !WITHOUT_READS.includes(one)),
      12,
    ).entries()) {
      // Tabs of the same screen: what was shown before is not taken for the new state.
      await visit(page, '/why');
      await network.checkScreen(path, FAULTS[at % FAULTS.length]!, () => move(page, path));
    }
  });

  it('sends no change twice, and keeps what was entered', async () => {
    const { page, network } = await openAsAdmin(api);
    for (const change of aShareOf(changes(world), 16)) await checkChange(page, network, change);
  });

  it('knows every form of the console, and every one in which two people can change the same', async () => {
    const tried = new Set(changes(world).map(({ path }) => withoutIds(path)));
    const made: Record<string, number> = {};
    for (const file of await readdir(CONSOLE, { recursive: true })) {
      const calls = file.endsWith('.ts') ? (await readFile(join(CONSOLE, file), 'utf8')).match(FORM)?.length : undefined;
      if (calls !== undefined) made[file] = calls;
    }
    assert.deepEqual(made, Object.fromEntries(Object.entries(FORMS).map(([file, one]) => [file, one.made])));
    for (const [file, one] of Object.entries(FORMS)) {
      for (const path of one.tried) assert.ok(tried.has(path), `${file}: nothing tries ${path}`);
      assert.ok(one.others !== undefined || one.tried.length >= one.made, file);
    }
    const { page, person } = await openAsAdmin(api);
    const nameOf = (path: string): string => withoutIds(path).replace(/[?&](group|text)=.*/, '');
    const known = new Set(edits(world).map(({ path }) => nameOf(path)));
    const unknown: string[] = [];
    for (const { path } of aShareOf(consoleScreens(world, person), 6)) {
      await visit(page, path);
      if (!known.has(nameOf(path)) && (await page.locator('main gh-edit').count()) > 0) unknown.push(nameOf(path));
    }
    assert.deepEqual([...new Set(unknown)], []);
  });

  it('says that something failed which was to open a dialog, once, and goes on when it is better', async () => {
    const { page, network } = await openAsAdmin(api);
    await visit(page, `/applications/${world.application.id}?tab=credentials`);
    const change = page.getByRole('button', { name: credentials.changeTitle(world.credentialType.name), exact: true });
    network.hold('no answer');
    await change.click();
    await change.click();
    network.release();
    const dialog = page.getByRole('dialog', { name: texts.failureTitle });
    await dialog.getByRole('alert').getByText(texts.awayText).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 1);
    network.mend();
    await dialog.getByRole('button', { name: texts.close }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await change.click();
    await page.getByRole('dialog').getByLabel(credentials.name).first().waitFor();
    assert.deepEqual(network.takeChanges(), []);
  });

  it('tells somebody that somebody else has changed the same, and keeps what they entered', async () => {
    const { page } = await openAsAdmin(api);
    const other = await page.context().newPage();
    await other.goto(`${api.url}/console`);
    await other.locator('.screen-body[aria-busy=false]').waitFor();
    for (const change of aShareOf(edits(world), 8)) {
      const [mine, theirs] = [change.textOf(uniqueName('mine')), change.textOf(uniqueName('theirs'))];
      await enter(page, change, mine);
      await enter(other, change, theirs);
      const saved = other.waitForResponse((one) => change.sent.test(`${one.request().method()} ${new URL(one.url()).pathname}`));
      await submitOf(other, change).click();
      assert.ok((await saved).ok(), change.path);
      await isLeft(other, change);
      await submitOf(page, change).click();
      const note = formOf(page, change).locator('.warn', { hasText: texts.presentTitle });
      await note.getByText(theirs).waitFor();
      assert.equal(await formOf(page, change).getByLabel(change.field).first().inputValue(), mine);
      await submitOf(page, change).click();
      await note.waitFor({ state: 'detached' });
      await isLeft(page, change);
    }
  });

  it('offers to sign in again when the session ends in the middle of a form, and then does what was asked once', async () => {
    const { page, network, person } = await openAsAdmin(api);
    for (const change of aShareOf(edits(world), 8)) {
      const text = change.textOf(uniqueName('kept'));
      await enter(page, change, text);
      // What the form asks by itself, such as for a preview, does not notice the end first: its dialog would be before the button.
      network.hold();
      await submitOf(page, change).click();
      assert.equal((await api.delete(`/v3/users/${person.id}/OS-SESSIONS/sessions`)).status, 204);
      network.release();
      const dialog = page.getByRole('dialog', { name: texts.signedOutTitle });
      const opened = page.context().waitForEvent('page');
      await dialog.getByRole('link', { name: texts.signIn }).click();
      const other = await opened;
      await enterPassword(other, person);
      await other.locator('main#content h1').waitFor();
      await other.close();
      network.takeChanges();
      const answered = page.waitForResponse((one) =>
        change.sent.test(`${one.request().method()} ${new URL(one.url()).pathname}`),
      );
      await dialog.getByRole('button', { name: texts.goOn }).click();
      assert.ok((await answered).ok());
      await isLeft(page, change);
      assert.deepEqual(
        network.takeChanges().map((one) => change.sent.test(one)),
        [true],
        change.path,
      );
    }
  });
});

onWallet('SQLite', 'The wallet with a bad network', {}, (wallet) => {
  const { issuer, verifier } = setUpPresentation(wallet);
  const AUTH = /\/api\/v1\/auth\//;

  it('shows progress on every screen, then what to do, and goes on when it is better', async () => {
    const admin = await wallet.logIn('admin');
    await admin.post('/api/v1/wallet/oid4vci', { uri: issuer.offer() });
    const offer = await admin.post('/api/v1/wallet/oid4vci', { uri: issuer.offer(), preview: true });
    const request = await admin.post('/api/v1/wallet/oid4vp', { uri: await verifier.ask(), preview: true });
    const did = await admin.make('dids', { alias: 'The company' });
    const [credential] = (await admin.get('/api/v1/wallet/credentials')).body;
    const page = await openWallet(chromium, admin, '/receive');
    const network = new BadNetwork(page);
    await network.start(/\/api\/v1\//, AUTH);
    const paths = [
      '/',
      `/credentials/${credential.id}`,
      `/receive/${offer.body.exchangeId}`,
      `/share/${request.body.exchangeId}`,
      '/history',
      `/history/${offer.body.exchangeId}`,
      '/keys',
      '/identifiers',
      `/identifiers/${did.id}`,
      '/node',
    ];
    for (const [at, path] of aShareOf(paths, 3).entries())
      await network.checkScreen(path, FAULTS[at % FAULTS.length]!, () => move(page, path, ''));
  });

  it('sends no change twice, and keeps what was entered', async () => {
    const page = await openWallet(chromium, await wallet.logIn(), '/keys');
    const network = new BadNetwork(page);
    await network.start(/\/api\/v1\//, AUTH);
    await page.getByRole('heading', { level: 1, name: walletWords.keys.title }).waitFor();
    const change = opens('/keys', walletWords.keys.create, walletWords.keys.alias, /^POST \/api\/v1\/wallet\/keys$/);
    await page.locator('main').getByRole('button', { name: change.open!, exact: true }).first().click();
    const text = uniqueName('entered');
    await formOf(page, change).getByLabel(change.field).first().fill(text);
    network.hold('no answer');
    await submitOf(page, change).click();
    await submitOf(page, change).click({ force: true });
    network.release();
    await formOf(page, change).getByRole('alert').getByText(texts.unsureText).waitFor();
    assert.deepEqual(network.takeChanges(), ['POST /api/v1/wallet/keys']);
    assert.equal(await formOf(page, change).getByLabel(change.field).first().inputValue(), text);
    network.mend();
    await submitOf(page, change).click();
    await page.getByRole('article', { name: text }).waitFor();
    assert.deepEqual(network.takeChanges(), ['POST /api/v1/wallet/keys']);
  });
});
