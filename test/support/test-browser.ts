// A minimal browser without scripts: keeps cookies, follows redirects within the service, reads forms and submits them.
import assert from 'node:assert/strict';
import type { TestApi } from './api.ts';
import { type Answer, send as request } from './http.ts';

export interface PageForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface BrowserPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly forms: readonly PageForm[];
  /** The redirect URL, if it leads out of the service: to the application. */
  readonly redirectTarget: URL | undefined;
}

/** What a person enters into the forms. */
export interface SignInAnswers {
  readonly name: string;
  readonly password: string;
  readonly domain?: string;
  readonly code?: () => string;
  readonly remember?: boolean;
  readonly consent?: boolean;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string): string => text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!);
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

function formsOf(text: string): PageForm[] {
  return [...text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag, inside]) => {
    const inputs = [...inside!.matchAll(/<input\b[^>]*>/g)].map(([input]) => input);
    const sent = inputs.filter((input) => attribute(input, 'type') !== 'checkbox');
    const names = sent.map((input) => attribute(input, 'name')!);
    assert.deepEqual(names, [...new Set(names)], 'a form has each field once');
    const fields = Object.fromEntries(sent.map((input) => [attribute(input, 'name')!, attribute(input, 'value') ?? '']));
    // Without one, the form is sent to the address of the page.
    return { action: attribute(tag!, 'action') ?? '', fields };
  });
}

export class TestBrowser {
  readonly #api: Pick<TestApi, 'url'>;
  /** By name and path, as browsers do. */
  readonly #cookies = new Map<string, { name: string; value: string; path: string }>();
  /** All Set-Cookie headers so far. */
  readonly setCookies: string[] = [];
  /** All pages so far. */
  readonly seen: BrowserPage[] = [];

  /** Sent with every request. */
  readonly #headers: Readonly<Record<string, string>>;

  constructor(api: Pick<TestApi, 'url'>, headers: Readonly<Record<string, string>> = {}) {
    this.#api = api;
    this.#headers = headers;
  }

  /** Another one with the cookies that this one has now. */
  copy(): TestBrowser {
    const other = new TestBrowser(this.#api, this.#headers);
    for (const { name, value, path } of this.#cookies.values()) other.putCookie(name, value, path);
    return other;
  }

  cookie(name: string | RegExp): { name: string; value: string } | undefined {
    return [...this.#cookies.values()].find((one) => (typeof name === 'string' ? one.name === name : name.test(one.name)));
  }

  putCookie(name: string, value: string, path = '/openid'): void {
    this.#cookies.set(`${name} ${path}`, { name, value, path });
  }

  forget(name: RegExp): void {
    for (const [key, one] of this.#cookies) if (name.test(one.name)) this.#cookies.delete(key);
  }

  #keep(response: Answer): void {
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line);
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', ...value] = pair.split('=');
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      const gone = attributes.some((one) => /^expires=.*1970|^max-age=0$/i.test(one));
      if (gone) this.#cookies.delete(`${name} ${path}`);
      else this.putCookie(name, value.join('='), path);
    }
  }

  /** One request; redirects are not followed. */
  async request(url: string | URL, init: RequestInit = {}): Promise<BrowserPage> {
    const to = new URL(url, this.#api.url);
    const cookies = [...this.#cookies.values()].filter(({ path }) => to.pathname.startsWith(path));
    const usual = { Accept: 'text/html', 'User-Agent': 'a browser of the tests', ...this.#headers };
    const headers = new Headers({ ...usual, ...(init.headers as object) });
    if (cookies.length > 0) headers.set('Cookie', cookies.map(({ name, value }) => `${name}=${value}`).join('; '));
    const response = await request(to, { ...init, headers });
    this.#keep(response);
    const text = await response.text();
    const location = response.headers.get('location');
    const target = location === null ? undefined : new URL(location, to);
    const redirectTarget = target && target.origin !== new URL(this.#api.url).origin ? target : undefined;
    const page = { url: to.href, status: response.status, headers: response.headers, text, forms: formsOf(text), redirectTarget };
    this.seen.push(page);
    return page;
  }

  /** Follows redirects up to a page, or out of the service. */
  async go(url: string | URL, init: RequestInit = {}): Promise<BrowserPage> {
    let page = await this.request(url, init);
    for (let hops = 0; hops < 10 && !page.redirectTarget && page.headers.has('location'); hops++)
      page = await this.request(new URL(page.headers.get('location')!, page.url));
    return page;
  }

  /** Sends a form like a browser, and follows redirects. */
  send(action: string | URL, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<BrowserPage> {
    const origin = new URL(this.#api.url).origin;
    return this.go(action, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin', ...headers },
    });
  }

  /** Submits the form of this step (or the first one) with these answers. */
  submit(page: BrowserPage, step: string | undefined, answers: Record<string, string> = {}): Promise<BrowserPage> {
    const form = step === undefined ? page.forms[0] : page.forms.find(({ fields }) => fields.step === step);
    assert.ok(form, `no form for ${step} in ${page.status} ${page.text}`);
    return this.send(new URL(form.action, page.url), { ...form.fields, ...answers });
  }

  /** Fills in forms until a redirect leaves the service, or the same form comes again. */
  async answerForms(
    start: BrowserPage,
    { name, password, domain = '', code, remember = false, consent = true }: SignInAnswers,
  ): Promise<BrowserPage> {
    const answers: Record<string, () => Record<string, string>> = {
      password: () => ({ name, password, domain }),
      code: () => ({ code: code?.() ?? '', ...(remember ? { remember: 'yes' } : {}) }),
      allow: () => ({}),
    };
    const asked = new Set<string>();
    let page = start;
    for (;;) {
      const step = stepOf(page);
      if (step === undefined || !answers[step] || asked.has(step)) return page;
      if (step === 'code' && !code) return page;
      asked.add(step);
      page = await this.submit(page, step === 'allow' && !consent ? 'cancel' : step, answers[step]());
    }
  }

  /** A whole sign-in: from the authorization request to the redirect back to the application. */
  async signIn(url: string | URL, answers: SignInAnswers): Promise<BrowserPage> {
    return this.answerForms(await this.go(url), answers);
  }
}

/** The step of the first form on the page. */
export const stepOf = (page: BrowserPage): string | undefined => page.forms[0]?.fields.step;

/** The URL of the redirect to the application. Fails with the content of the page if there is none. */
export function redirectTargetOf(page: BrowserPage): URL {
  assert.ok(page.redirectTarget, `still at ${page.url}: ${page.status} ${page.text}`);
  return page.redirectTarget;
}

/** The page says what was wrong with a form: once, and right behind the field that it is about. */
export function assertAtField({ text }: BrowserPage, field: string, message: string): void {
  const [, said] =
    new RegExp(`name="${field}"[^>]* aria-invalid="true"[^>]*>\\s*<p class="bad"[^>]* id="problem">([^<]*)</p>`).exec(text) ?? [];
  assert.equal(said, message, text);
  assert.equal(text.match(/role="alert"/g)?.length, 1);
}
