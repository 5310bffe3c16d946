// Other OpenID providers that people sign in through: their configuration here, and what a browser does there.
import assert from 'node:assert/strict';
import { assertOk } from './answers.ts';
import { type TestApi, uniqueName } from './api.ts';
import { send } from './http.ts';
import { PlainProvider } from './plain-provider.ts';
import type { AuthorizationRequest, RelyingParty, TokenSet } from './relying-party.ts';
import { type BrowserPage, redirectTargetOf, TestBrowser } from './test-browser.ts';

export const ROOT = '/v3/OS-FEDERATION';

/** People get the name and the address that the provider gives them. */
export const RULES: readonly object[] = [
  {
    local: [{ user: { name: '{0}', email: '{1}' } }],
    remote: [{ type: 'preferred_username' }, { type: 'email' }],
  },
];

export interface Connection {
  readonly id: string;
  readonly mappingId: string;
}

export interface ConnectionOptions {
  readonly id?: string;
  readonly domainId?: string;
  readonly rules?: readonly object[];
  readonly version?: string;
  /** Changed OpenID settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Configures a provider as an administrator does. */
export async function connectProvider(
  api: TestApi,
  { issuer, clientId, clientSecret }: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string },
  { id = uniqueName('idp'), domainId = 'default', rules = RULES, version = '2.0', settings = {} }: ConnectionOptions = {},
): Promise<Connection> {
  const provider = `${ROOT}/identity_providers/${id}`;
  assertOk(await api.put(`${ROOT}/mappings/${id}`, { mapping: { rules, schema_version: version } }), 201);
  assertOk(await api.put(provider, { identity_provider: { domain_id: domainId, enabled: true } }), 201);
  assertOk(await api.put(`${provider}/protocols/openid`, { protocol: { mapping_id: id } }), 201);
  const openid = { issuer, client_id: clientId, client_secret: clientSecret, button_name: id, ...settings };
  assertOk(await api.put(`${provider}/openid`, { openid }));
  return { id, mappingId: id };
}

/** A provider in a process of its own, which knows the address of this connection. */
export const providerFor = (id: string, settings: object = {}): Promise<PlainProvider> =>
  new PlainProvider({ redirectUri: `http://127.0.0.1/openid/providers/${id}/callback`, ...settings }).start();

/** A browser at the provider: signs in as `sub`, and returns the address it is sent back to. */
export async function signInAt(provider: Pick<PlainProvider, 'issuer'>, start: URL, sub: string | undefined): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  url.searchParams.delete('login_hint');
  if (sub !== undefined) url.searchParams.set('login_hint', sub);
  for (let hops = 0; hops < 10; hops++) {
    const headers = { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const response = await send(url, { headers });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', ...value] = line.split(';', 1)[0]!.split('=');
      cookies.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    assert.ok(location, `the provider shows a page: ${response.status} ${await response.text()}`);
    url = new URL(location, url);
    if (url.origin !== provider.issuer) return url;
  }
  return assert.fail('the provider redirects endlessly');
}

/** The form of a provider's button. */
export function buttonOf(page: BrowserPage, id: string): Record<string, string> {
  const form = page.forms.find(({ fields }) => fields.step === 'provider' && fields.provider === id);
  assert.ok(form, `no button for ${id} in ${page.text}`);
  return { action: new URL(form.action, page.url).href, ...form.fields };
}

/** A person at an application who signs in through a provider. */
export class Traveller {
  readonly browser: TestBrowser;
  readonly #api: TestApi;
  readonly #application: RelyingParty;
  readonly #provider: PlainProvider;
  readonly #id: string;

  constructor(api: TestApi, application: RelyingParty, provider: PlainProvider, id: string) {
    this.#api = api;
    this.#application = application;
    this.#provider = provider;
    this.#id = id;
    this.browser = new TestBrowser(api);
  }

  /** From the application to the provider. */
  async depart(more: Record<string, string> = {}): Promise<{ request: AuthorizationRequest; url: URL }> {
    const request = await this.#application.ask(more);
    const { action, ...fields } = buttonOf(await this.browser.go(request.url), this.#id);
    return { request, url: redirectTargetOf(await this.browser.send(action!, fields)) };
  }

  /** To the provider and back, up to the next page or the application. */
  async travel(sub: string, more: Record<string, string> = {}): Promise<{ request: AuthorizationRequest; page: BrowserPage }> {
    const { request, url } = await this.depart(more);
    const page = await this.browser.go(await signInAt(this.#provider, url, sub));
    return { request, page };
  }

  /** The tokens after the last page; consents on the way. */
  async arrive(request: AuthorizationRequest, page: BrowserPage): Promise<TokenSet> {
    const last = page.redirectTarget ? page : await this.browser.submit(page, 'allow');
    return this.#application.redeem(last, request.checks);
  }

  /** A whole sign-in of somebody who is known or whose address is trusted; `choose`: what the others press. */
  async signIn(sub: string, choose?: 'provider-new', more: Record<string, string> = {}): Promise<TokenSet> {
    const { request, page } = await this.travel(sub, more);
    return this.arrive(request, choose ? await this.browser.submit(page, choose) : page);
  }

  async userOf(tokens: TokenSet): Promise<Record<string, unknown>> {
    return assertOk(await this.#api.get(`/v3/users/${tokens.claims()!.sub}`)).user;
  }
}
