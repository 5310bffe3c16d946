// A real browser for tests of the pages: Debian's headless Chromium, driven by Playwright. In every test it also checks that no page
// loads anything from another site, violates its content security policy, or writes an error to the console.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, afterEach } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import type { TestApi } from './api.ts';
import { needsCommand } from './commands.ts';

/** Older versions of Debian have only the full browser. */
const PROGRAMS = ['chromium-headless-shell', 'chromium'] as const;
/** Pages load quickly, but all cores may be busy with other tests. */
const PATIENCE_MS = 60_000;

const fileOf = (program: string): string => `/usr/bin/${program}`;

function chromiumFile(): string {
  const there = PROGRAMS.map(fileOf).find((file) => existsSync(file));
  if (there) return there;
  needsCommand(PROGRAMS[0]);
  return fileOf(PROGRAMS[0]);
}

/** The browser's own note about an answer of 400 and more, or none. Many tests are about refusals; the page must cope with them. */
const REFUSAL = /^Failed to load resource:/;

export interface ChromiumOptions {
  /** Errors in the console that the tests of this file provoke. */
  readonly provokes?: RegExp;
  /** Its tests use contexts of earlier ones again, with the files of the pages in their cache. Not for tests of what a cache does. */
  readonly reusesContexts?: boolean;
}

export interface Chromium {
  /** A browser context of the test's own: its own cookies, and a first page. `others`: further sites whose pages it visits. */
  open(api: TestApi, options?: BrowserContextOptions, others?: readonly string[]): Promise<Page>;
}

/** The browser of this process. Its test files share it: each context has its own cookies and pages. */
let launched: Promise<Browser> | undefined;
let users = 0;

function browser(): Promise<Browser> {
  // The sandbox does not work as root. Without a GPU process tests are a tenth faster.
  const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--in-process-gpu'];
  launched ??= playwright.launch({ executablePath: chromiumFile(), args });
  return launched;
}

async function leaveBrowser(): Promise<void> {
  if (--users > 0) return;
  await (await launched)?.close();
  launched = undefined;
}

/** After these calls a context is not as it was. */
const CHANGES = [
  'addInitScript',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  'route',
  'setExtraHTTPHeaders',
  'setGeolocation',
  'setHTTPCredentials',
  'setOffline',
] as const;
const MOST_IDLE = 4;

/**
 * Contexts whose tests are over, for the next tests with the same options and sites: the files of the pages are in their cache, which
 * saves a third of a sign-in. Cookies are removed, other stores end with the pages: ours use none that stays.
 */
class IdleContexts {
  readonly #idle: { readonly key: string; readonly context: BrowserContext }[] = [];
  readonly #changed = new WeakSet<BrowserContext>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  async open(
    key: string,
    options: BrowserContextOptions,
  ): Promise<{ readonly context: BrowserContext; readonly isNew: boolean }> {
    const at = this.#idle.findIndex((one) => one.key === key);
    if (at >= 0) return { context: this.#idle.splice(at, 1)[0]!.context, isNew: false };
    const context = await (await browser()).newContext({ locale: 'en', ...options });
    for (const name of CHANGES) this.#notices(context, context, name);
    this.#notices(context, context.clock, 'install');
    return { context, isNew: true };
  }

  #notices<T extends object>(context: BrowserContext, object: T, name: keyof T): void {
    const call = object[name] as (...args: unknown[]) => unknown;
    Object.assign(object, {
      [name]: (...args: unknown[]) => {
        this.#changed.add(context);
        return call.apply(object, args);
      },
    });
  }

  /** After a test. */
  async giveBack(key: string, context: BrowserContext): Promise<void> {
    if (this.#changed.has(context) || this.#most === 0) return context.close();
    await Promise.all(context.pages().map((page) => page.close()));
    await context.clearCookies();
    this.#idle.push({ key, context });
    if (this.#idle.length > this.#most) await this.#idle.shift()!.context.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map(({ context }) => context.close()));
  }
}

/** The pages that a test opened are closed after it. The browser ends with the last file that uses it. */
export function usesChromium({ provokes, reusesContexts = false }: ChromiumOptions = {}): Chromium {
  const idle = new IdleContexts(reusesContexts ? MOST_IDLE : 0);
  let used: { readonly key: string; readonly context: BrowserContext }[] = [];
  let troubles: string[] = [];

  users++;
  after(async () => {
    await idle.close();
    await leaveBrowser();
  });
  afterEach(async () => {
    await Promise.all(used.map(({ key, context }) => idle.giveBack(key, context)));
    const seen = troubles;
    used = [];
    troubles = [];
    assert.deepEqual(seen, [], 'what no page may do');
  });

  function watch(context: BrowserContext, own: readonly string[]): void {
    context.on('request', (request) => {
      const { origin } = new URL(request.url());
      // Only navigation (a redirect or a link) may leave the site.
      if (!own.includes(origin) && !request.isNavigationRequest()) troubles.push(`request to ${request.url()}`);
    });
    context.on('console', (message) => {
      const text = message.text();
      const isError = message.type() === 'error' && !REFUSAL.test(text) && !provokes?.test(text);
      if (isError || /content security policy|refused to/i.test(text)) troubles.push(text);
    });
    context.on('weberror', (error) => troubles.push(String(error.error())));
  }

  return {
    async open(api, options = {}, others = []) {
      const sites = [api.url, ...others].map((url) => new URL(url).origin);
      const key = JSON.stringify([options, sites]);
      const { context, isNew } = await idle.open(key, options);
      used.push({ key, context });
      if (isNew) {
        context.setDefaultTimeout(PATIENCE_MS);
        watch(context, sites);
      }
      return context.newPage();
    },
  };
}
