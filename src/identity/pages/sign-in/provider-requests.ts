// Requests from other providers: a browser that returns from one, with an answer in its address or as a form, and a logout token.
import { Fault } from '../../../platform/faults/index.ts';
import { fail } from '../../ground/faults.ts';
import { type BrowserRequest, readCrossSiteForm, redirect, sendPage } from '../../ground/look/index.ts';
import { attemptOf, type Federation, interactionOf, type ProviderFlow } from '../../login/federation/index.ts';
import { CONSOLE_TRIED_PROVIDER } from '../../openid/paths/index.ts';
import type { Records } from '../../openid/records/index.ts';
import { expiredPage } from './sign-in-pages.ts';

export interface ProviderRequestDeps {
  readonly federation: Federation;
  readonly records: Pick<Records, 'find'>;
}

/** Where the answers with a state are dealt with: a sign-in that somebody tries, or one that is going on. */
function placeOf(state: string): string | undefined {
  // The page asks who is there: only the administrator who tries it can use the answer.
  if (attemptOf(state) !== undefined) return CONSOLE_TRIED_PROVIDER;
  const uid = interactionOf(state);
  return uid === undefined ? undefined : `/openid/interaction/${uid}`;
}

const stateIn = (parameters: URLSearchParams): string =>
  parameters.getAll('state').length === 1 ? parameters.get('state')! : '';

/** Whether a sign-in with this state has begun and is not finished. Whose it is cannot be known: the form brings no cookie. */
async function isAwaited({ federation, records }: ProviderRequestDeps, providerId: string, state: string): Promise<boolean> {
  if (!(await federation.flows.isPosted(providerId))) return false;
  const attempt = attemptOf(state);
  if (attempt !== undefined) return federation.attempts.isAwaited(attempt, providerId);
  const uid = interactionOf(state);
  // As it is stored: the library finds it for its own browser only.
  const interaction = uid === undefined ? undefined : await records.find('Interaction', uid);
  const { provider } = (interaction?.lastSubmission ?? {}) as { readonly provider?: { readonly flow?: ProviderFlow } };
  return federation.flows.isAnswerTo(provider?.flow, providerId, state);
}

/**
 * A form of the provider's page. Browsers send no cookies with it, so it is put aside, and the browser goes on by GET with a reference to it. Only what
 * somebody waits for is put aside, and of that the first, so that nobody fills our tables.
 */
async function takeForm(deps: ProviderRequestDeps, browser: BrowserRequest, providerId: string): Promise<void> {
  const form = await readCrossSiteForm(browser);
  const state = stateIn(form);
  const place = placeOf(state);
  if (place === undefined || !(await isAwaited(deps, providerId, state)))
    return sendPage(browser, expiredPage(browser.look), 400);
  const answer = await deps.federation.messages.keep(providerId, state, form);
  // Sent twice: the first one counts.
  if (answer === undefined) return sendPage(browser, expiredPage(browser.look), 400);
  const query = new URLSearchParams({ provider: providerId, answer });
  // By its state the page of the console finds who waits.
  if (attemptOf(state) !== undefined) query.set('state', state);
  redirect(browser, `${place}?${query}`);
}

/**
 * Passes the answer on to the interaction that it belongs to. The cookie of the interaction is sent there only, so that this is
 * where it is found out whether it is the same browser. `providerId` is from the address, which each provider has for itself: an answer of
 * one provider does not count as that of another.
 */
function passOn(browser: BrowserRequest, providerId: string): void {
  const query = new URLSearchParams(browser.exchange.request.url?.split('?', 2)[1]);
  const place = placeOf(stateIn(query));
  query.set('provider', providerId);
  // A reference is made by us only.
  query.delete('answer');
  if (place === undefined) sendPage(browser, expiredPage(browser.look), 400);
  else redirect(browser, `${place}?${query}`);
}

/** Answers as OpenID Connect Back-Channel Logout 1.0, 2.8 says. */
async function logOut({ federation }: { federation: Federation }, browser: BrowserRequest, providerId: string): Promise<void> {
  const { response, address, signal } = browser.exchange;
  const headers = { 'Cache-Control': 'no-store' };
  try {
    const token = (await readCrossSiteForm(browser)).get('logout_token') ?? '';
    await federation.sessions.logOut({ address, signal }, providerId, token);
    response.writeHead(200, { ...headers, 'Content-Length': 0 }).end();
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 400) throw error;
    const body = JSON.stringify({ error: 'invalid_request', error_description: error.message });
    const type = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(400, { ...headers, ...type }).end(body);
  }
}

const text = (browser: BrowserRequest, type: string, caching: string, body: string): void => {
  const length = Buffer.byteLength(body);
  browser.exchange.response
    .writeHead(200, {
      'Content-Type': type,
      'Content-Length': length,
      'Cache-Control': caching,
      'X-Content-Type-Options': 'nosniff',
    })
    .end(body);
};

/** What the provider verifies our signatures with. It does not tell whether there is such a provider. */
async function sendKeys({ federation }: ProviderRequestDeps, browser: BrowserRequest, providerId: string): Promise<void> {
  text(browser, 'application/jwk-set+json', 'public, max-age=60', JSON.stringify(await federation.keys.published(providerId)));
}

/** A request object, for whoever knows its address: the browser carries it to the provider. */
async function sendRequest(
  { federation }: ProviderRequestDeps,
  browser: BrowserRequest,
  providerId: string,
  reference: string,
): Promise<void> {
  const object = (await federation.messages.published(providerId, reference)) ?? fail('route.not_found');
  text(browser, 'application/oauth-authz-req+jwt', 'no-store', object);
}

export async function handleProviderRequest(
  deps: ProviderRequestDeps,
  browser: BrowserRequest,
  { id: providerId, what, reference }: { readonly id: string; readonly what: string; readonly reference: string | undefined },
): Promise<void> {
  if (what === 'jwks') return sendKeys(deps, browser, providerId);
  if (what === 'requests') return sendRequest(deps, browser, providerId, reference ?? '');
  if (what === 'logout') return logOut(deps, browser, providerId);
  if (browser.method === 'POST') return takeForm(deps, browser, providerId);
  passOn(browser, providerId);
}
