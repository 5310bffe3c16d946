// Dispatches a request to the provider.
import type { ServerResponse } from 'node:http';
import type { RawExchange } from '../../../platform/http/index.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { StoredPicture } from '../../directory/pictures/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  type Assets,
  assetHeaders,
  browserRequestOf,
  chooseLanguage,
  LANGUAGE_PATH,
  LIBRARY_HEADERS,
  readCrossSiteForm,
  redirect,
  refuseCrossSite,
  sendPage,
} from '../../ground/look/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import {
  AUTHENTICATING_PATHS,
  type CheckedRequestDeps,
  ClientAuthenticationError,
  withCheckedAssertion,
} from '../../openid/client-authentication/index.ts';
import { namingAnonymousWallet, toTokenRequest } from '../../openid/keyrock/index.ts';
import {
  ACCOUNT,
  ACCOUNT_PAGES,
  CHALLENGE,
  CHANGE_PASSWORD,
  checkMethod,
  DISCOVERY,
  domainPictureIdIn,
  INVITATION,
  isAsset,
  isConsole,
  isPreflight,
  KEYROCK_TOKEN,
  logoIdIn,
  METADATA,
  NEW_EMAIL_PAGE,
  pictureIdIn,
  previewIn,
  ROOT,
  refuseRepeatedCode,
  webssoIn,
  withoutSlash,
} from '../../openid/paths/index.ts';
import { type ProviderWithKeys, withGuessLimit } from '../../openid/provider/index.ts';
import { type AccountHandler, serveInitiatedSignIn } from '../account/index.ts';
import type { ConsoleHandler } from '../console/index.ts';
import type { InvitationHandler } from '../invitation/index.ts';
import type { NewEmailPage, PeoplePages } from '../people/index.ts';
import {
  expiredPage,
  handleProviderRequest,
  type Interactions,
  type ProviderRequestDeps,
  type WalletRequestsDeps,
  walletRequestAt,
} from '../sign-in/index.ts';
import type { WebssoHandler } from '../websso/index.ts';
import type { PreviewPages } from './previews.ts';

export interface RequestDeps extends WalletRequestsDeps, CheckedRequestDeps, ProviderRequestDeps {
  readonly log: Pick<Log, 'info'>;
  readonly gate: Gate;
  readonly federation: Federation;
  readonly interactions: Interactions;
  readonly account: AccountHandler;
  readonly console: ConsoleHandler;
  readonly websso: WebssoHandler;
  picture(id: string): Promise<StoredPicture | undefined>;
  logo(id: string): Promise<StoredPicture | undefined>;
  domainPicture(id: string): Promise<StoredPicture | undefined>;
  readonly preview: PreviewPages;
  readonly people: PeoplePages;
  readonly newEmail: NewEmailPage;
  readonly invitation: InvitationHandler;
  current(): Promise<ProviderWithKeys>;
  readonly assets: Assets;
  issuer(): string;
  readonly walletProviders: Pick<WalletProviders, 'isKnown'>;
}

/** Other providers: where browsers return from them, where sign-ins begin that are begun there, where they send logout tokens, and what they read of us. */
const PROVIDER = /^\/openid\/providers\/([\w.~-]{1,64})\/(callback|login|logout|jwks|requests)(?:\/([\w-]{43}))?$/;

/** These also accept a form. The browser is redirected to the same path with a query: cookies are not sent with a form of another site. */
const POSTABLE: readonly string[] = [`${ROOT}/authorize`, `${ROOT}/logout`];
/** Forms that the library reads. It has a token in each; this is asked before. */
const OWN_FORMS: readonly string[] = [`${ROOT}/logout/confirm`, `${ROOT}/device`];
const TOKEN = `${ROOT}/token`;
/** Cacheable by anyone. */
const PUBLIC: readonly string[] = [DISCOVERY, METADATA, `${ROOT}/jwks`];

/** A picture is nothing but an image, whatever its bytes also are. Its path changes with its content, so its id is also its ETag. */
function sendPicture({ request, response }: RawExchange, id: string, picture: StoredPicture | undefined): void {
  const { mediaType, content } = picture ?? fail('route.not_found');
  const etag = `"${id}"`;
  const caching = { ETag: etag, 'Cache-Control': 'public, max-age=31536000, immutable' };
  if (request.headers['if-none-match']?.includes(etag)) {
    response.writeHead(304, caching).end();
    return;
  }
  response
    .writeHead(200, {
      ...caching,
      'Content-Type': mediaType,
      'Content-Length': content.byteLength,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
    })
    .end(content);
}

/** As the library refuses a client: why is for the log only (RFC 6749, 5.2). */
function refuseClient({ log }: RequestDeps, response: ServerResponse, { message: reason }: ClientAuthenticationError): void {
  log.info({ reason }, 'the assertion of an application was refused');
  response
    .writeHead(401, { ...LIBRARY_HEADERS, 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ error: 'invalid_client', error_description: 'client authentication failed' }));
}

/** The endpoints of the library at which clients authenticate. */
async function serveClient(
  deps: RequestDeps,
  { provider, answerUsual }: ProviderWithKeys,
  { request: received, response, address }: RawExchange,
  path: string,
): Promise<void> {
  const request = path === TOKEN ? await answerUsual(received, response) : received;
  if (!request) return;
  const named =
    path === KEYROCK_TOKEN ? await toTokenRequest(request) : path === TOKEN ? await namingAnonymousWallet(request) : request;
  try {
    const checked = await withCheckedAssertion(deps, named, { path, address });
    await provider.callback()(checked, response);
  } catch (error) {
    if (!(error instanceof ClientAuthenticationError)) throw error;
    refuseClient(deps, response, error);
  }
}

export async function handleRequest(deps: RequestDeps, exchange: RawExchange): Promise<void> {
  const { gate, interactions, account, invitation, people, assets } = deps;
  const { request, response } = exchange;
  const issuer = new URL(deps.issuer());
  request.url = withoutSlash(request.url ?? '/');
  request.headers.host = issuer.host;
  request.headers['x-forwarded-host'] = issuer.host;
  request.headers['x-forwarded-for'] = exchange.address;
  request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  const browser = browserRequestOf(exchange, issuer.href, assets.brand);
  const methods = checkMethod(browser.path, browser.method);
  if (browser.path === CHALLENGE && !deps.walletProviders.isKnown) fail('route.not_found');
  refuseRepeatedCode(request.url);
  const websso = webssoIn(browser.path);
  if (browser.method === 'OPTIONS' && (websso || !isPreflight(request))) {
    response.writeHead(websso ? 200 : 204, { Allow: methods.join(', ') }).end();
    return;
  }
  if (isAsset(browser.path)) {
    const asset = assets.at(browser.path) ?? fail('route.not_found');
    response.writeHead(200, assetHeaders(browser.path, asset)).end(asset.bytes);
    return;
  }
  const preview = previewIn(browser.path);
  if (preview) return deps.preview(browser, preview);
  const pictureId = pictureIdIn(browser.path);
  if (pictureId !== undefined) return sendPicture(exchange, pictureId, await deps.picture(pictureId));
  const logoId = logoIdIn(browser.path);
  if (logoId !== undefined) return sendPicture(exchange, logoId, await deps.logo(logoId));
  const domainPictureId = domainPictureIdIn(browser.path);
  if (domainPictureId !== undefined) return sendPicture(exchange, domainPictureId, await deps.domainPicture(domainPictureId));
  if (browser.path === LANGUAGE_PATH) return chooseLanguage(browser);
  if (browser.path === CHANGE_PASSWORD) return redirect(browser, `${ACCOUNT_PAGES.security}#password`);
  if (isConsole(browser.path)) return deps.console(browser, deps.current);
  if (websso) return deps.websso(browser, websso, deps.current);
  if (people.has(browser.path)) return people.serve(browser);
  const returned = PROVIDER.exec(browser.path);
  if (returned?.[2] === 'login') return serveInitiatedSignIn(deps, browser, returned[1]!);
  if (returned) return handleProviderRequest(deps, browser, { id: returned[1]!, what: returned[2]!, reference: returned[3] });
  const ofWallet = walletRequestAt(browser.path);
  if (ofWallet) return ofWallet(deps, browser);
  const current = await deps.current();
  const { provider, keys } = current;
  if (browser.path === METADATA) request.url = DISCOVERY;
  if (browser.path === KEYROCK_TOKEN)
    return withGuessLimit(gate, exchange, browser.path, () => serveClient(deps, current, exchange, browser.path));
  if (browser.path === NEW_EMAIL_PAGE) return deps.newEmail(provider, browser, keys.cookies);
  if (browser.path.startsWith(`${ROOT}/interaction/`)) return interactions(provider, browser, keys.cookies);
  if (browser.path === ACCOUNT || browser.path.startsWith(`${ACCOUNT}/`)) return account(provider, browser, keys.cookies);
  if (browser.path === INVITATION) return invitation(provider, browser, keys.cookies);
  if (browser.method === 'POST' && POSTABLE.includes(browser.path))
    return redirect(browser, `${browser.path}?${await readCrossSiteForm(browser)}`);
  if (browser.method === 'POST' && OWN_FORMS.includes(browser.path)) {
    refuseCrossSite(browser);
    const session = await provider.Session.get({ req: request, res: response, secure: browser.secure } as never);
    // The form is of a session that is over. The library fails then, or has nothing to say.
    if (session.exp === undefined) return sendPage(browser, expiredPage(browser.look), 400);
  }
  if (!PUBLIC.includes(browser.path))
    for (const [name, value] of Object.entries(LIBRARY_HEADERS)) response.setHeader(name, value);
  const ofClient = browser.method === 'POST' && AUTHENTICATING_PATHS.includes(browser.path);
  await withGuessLimit(gate, exchange, browser.path, () =>
    ofClient ? serveClient(deps, current, exchange, browser.path) : provider.callback()(request, response),
  );
}
