// The person at the browser, in a real Chromium: opens what the suite asks for, and answers our pages as somebody would who agrees.
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { html, LANGUAGES } from '../../../src/identity/ground/look/index.ts';
import type { Visit } from './api.ts';

const PROGRAM = '/usr/bin/chromium-headless-shell';
const words = LANGUAGES.en;
const PATIENCE_MS = 20_000;
/** A sign-in has a password, a consent and the way back; a sign-out a question and a page with frames. */
const MAX_PAGES = 8;

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

export class Person {
  readonly #browser: Browser;
  readonly #service: string;
  readonly #who: Credentials;
  #context: BrowserContext;

  private constructor(browser: Browser, context: BrowserContext, service: string, who: Credentials) {
    this.#browser = browser;
    this.#context = context;
    this.#service = new URL(service).origin;
    this.#who = who;
  }

  static async start(service: string, who: Credentials): Promise<Person> {
    const browser = await playwright.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
    return new Person(browser, await Person.#freshContext(browser), service, who);
  }

  /** The certificates of the suite and of the service under test are made for the run. */
  static #freshContext = (browser: Browser): Promise<BrowserContext> =>
    browser.newContext({ locale: 'en', ignoreHTTPSErrors: true });

  /** Another browser, without cookies: each module begins with one. */
  async renew(): Promise<void> {
    await this.#context.close();
    this.#context = await Person.#freshContext(this.#browser);
  }

  /** Goes there, and on to the page at which nothing more is to be done. Its screenshot is what somebody looks at later. */
  async visit({ url, method }: Visit): Promise<Buffer> {
    const page = await this.#context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    try {
      if (method === 'POST') await this.#post(page, url);
      else await page.goto(url);
      for (let pages = 0; pages < MAX_PAGES && (await this.#answer(page)); pages++) await page.waitForLoadState('networkidle');
      return await page.screenshot({ fullPage: true });
    } finally {
      await page.close();
    }
  }

  /** A request by POST, as a page of the suite would send it. */
  async #post(page: Page, url: string): Promise<void> {
    const { origin, pathname, searchParams } = new URL(url);
    const inputs = [...searchParams].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
    await page.setContent(html`<form method="post" action="${origin + pathname}">${inputs}<button>Go</button></form>`.text);
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForURL((at) => at.href !== 'about:blank');
  }

  /** False when the page is not ours, or asks nothing. */
  async #answer(page: Page): Promise<boolean> {
    if (new URL(page.url()).origin !== this.#service) return false;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const password = page.getByLabel(words.password, { exact: true });
    if (await password.isVisible()) {
      await page.getByLabel(words.userName).fill(this.#who.name);
      await password.fill(this.#who.password);
      await button(words.signIn).click();
      return true;
    }
    for (const name of [words.allow, words.signOut])
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
