// A real browser for tests of the pages: Debian's Chromium without a window, driven by Playwright. Whatever a test does with it, it also
// watches what no page may do: fetch something from elsewhere, or break its own content security policy.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, afterEach, before } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import type { TestApi } from './api.ts';
import { needsCommand } from './commands.ts';

/** An older Debian has only the whole of it. */
const PROGRAMS = ['chromium-headless-shell', 'chromium'] as const;
/** Pages come at once; but every core may be busy with other tests. */
const PATIENCE_MS = 15_000;

const fileOf = (program: string): string => `/usr/bin/${program}`;

function chromiumFile(): string {
  const there = PROGRAMS.map(fileOf).find((file) => existsSync(file));
  if (there) return there;
  needsCommand(PROGRAMS[0]);
  return fileOf(PROGRAMS[0]);
}

export interface Chromium {
  /** A browser of its own for somebody: own cookies, a first page. */
  open(api: TestApi, options?: BrowserContextOptions): Promise<Page>;
}

/** One browser for a file; what a test opened is closed after it. */
export function usesChromium(): Chromium {
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let troubles: string[] = [];

  before(async () => {
    // Root has no sandbox; and a process of its own for drawing costs a tenth of the time.
    const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--in-process-gpu'];
    browser = await playwright.launch({ executablePath: chromiumFile(), args });
  });
  after(() => browser?.close());
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    const seen = troubles;
    contexts = [];
    troubles = [];
    assert.deepEqual(seen, [], 'what no page may do');
  });

  function watch(context: BrowserContext, own: string): void {
    context.on('request', (request) => {
      const { origin } = new URL(request.url());
      // Only the person goes to another place: by a redirect or a link.
      if (origin !== own && !request.isNavigationRequest()) troubles.push(`request to ${request.url()}`);
    });
    context.on('console', (message) => {
      if (/content security policy|refused to/i.test(message.text())) troubles.push(message.text());
    });
    context.on('weberror', (error) => troubles.push(String(error.error())));
  }

  return {
    async open(api, options = {}) {
      const context = await browser.newContext({ locale: 'en', ...options });
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE_MS);
      watch(context, new URL(api.url).origin);
      return context.newPage();
    },
  };
}
