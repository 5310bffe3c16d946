// The person at the browser, in a real Chromium: opens what the suite asks for, and answers our pages as somebody would who agrees.
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { html, LANGUAGES } from '../../../src/identity/ground/look/index.ts';
import type { Screenshots, Visit } from './api.ts';

const PROGRAM = '/usr/bin/chromium-headless-shell';
const words = LANGUAGES.en;
const PATIENCE_MS = 60_000;
/** A sign-in has a password, a consent and the way back; a sign-out a question and a page with frames. */
const MAX_PAGES = 8;

/** What the service is told. Those who deny are other people: they have never allowed anything, so they are asked. */
export type Answer = 'allow' | 'deny';

const FULL = { fullPage: true };

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

export class Person {
  #browser: Browser;
  readonly #service: string;
  readonly #who: Readonly<Record<Answer, Credentials>>;
  #context: BrowserContext;

  private constructor(browser: Browser, context: BrowserContext, service: string, who: Readonly<Record<Answer, Credentials>>) {
    this.#browser = browser;
    this.#context = context;
    this.#service = new URL(service).origin;
    this.#who = who;
  }

  static async start(service: string, who: Readonly<Record<Answer, Credentials>>): Promise<Person> {
    const browser = await Person.#launch();
    return new Person(browser, await Person.#freshContext(browser), service, who);
  }

  /** The certificates of the suite and of the service under test are made for the run. */
  static #freshContext = (browser: Browser): Promise<BrowserContext> =>
    browser.newContext({ locale: 'en', ignoreHTTPSErrors: true });

  static #launch = (): Promise<Browser> => playwright.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });

  /** Another browser, without cookies: each module begins with one. A run takes long, and a browser may end by itself. */
  async renew(): Promise<void> {
    await this.#context.close().catch(() => undefined);
    if (!this.#browser.isConnected()) this.#browser = await Person.#launch();
    this.#context = await Person.#freshContext(this.#browser);
  }

  /** In a window of its own, with the cookies of the others. */
  async on(work: (page: Page) => Promise<Screenshots>): Promise<Screenshots> {
    const page = await this.#context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    try {
      return await work(page);
    } finally {
      await page.close();
    }
  }

  #isOurs = (page: Page): boolean => new URL(page.url()).origin === this.#service;
  #last = async (page: Page): Promise<Screenshots> => (this.#isOurs(page) ? { last: await page.screenshot(FULL) } : {});

  /** Goes there, and on to the page at which nothing more is to be done. */
  visit = ({ url, method }: Visit, answer: Answer = 'allow'): Promise<Screenshots> =>
    this.on(async (page) => {
      const first = await this.#open(page, url, method);
      for (let pages = 0; pages < MAX_PAGES && (await this.#answer(page, answer)); pages++)
        await page.waitForLoadState('networkidle');
      return { ...first, ...(await this.#last(page)) };
    });

  /** Goes there, and does nothing. */
  look = ({ url, method }: Visit): Promise<Screenshots> => this.on((page) => this.#open(page, url, method));

  async #open(page: Page, url: string, method: Visit['method']): Promise<Screenshots> {
    if (method === 'POST') await this.#post(page, url);
    else await page.goto(url);
    await page.waitForLoadState('networkidle');
    return (await this.#asksForPassword(page)) ? { 'sign-in': await page.screenshot(FULL) } : {};
  }

  /** Signs in with the wallet that the suite plays, and sees what our page says then. */
  useWallet = (): Promise<Screenshots> =>
    this.on(async (page) => {
      await page.goto(`${this.#service}/account`);
      await page.getByRole('button', { name: words.walletSignIn }).click();
      await page.getByRole('link', { name: words.walletOpen }).click();
      await page.waitForLoadState('networkidle');
      return this.#last(page);
    });

  /** Signs in through another provider, and sees what our page says then. */
  useProvider = (name: string): Promise<Screenshots> =>
    this.on(async (page) => {
      await page.goto(`${this.#service}/account`);
      await page.getByRole('button', { name: words.providerContinue(name) }).click();
      await page.waitForLoadState('networkidle');
      return this.#last(page);
    });

  /** Signs in at the account page, and answers what an application asks there. */
  answerRequest = async (who: Credentials, isAllowed: boolean): Promise<void> => {
    await this.on(async (page) => {
      await page.goto(`${this.#service}/account`);
      if (await this.#asksForPassword(page)) await this.#enter(page, who);
      const name = isAllowed ? words.allow : words.refuseRequest;
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.waitForLoadState('networkidle');
      return {};
    });
  };

  async #enter(page: Page, { name, password }: Credentials): Promise<void> {
    await page.getByLabel(words.userName).fill(name);
    await page.getByLabel(words.password, { exact: true }).fill(password);
    await page.getByRole('button', { name: words.signIn, exact: true }).click();
    await page.waitForLoadState('networkidle');
  }

  /** A request by POST, as a page of the suite would send it. */
  async #post(page: Page, url: string): Promise<void> {
    const { origin, pathname, searchParams } = new URL(url);
    const inputs = [...searchParams].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
    await page.setContent(html`<form method="post" action="${origin + pathname}">${inputs}<button>Go</button></form>`.text);
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForURL((at) => at.href !== 'about:blank');
  }

  #asksForPassword = async (page: Page): Promise<boolean> =>
    this.#isOurs(page) && (await page.getByLabel(words.password, { exact: true }).isVisible());

  /** False when the page is not ours, or asks nothing. */
  async #answer(page: Page, answer: Answer): Promise<boolean> {
    if (!this.#isOurs(page)) return false;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    if (await this.#asksForPassword(page)) {
      await this.#enter(page, this.#who[answer]);
      return true;
    }
    for (const name of [words[answer], words.signOut])
      if (await button(name).first().isVisible()) {
        await button(name).first().click();
        return true;
      }
    return false;
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }
}
