// Requests from other providers: a browser that returns from one, and a logout token.
import { Fault } from '../../../platform/faults/index.ts';
import { type BrowserRequest, readCrossSiteForm, redirect, sendPage } from '../../ground/look/index.ts';
import { attemptOf, type Federation, interactionOf } from '../../login/federation/index.ts';
import { CONSOLE_TRIED_PROVIDER } from '../../openid/paths/index.ts';
import { expiredPage } from './sign-in-pages.ts';

/**
 * Passes the answer on to the interaction that it belongs to. The cookie of the interaction is sent there only, so that this is
 * where it is found out whether it is the same browser. `providerId` is from the address, which each provider has for itself: an answer of
 * one provider does not count as that of another.
 */
function passOn(browser: BrowserRequest, providerId: string): void {
  const query = new URLSearchParams(browser.exchange.request.url?.split('?', 2)[1]);
  const state = query.getAll('state').length === 1 ? query.get('state')! : '';
  query.set('provider', providerId);
  // The page asks who is there: only the administrator who tries it can use the answer.
  if (attemptOf(state) !== undefined) {
    redirect(browser, `${CONSOLE_TRIED_PROVIDER}?${query}`);
    return;
  }
  const uid = interactionOf(state);
  if (uid === undefined) sendPage(browser, expiredPage(browser.look), 400);
  else redirect(browser, `/openid/interaction/${uid}?${query}`);
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

export async function handleProviderRequest(
  deps: { readonly federation: Federation },
  browser: BrowserRequest,
  providerId: string,
  what: string,
): Promise<void> {
  if (what === 'logout') return logOut(deps, browser, providerId);
  passOn(browser, providerId);
}
