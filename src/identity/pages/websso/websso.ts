// Web single sign-on of OpenStack's dashboard, Horizon: it sends people here to sign in, and a form of ours brings their token back. The token
// is made from the session of the browser and ends with it, so every way to sign in works, and so do its limits.
import { fail } from '../../ground/faults.ts';
import { type BrowserRequest, redirect, SCRIPT_PAGE_POLICY, sendPage } from '../../ground/look/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { OPENID } from '../../login/federation/index.ts';
import { WEBSSO_SIGNED_IN, type WebssoTarget } from '../../openid/paths/index.ts';
import { IDP_HINT, type ProviderWithKeys } from '../../openid/provider/index.ts';
import {
  findSignedInPerson,
  lookFor,
  redirectToSignIn,
  type SignedInPerson,
  type SignedInPersonDeps,
  type TokenOfSessionDeps,
  tokenOfSession,
} from '../account/index.ts';
import { dashboardPage, notSignedInPage } from '../sign-in/index.ts';

export interface WebssoDeps extends SignedInPersonDeps, TokenOfSessionDeps, Pick<Deps, 'change' | 'config'> {
  issuer(): string;
}

/** The dashboard that is asked for. A sign-in returns it as `state`. */
function dashboardOf({ trustedDashboards }: Deps['config'], query: URLSearchParams): URL {
  const [asked, another] = [...query.getAll('origin'), ...query.getAll('state')];
  if (asked === undefined || another !== undefined)
    fail('request.malformed_url', { why: 'it must name the dashboard in origin, once' });
  const { href } = URL.parse(asked) ?? fail('websso.untrusted_dashboard');
  const trusted = trustedDashboards.map((one) => new URL(one)).find((one) => one.href === href);
  return trusted ?? fail('websso.untrusted_dashboard');
}

async function checkTarget({ federation }: WebssoDeps, { providerId, protocolId }: WebssoTarget): Promise<void> {
  if (protocolId !== OPENID) fail('protocol.not_found', { id: protocolId });
  if (providerId !== undefined && !(await federation.flows.isUsable(providerId)))
    fail('identity_provider.not_found', { id: providerId });
}

/** Other requests are none of a person who goes to the dashboard. Older browsers do not say what a request is for. */
function requireNavigation({ exchange: { request } }: BrowserRequest): void {
  const { 'sec-fetch-dest': destination = 'document', 'sec-purpose': purpose } = request.headers;
  if (destination !== 'document' || purpose !== undefined)
    fail('auth.forbidden', { action: 'dashboard' }, { reason: 'no navigation of a person' });
}

/** The page that brings the token to the dashboard. False when the session does not give one any more. */
async function sendToken(
  deps: WebssoDeps,
  { provider }: ProviderWithKeys,
  browser: BrowserRequest,
  person: SignedInPerson,
  dashboard: URL,
): Promise<boolean> {
  const { user, session, actor } = person;
  const token = await tokenOfSession(deps, provider, browser, person);
  if (!token) return false;
  const detail = { dashboard: dashboard.origin, session_id: deps.records.hashOfSession(session.uid) };
  await deps.change(actor, async ({ audit }) => audit('session.dashboard_entered', { kind: 'user', id: user.id }, detail));
  const page = dashboardPage(await lookFor(deps, browser.look, user), { dashboard, token: token.text });
  const policy = `${SCRIPT_PAGE_POLICY}; form-action ${dashboard.origin}`;
  sendPage(browser, page, 200, { 'Content-Security-Policy': policy });
  return true;
}

export function createWebssoHandler(deps: WebssoDeps) {
  return async function serve(
    browser: BrowserRequest,
    target: WebssoTarget,
    current: () => Promise<ProviderWithKeys>,
  ): Promise<void> {
    const [, search = ''] = (browser.exchange.request.url ?? '').split('?', 2);
    const query = new URLSearchParams(search);
    const dashboard = dashboardOf(deps.config, query);
    await checkTarget(deps, target);
    // Browsers send no session with a form of another site.
    if (browser.method === 'POST') return redirect(browser, `${browser.path}?${search}`);
    requireNavigation(browser);
    const provider = await current();
    const person = await findSignedInPerson(deps, provider.provider, browser, provider.keys.cookies);
    if (person && browser.method === 'GET' && (await sendToken(deps, provider, browser, person, dashboard))) return;
    // Whoever left the sign-in is not sent there again: that would be without end.
    if (query.has('error')) {
      const again = new URLSearchParams({ origin: dashboard.href });
      return sendPage(browser, notSignedInPage(browser.look, `${browser.path}?${again}`));
    }
    redirectToSignIn(deps.issuer(), browser, WEBSSO_SIGNED_IN, {
      state: dashboard.href,
      ...(target.providerId === undefined ? {} : { [IDP_HINT]: target.providerId }),
      // Their session is not enough. Whoever asks for the headers only (HEAD) was not asked for one.
      ...(person && browser.method === 'GET' ? { prompt: 'login' } : {}),
    });
  };
}

export type WebssoHandler = ReturnType<typeof createWebssoHandler>;
