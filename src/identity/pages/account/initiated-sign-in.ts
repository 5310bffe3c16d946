// Sign-ins that begin at another provider, or at a portal of it (OpenID Connect Core 1.0, 4): it sends the browser here, and from here begins the
// usual sign-in at this provider. Nobody is signed in by the request itself: what the provider answers is bound to a state that this browser gets
// now, and who has a session here keeps it.
import { type BrowserRequest, html, page, readCrossSiteForm, redirect, sendPage } from '../../ground/look/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import { ACCOUNT, ACCOUNT_PAGES } from '../../openid/paths/index.ts';
import { IDP_HINT } from '../../openid/provider/index.ts';
import { redirectToSignIn } from './signed-in-person.ts';

const PARAMETERS = ['iss', 'login_hint', 'target_link_uri'];
const MAX_HINT = 255;

export interface InitiatedSignInDeps {
  readonly federation: { readonly flows: Pick<Federation['flows'], 'acceptsInitiated'> };
  issuer(): string;
}

/** Only pages of our own: whatever else was asked for, the person gets to their account. */
function pathOf(issuer: string, target: string | null): string {
  const own = Object.values(ACCOUNT_PAGES).find((path) => `${issuer}${path}` === target);
  return own ?? ACCOUNT;
}

/** The same answer for a provider that does not exist, one that begins no sign-ins, and another issuer. */
const refuse = (browser: BrowserRequest): void => {
  const { words } = browser.look;
  sendPage(browser, page(browser.look, { title: words.errorTitle, body: html`<p>${words.errorText}</p>` }), 400);
};

export async function serveInitiatedSignIn(
  { federation, issuer }: InitiatedSignInDeps,
  browser: BrowserRequest,
  providerId: string,
): Promise<void> {
  // A form of another site comes without cookies.
  if (browser.method === 'POST') return redirect(browser, `${browser.path}?${await readCrossSiteForm(browser)}`);
  const query = new URLSearchParams(browser.exchange.request.url?.split('?', 2)[1]);
  const isClear = PARAMETERS.every((name) => query.getAll(name).length <= 1);
  const iss = query.get('iss');
  if (!isClear || iss === null || !(await federation.flows.acceptsInitiated(providerId, iss))) return refuse(browser);
  const hint = query.get('login_hint') ?? '';
  redirectToSignIn(issuer(), browser, pathOf(issuer(), query.get('target_link_uri')), {
    [IDP_HINT]: providerId,
    ...(hint === '' || hint.length > MAX_HINT ? {} : { login_hint: hint }),
  });
}
