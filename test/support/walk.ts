// The walk of a new administrator: a page of the console at the first replica, where everything is done by clicks, and what the last replica
// says of each change. On SQLite there is one process.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { DESK } from './accessibility.ts';
import type { TestApi } from './api.ts';
import type { Chromium } from './chromium.ts';
import type { CircleServices } from './circle-services.ts';
import { ADMIN, fillIn, onScreen, said } from './console.ts';
import type { MailServer } from './mail-server.ts';
import type { PlainProvider } from './plain-provider.ts';
import type { Slapd } from './slapd.ts';
import { soon } from './soon.ts';
import { enterPassword, press } from './visitor.ts';

const { service, settings } = words;
const names: Readonly<Record<string, string>> = settings.names;

/** What the service is connected with. */
export interface Surroundings {
  readonly mails: MailServer;
  readonly provider: PlainProvider;
  readonly slapd: Slapd;
}

export class Walk {
  readonly #chromium: Chromium;
  readonly services: CircleServices;
  readonly around: Surroundings;
  page!: Page;
  /** How long the last replica took for each change. */
  readonly times: string[] = [];

  constructor(chromium: Chromium, services: CircleServices, around: Surroundings) {
    this.#chromium = chromium;
    this.services = services;
    this.around = around;
  }

  async begin(): Promise<void> {
    this.page = await this.openBrowser();
    await this.page.goto(`${this.services.api.url}/console`);
    await enterPassword(this.page, ADMIN);
    await onScreen(this.page, words.overview.title);
  }

  openBrowser(): Promise<Page> {
    const { walletUrl, api } = this.services;
    const others = [walletUrl, this.around.provider.issuer];
    return this.#chromium.open(api, { viewport: DESK, ignoreHTTPSErrors: true }, others);
  }

  /** To another screen, by the menu. */
  async menu(name: string): Promise<void> {
    await this.page.locator('#menu').getByRole('link', { name, exact: true }).click();
    await onScreen(this.page, name);
  }

  follow = (name: string): Promise<void> => this.page.getByRole('link', { name, exact: true }).first().click();
  tab = (name: string): Promise<void> => this.page.locator('.tabs').getByRole('link', { name, exact: true }).click();

  fill = (values: Readonly<Record<string, string | boolean>>, form: Page | Locator = this.page): Promise<void> =>
    fillIn(form, values);

  /** Into the form of some settings, by the ends of their keys; then they are saved. */
  async set(values: Readonly<Record<string, string>>): Promise<void> {
    const labels = Object.entries(values).map(([name, value]) => [names[`GATEHOUSE_IDENTITY_${name}`]!, value] as const);
    await this.fill(Object.fromEntries(labels));
    await this.save(settings.saved);
  }

  /** A group of settings about the sign-in. */
  async change(group: keyof typeof settings.groups, values: Readonly<Record<string, string>>): Promise<void> {
    await this.menu(service.title);
    await this.tab(service.tabs['sign-in']);
    await this.follow(settings.changeOf(settings.groups[group]));
    await this.set(values);
  }

  async save(text: string): Promise<void> {
    await press(this.page, texts.save);
    await said(this.page, text);
  }

  /** Waits until the last replica says it, which is asked directly. */
  async seen(what: string, expected: unknown, ask: (replica: TestApi) => Promise<unknown>): Promise<void> {
    const ms = await soon(expected, () => ask(this.services.replicas.at(-1)!));
    this.times.push(`${what} ${Math.round(ms)} ms`);
  }

  /** Meanwhile everybody who comes gets to the last replica. */
  async atLast(visit: () => Promise<void>): Promise<void> {
    const { services } = this;
    services.askOnly(services.replicas.length - 1);
    try {
      await visit();
    } finally {
      services.askOnly(0);
    }
  }
}

/** Whether a page of a replica has this text. */
export async function shows({ url }: TestApi, path: string, text: string): Promise<boolean> {
  const answer = await fetch(url + path, { headers: { Accept: 'text/html' } });
  assert.ok(answer.status < 500, `${path}: ${answer.status}`);
  return (await answer.text()).includes(text);
}
