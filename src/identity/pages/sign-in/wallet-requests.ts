// Requests of wallets, and of the browsers that they open: the signed request, the answer to it, and the way back.
import { type RawExchange, readBody } from '../../../platform/http/index.ts';
import { fail } from '../../ground/faults.ts';
import { type BrowserRequest, redirect, refuseCrossSite, sendPage } from '../../ground/look/index.ts';
import { WalletAnswerError, type WalletSignIn } from '../../login/wallet-sign-in/index.ts';
import { expiredPage } from './sign-in-pages.ts';
import { walletDeniedPage, walletDevicePage } from './wallet-pages.ts';

/** Encrypted, with a chain of certificates and disclosures. */
const MAX_ANSWER = 512 * 1024;
/** A nonce, and what the wallet can do. */
const MAX_QUESTION = 64 * 1024;
const NONCE = /^[\x21-\x7e]{1,256}$/;
const NO_STORE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

export interface WalletRequestsDeps {
  readonly walletSignIn: WalletSignIn;
  issuer(): string;
}

/** What a wallet may send when it asks for the request by POST (OID4VP 1.0, 5.10). Its metadata decide nothing here. */
async function walletNonceIn({ request }: RawExchange): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) fail('request.media_type');
  const nonces = new URLSearchParams((await readBody(request, MAX_QUESTION)).toString('utf8')).getAll('wallet_nonce');
  const [nonce] = nonces;
  if (nonces.length > 1 || (nonce !== undefined && !NONCE.test(nonce)))
    fail('request.invalid_field', { field: 'wallet_nonce', why: 'must be one text of at most 256 characters' });
  return nonce;
}

async function sendRequest(
  { walletSignIn: { requests } }: WalletRequestsDeps,
  { exchange, method }: BrowserRequest,
  id: string,
): Promise<void> {
  const nonce = method === 'POST' ? await walletNonceIn(exchange) : undefined;
  const jwt = (await (nonce === undefined ? requests.find(id) : requests.findFor(id, nonce))) ?? fail('route.not_found');
  const type = { 'Content-Type': 'application/oauth-authz-req+jwt', 'Content-Length': Buffer.byteLength(jwt) };
  exchange.response.writeHead(200, { ...NO_STORE, ...type }).end(jwt);
}

function sendJson({ exchange }: BrowserRequest, status: number, value: object): void {
  const body = JSON.stringify(value);
  const type = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  exchange.response.writeHead(status, { ...NO_STORE, ...type }).end(body);
}

/** Wallets are programs: whoever has the address of the request may answer it, from anywhere. */
async function receiveAnswer({ walletSignIn }: WalletRequestsDeps, browser: BrowserRequest, id: string): Promise<void> {
  const { request } = browser.exchange;
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) fail('request.media_type');
  const form = new URLSearchParams((await readBody(request, MAX_ANSWER)).toString('utf8'));
  try {
    const { redirectUri } = await walletSignIn.answers.receive(id, form);
    sendJson(browser, 200, redirectUri === undefined ? {} : { redirect_uri: redirectUri });
  } catch (error) {
    if (!(error instanceof WalletAnswerError)) throw error;
    sendJson(browser, 400, { error: 'invalid_request', error_description: error.message });
  }
}

/**
 * The address that a wallet opens. On the same device the browser goes on to the interaction, where its cookie shows that it is the
 * one that began: in any other browser this leads nowhere. On another device it shows the number to be typed.
 */
async function openResponse(deps: WalletRequestsDeps, browser: BrowserRequest, code: string): Promise<void> {
  const { answers } = deps.walletSignIn;
  if (browser.method === 'POST') {
    refuseCrossSite(browser);
    await answers.forget(code);
    return sendPage(browser, walletDeniedPage(browser.look));
  }
  const opened = await answers.open(code);
  if (!opened) return sendPage(browser, expiredPage(browser.look), 400);
  const { request } = opened;
  if (opened.code === undefined) return redirect(browser, `/openid/interaction/${request.interaction}?wallet=${code}`);
  const { application, userAgent, address } = request;
  const about = { action: browser.path, code: opened.code, site: new URL(deps.issuer()).host, application, userAgent, address };
  sendPage(browser, walletDevicePage(browser.look, about));
}

const REQUEST = /^\/openid\/wallet\/requests\/([\w-]{22})(\/answer)?$/;
const RESPONSE = /^\/openid\/wallet\/answers\/([\w-]{43})$/;

/** Undefined when the path is another one. */
export function walletRequestAt(
  path: string,
): ((deps: WalletRequestsDeps, browser: BrowserRequest) => Promise<void>) | undefined {
  const [, id, answer] = REQUEST.exec(path) ?? [];
  if (id !== undefined) return (deps, browser) => (answer ? receiveAnswer : sendRequest)(deps, browser, id);
  const [, code] = RESPONSE.exec(path) ?? [];
  return code === undefined ? undefined : (deps, browser) => openResponse(deps, browser, code);
}
