// Debian's Horizon in a process of its own, and a person at it in a real Chromium.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { cleanEnvironment, untilAnswers } from '../support/service.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Of Debian: Horizon is not in other ones. */
const PYTHON = '/usr/bin/python3';

/** Where Horizon receives the token of somebody who signed in elsewhere. */
export const dashboardOf = (url: string): string => `${url}/auth/websso/`;

export async function startHorizon(url: string, keystone: string, folder: string): Promise<ChildProcess> {
  const output = openSync(join(folder, 'horizon.log'), 'w');
  const env = {
    ...cleanEnvironment(),
    PYTHONPATH: HERE,
    PYTHONDONTWRITEBYTECODE: '1',
    HORIZON_SECRET_KEY: randomBytes(32).toString('hex'),
    KEYSTONE_URL: keystone,
  };
  const child = spawn(PYTHON, [join(HERE, 'serve.py'), new URL(url).port], { env, stdio: ['ignore', output, output] });
  await untilAnswers(`${url}/auth/login/`, child);
  return child;
}

export async function stopHorizon(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Somebody at Horizon's pages. */
export class Visitor {
  readonly page: Page;
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
  }

  /** Opens a page of Horizon, which must show no trouble. */
  async open(path: string): Promise<void> {
    const answer = await this.page.goto(this.#url + path);
    assert.ok(answer!.ok(), `${path}: ${answer!.status()}`);
    await this.expectNoTrouble();
  }

  async expectNoTrouble(): Promise<void> {
    assert.deepEqual(await this.page.locator('.alert-danger, .alert-warning, .help-block.alert').allInnerTexts(), []);
  }

  async logIn(name: string, password: string, domain = 'Default'): Promise<void> {
    await this.page.goto(`${this.#url}/auth/login/`);
    await this.fill({ username: name, password, domain });
    await this.page.click('#loginBtn');
    await this.expectName(name);
  }

  /** The name at the top right. */
  async expectName(name: string): Promise<void> {
    await this.page.locator('.user-name', { hasText: name }).first().waitFor();
  }

  async chooseSignIn(choice: string): Promise<void> {
    await this.page.goto(`${this.#url}/auth/login/`);
    await this.page.selectOption('#id_auth_type', choice);
    await this.page.click('#loginBtn');
  }

  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) await this.page.fill(`#id_${name}`, value);
  }

  /** Horizon hides some of its lists behind menus of its own, which set them like this. */
  async choose(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, label] of Object.entries(fields)) await this.page.selectOption(`#id_${name}`, { label }, { force: true });
  }

  /** Sends the form of the page, which must lead to another one without trouble. */
  async send(): Promise<void> {
    const { pathname } = new URL(this.page.url());
    await this.page.locator('#content_body form input[type=submit], #content_body form button[type=submit]').last().click();
    await this.page.waitForURL((url) => url.pathname !== pathname);
    await this.expectNoTrouble();
  }

  /** The row of a table, by a text in it. */
  async row(text: string): Promise<string> {
    const row = this.page.locator('tbody tr', { hasText: text }).first();
    await row.waitFor();
    return (await row.innerText()).replaceAll(/\s+/g, ' ').trim();
  }

  /** Presses the action of a row that stands behind its arrow. */
  async act(text: string, action: string, confirm = false): Promise<void> {
    const row = this.page.locator('tbody tr', { hasText: text }).first();
    await row.locator('.dropdown-toggle').click();
    await row.locator('.dropdown-menu').getByText(action, { exact: false }).first().click();
    if (confirm) await this.page.locator('.modal-footer .btn-danger').click();
    await this.page.locator('.alert-success').first().waitFor();
  }

  async rows(): Promise<string[]> {
    return (await this.page.locator('tbody tr').allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim());
  }

  /** Their token is not valid any more: Horizon shows them nothing, or its login. */
  async expectNothing(): Promise<void> {
    await this.page.goto(`${this.#url}/identity/`);
    const [row = ''] = await this.rows();
    assert.ok(row.startsWith('No items') || (await this.page.locator('#loginBtn').isVisible()), row);
  }

  async logOut(): Promise<void> {
    await this.page.goto(`${this.#url}/auth/logout/`);
    await this.page.locator('#loginBtn').waitFor();
  }
}
