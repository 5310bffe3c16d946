// OpenID Connect Front-Channel Logout 1.0: when a person signs out in a browser, a page opens the logout address of each application of the
// session in a frame, so that it can drop its cookies there. The library only has the back channel, which also tells of all other ends of a
// session (logouts.ts). Nothing waits for an application: the page goes on after a few seconds (look/signed-out.js).
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Log } from '../../../platform/log/index.ts';
import { isOnOwnSite } from '../../applications/consumers/index.ts';
import { type Brand, html, lookOf, PAGE_HEADERS, page, SCRIPT_PAGE_POLICY } from '../../ground/look/index.ts';

export const FRONT_CHANNEL_URI = 'frontchannel_logout_uri';
export const FRONT_CHANNEL_SESSION = 'frontchannel_logout_session_required';

/** Where the person confirms that they sign out. */
export const SIGN_OUT_ROUTE = 'end_session_confirm';
/** More are not told: each is a page that the browser opens at the same time. */
const MAX_FRAMES = 30;
const SEE_OTHER = 303;
/** Its own cookies and scripts, and nothing that moves the person elsewhere. */
const SANDBOX = 'allow-same-origin allow-scripts';

interface FrontChannelClient {
  readonly clientId: string;
  readonly redirectUris?: readonly string[];
  readonly [FRONT_CHANNEL_URI]?: string;
  readonly [FRONT_CHANNEL_SESSION]?: boolean;
}

interface EndedSession {
  readonly destroyed?: boolean;
  readonly authorizations?: Readonly<Record<string, { readonly sid?: string }>>;
}

/** The address to open, with the session if the application is registered for that (3). */
function frameOf(client: FrontChannelClient, issuer: string, sid: string | undefined): string | undefined {
  const { [FRONT_CHANNEL_URI]: uri, [FRONT_CHANNEL_SESSION]: needsSession = false, redirectUris = [] } = client;
  // Its redirect addresses may have changed since.
  if (uri === undefined || !isOnOwnSite(uri, redirectUris)) return undefined;
  if (!needsSession) return uri;
  // Without a session id the application would end another session, or all of them.
  if (sid === undefined) return undefined;
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ iss: issuer, sid })}`;
}

async function framesOf(provider: Provider, { authorizations = {} }: EndedSession): Promise<string[]> {
  const frames: string[] = [];
  for (const [clientId, { sid }] of Object.entries(authorizations)) {
    if (frames.length === MAX_FRAMES) break;
    // It may have been deleted since.
    const client = (await provider.Client.find(clientId).catch(() => undefined)) as FrontChannelClient | undefined;
    const frame = client && frameOf(client, provider.issuer, sid);
    if (frame !== undefined) frames.push(frame);
  }
  return frames;
}

/** Only what is opened here may be opened. */
const policyFor = (frames: readonly string[]): string =>
  `${SCRIPT_PAGE_POLICY}; frame-src ${[...new Set(frames.map((frame) => new URL(frame).origin))].join(' ')}`;

/** Shows the page instead of the redirection that ends a sign-out. The session is over by then, whatever happens here. */
export const openLogoutFrames =
  ({ brand, log }: { brand(): Brand; readonly log: Log }) =>
  async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const { route, provider } = ctx.oidc ?? {};
    const session = ctx.oidc?.session as EndedSession | undefined;
    if (route !== SIGN_OUT_ROUTE || !session?.destroyed || ctx.status !== SEE_OTHER) return;
    const frames = await framesOf(provider, session).catch((error: unknown) => {
      log.error({ err: error }, 'could not find out which applications to tell of a logout');
      return [];
    });
    if (frames.length === 0) return;
    const look = lookOf(ctx.req, brand());
    const { words } = look;
    const opened = frames.map(
      (frame) => html`<iframe src="${frame}" sandbox="${SANDBOX}" referrerpolicy="no-referrer" hidden></iframe>`,
    );
    const body = html`<p role="status">${words.signingOutText}</p>
<p><a class="button" href="${ctx.response.get('Location')}" data-continue>${words.continueLabel}</a></p>${opened}`;
    for (const [name, value] of Object.entries(PAGE_HEADERS)) ctx.set(name, value);
    ctx.set('Content-Security-Policy', policyFor(frames));
    ctx.remove('Location');
    ctx.status = 200;
    ctx.body = page(look, { title: words.loggedOutTitle, body, script: 'signed-out', once: true });
  };

/** Its ID tokens name the session, so that it knows which one the frame is about. The library thinks of the back channel only. */
export function nameSessions({ Client }: Provider): void {
  const { prototype } = Client as unknown as { prototype: FrontChannelClient & { includeSid(): unknown } };
  const { includeSid } = prototype;
  prototype.includeSid = function () {
    return includeSid.call(this) || (this[FRONT_CHANNEL_URI] !== undefined && this[FRONT_CHANNEL_SESSION] === true);
  };
}
