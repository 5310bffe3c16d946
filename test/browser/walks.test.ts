// Four tasks of people who are new here, as the guides tell them, with the number of clicks that the guides promise.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { words as walletWords } from '../../console/wallet/words/en/index.ts';
import { onUsualDatabase, uniqueName } from '../support/api.ts';
import { makeApplication } from '../support/applications.ts';
import { usesChromium } from '../support/chromium.ts';
import { onScreen, openConsole } from '../support/console.ts';
import { freePort } from '../support/ports.ts';
import { makeUser } from '../support/relying-party.ts';
import { onWallet } from '../support/wallet.ts';
import { openWallet } from '../support/wallet-page.ts';

const chromium = usesChromium();
const { applications, grants, people, why } = words;
const DEMO = fileURLToPath(new URL('../../examples/credentials/demo.js', import.meta.url));

/** What a guide promises: "**Task** (7 clicks)". */
function promisedClicks(guide: string, task: string): number {
  const text = readFileSync(new URL(`../../docs/guide/${guide}.md`, import.meta.url), 'utf8');
  const at = text.indexOf(`**${task}** (`);
  assert.notEqual(at, -1, `docs/guide/${guide}.md tells: ${task}`);
  return Number(/\((\d+) clicks/.exec(text.slice(at))![1]);
}

/** Somebody with a mouse, who also types. */
class Mouse {
  readonly page: Page;
  clicks = 0;
  constructor(page: Page) {
    this.page = page;
  }
  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }
  link = (name: string): Promise<void> => this.click(this.page.getByRole('link', { name, exact: true }).first());
  button = (name: string): Promise<void> => this.click(this.page.getByRole('button', { name, exact: true }).last());
  /** Two clicks: the field, and what it offers. */
  async choose(label: string, offered: string | RegExp, typed = ''): Promise<void> {
    const field = this.page.getByRole('combobox', { name: new RegExp(`^${label}(?: \\(|$)`) }).last();
    await this.click(field);
    if (typed !== '') await field.fill(typed);
    await this.click(this.page.getByRole('option', { name: offered }).first());
  }
}

onUsualDatabase('A new user of the console', (api) => {
  it('invites a colleague and makes them manager of one application', async () => {
    const application = await makeApplication(api, { name: uniqueName('orders') });
    const mouse = new Mouse(await openConsole(chromium, api));
    const email = `${uniqueName('eve')}@example.org`;
    await mouse.link(applications.title);
    await mouse.link(application.name);
    await mouse.link(applications.tabs.people);
    await mouse.button(people.invite);
    await mouse.page.getByLabel(people.email).fill(email);
    await mouse.choose(people.applicationRole, grants.builtIn.provider);
    await mouse.button(people.sendInvitation);
    await mouse.page.getByText(people.invited(email)).waitFor();
    assert.equal(mouse.clicks, promisedClicks('console', 'Invite a colleague and make them manager of one application'));
    const { invitations } = (await api.get(`/v3/OS-REGISTRATION/invitations?email=${encodeURIComponent(email)}`)).body;
    assert.deepEqual(invitations[0].application_roles, [{ application_id: application.id, role_id: 'provider' }]);
  });

  it('finds out why a person may not enter, and where that is mended', async () => {
    const application = await makeApplication(api, { name: uniqueName('orders') });
    const person = await makeUser(api, { enabled: false });
    const mouse = new Mouse(await openConsole(chromium, api));
    await mouse.link(why.title);
    await onScreen(mouse.page, why.title);
    await mouse.choose(why.person, new RegExp(person.name), person.name);
    await mouse.choose(why.places.application, application.name, application.name);
    await mouse.button(why.ask);
    await mouse.page.getByText(why.noText(person.name, why.inApplication(application.name))).waitFor();
    const answer = mouse.page.locator('.answer li');
    assert.match((await answer.allInnerTexts()).join('\n'), /disabled[\s\S]*holds no role/);
    assert.equal(mouse.clicks, promisedClicks('console', 'Find out why a person may not enter'));
    await mouse.link(why.openAccount(person.name));
    await onScreen(mouse.page, person.name);
    await mouse.page.goBack();
    await mouse.link(why.openHolders(application.name));
    await onScreen(mouse.page, application.name);
  });

  it('hands an application a new secret without downtime', async () => {
    const application = await makeApplication(api, { name: uniqueName('orders') });
    const works = async (secret: string): Promise<number> =>
      (
        await fetch(`${api.url}/openid/introspect`, {
          method: 'POST',
          headers: { Authorization: `Basic ${Buffer.from(`${application.id}:${secret}`).toString('base64')}` },
          body: new URLSearchParams({ token: 'none' }),
        })
      ).status;
    const mouse = new Mouse(await openConsole(chromium, api));
    await mouse.link(applications.title);
    await mouse.link(application.name);
    await mouse.button(applications.newSecret);
    await mouse.page.getByRole('dialog').waitFor();
    await mouse.button(applications.makeSecret);
    const shown = await mouse.page.locator('dialog .copyable code').innerText();
    assert.equal(mouse.clicks, promisedClicks('console', 'Hand an application a new secret without downtime'));
    assert.notEqual(shown, application.secret);
    assert.deepEqual([await works(application.secret), await works(shown)], [200, 200]);
  });
});

onWallet('SQLite', 'A new user of the wallet', {}, (wallet) => {
  let demo: ChildProcess | undefined;
  after(() => demo?.kill());

  it('receives a credential and shows two of its claims', async () => {
    const [issuer, verifier] = [await freePort(), await freePort()];
    const env = { ...process.env, ISSUER_PORT: String(issuer), VERIFIER_PORT: String(verifier) };
    demo = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(demo.stdout!, 'data');
    const text = async (address: string): Promise<string> => (await (await fetch(address)).text()).trim();
    const { open, receive, share } = walletWords;

    const mouse = new Mouse(await openWallet(chromium, await wallet.logIn()));
    const look = async (link: string): Promise<void> => {
      await mouse.link(open.title);
      await mouse.page.getByLabel(open.link).fill(link);
      await mouse.button(open.look);
    };
    await look(await text(`http://127.0.0.1:${issuer}/offer`));
    await onScreen(mouse.page, receive.title);
    await mouse.button(receive.accept);
    await onScreen(mouse.page, 'Membership');
    await look(await text(`http://127.0.0.1:${verifier}/request`));
    await onScreen(mouse.page, share.title);
    await mouse.button(share.consent(`127.0.0.1:${verifier}`));
    await mouse.page.getByText(share.shared).waitFor();
    assert.deepEqual(JSON.parse(await text(`http://127.0.0.1:${verifier}/results`)), [{ level: 'gold', since: 1843 }]);
    assert.equal(mouse.clicks, promisedClicks('wallet', 'Receive a credential and show two of its claims'));
  });
});
