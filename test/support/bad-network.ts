// A page whose requests to the API are slow, fail, or are counted.
import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { texts } from '../../console/shared/words/en.ts';

/** What becomes of requests: no answer, the fault of the service, or a service that asks for patience. */
export const FAULTS = ['no answer', 'a fault', 'a pause'] as const;
export type NetworkFault = (typeof FAULTS)[number];

/** How long the service asks to wait. */
const PAUSE = 7;

function fail(route: Route, fault: NetworkFault): Promise<void> {
  if (fault === 'no answer') return route.abort();
  return fault === 'a fault'
    ? route.fulfill({ status: 500, json: { error: { code: 500, title: 'Internal Server Error', message: 'x' } } })
    : route.fulfill({ status: 503, headers: { 'Retry-After': String(PAUSE) }, json: {} });
}

const TITLES = { 'no answer': texts.awayTitle, 'a fault': texts.failureTitle, 'a pause': texts.awayTitle };
const WHAT_TO_DO = { 'no answer': texts.awayText, 'a fault': texts.failureText, 'a pause': texts.busyText(PAUSE) };

/** Between a page and the requests that `pattern` names. Logging in is left alone. */
export class BadNetwork {
  readonly #page: Page;
  #fault: NetworkFault | undefined;
  #held: PromiseWithResolvers<void> | undefined;
  readonly #changes: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  async start(pattern: RegExp, besides: RegExp): Promise<void> {
    await this.#page.route(pattern, async (route) => {
      const request = route.request();
      if (besides.test(request.url())) return route.continue();
      const { pathname } = new URL(request.url());
      // A preview changes nothing, although it is asked for by POST.
      const isPreview = pathname.endsWith('/preview') || /"preview":true/.test(request.postData() ?? '');
      if (request.method() !== 'GET' && !isPreview) this.#changes.push(`${request.method()} ${pathname}`);
      const [fault, held] = [this.#fault, this.#held];
      await held?.promise;
      // The page may have left meanwhile, and its request with it.
      await (fault ? fail(route, fault) : route.continue()).catch(() => {});
    });
  }

  /** From now on requests wait for `release`, and then fail in this way, or pass. */
  hold(fault?: NetworkFault): void {
    this.#held = Promise.withResolvers<void>();
    this.#fault = fault;
  }

  /** What waits goes on. Later requests pass, unless they are still to fail. */
  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  mend(): void {
    this.#fault = undefined;
    this.release();
  }

  /** The changes that were sent since this was asked last. */
  takeChanges(): string[] {
    return this.#changes.splice(0);
  }

  /** A screen that is opened by `open`: it shows progress, then what is wrong and what to do, and "try again" works. */
  async checkScreen(name: string, fault: NetworkFault, open: () => Promise<void>): Promise<void> {
    const page = this.#page;
    this.hold(fault);
    await open();
    const waits = async (what: string, isThere: Promise<unknown>): Promise<void> => {
      await isThere.catch((error: unknown) => assert.fail(`${name}, ${fault}: ${what}. ${error}`));
    };
    await waits('no progress is shown', page.locator('main').getByRole('progressbar').first().waitFor());
    this.release();
    const alert = page.locator('main').getByRole('alert').filter({ hasText: TITLES[fault] }).first();
    await waits('no error is shown', alert.waitFor());
    await waits('the error does not say what to do', alert.getByText(WHAT_TO_DO[fault]).waitFor());
    this.mend();
    await waits('cannot be tried again', alert.getByRole('button', { name: texts.retry }).click());
    await waits('the error stays', alert.waitFor({ state: 'detached' }));
    await waits('the screen does not load', page.locator('.screen-body[aria-busy=false]').waitFor());
    assert.deepEqual(this.takeChanges(), [], name);
  }
}
