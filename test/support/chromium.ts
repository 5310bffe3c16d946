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
}

export interface Chromium {
  /** A separate browser context: its own cookies, and a first page. `others`: further sites whose pages it visits. */
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

/** What a test opened is closed after it. The browser ends with the last file that uses it. */
export function usesChromium({ provokes }: ChromiumOptions = {}): Chromium {
  let contexts: BrowserContext[] = [];
  let troubles: string[] = [];

  users++;
  after(leaveBrowser);
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    const seen = troubles;
    contexts = [];
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
      const context = await (await browser()).newContext({ locale: 'en', ...options });
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE_MS);
      watch(
        context,
        [api.url, ...others].map((url) => new URL(url).origin),
      );
      return context.newPage();
    },
  };
}
