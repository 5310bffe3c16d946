// One request to the provider: which of its parts answers it.
import type { RawExchange } from '../../platform/http/index.ts';
import type { Gate } from '../../platform/limits/index.ts';
import type { Account } from './account/account.ts';
import { toTokenRequest } from './keyrock/token-request.ts';
import { browserOf, readForeignForm, redirect } from './pages/browser.ts';
import { LIBRARY_HEADERS } from './pages/layout.ts';
import { STYLE_PATH, style } from './pages/style.ts';
import { guarded } from './provider/guesses.ts';
import {
  ACCOUNT,
  checkMethod,
  DISCOVERY,
  isPreflight,
  KEYROCK_TOKEN,
  METADATA,
  ROOT,
  refuseRepeatedCode,
  withoutSlash,
} from './provider/paths.ts';
import type { Ready } from './provider/provider.ts';
import type { Interactions } from './sign-in/interaction.ts';

export interface RequestDeps {
  readonly gate: Gate;
  readonly interactions: Interactions;
  readonly account: Account;
  current(): Promise<Ready>;
  issuer(): string;
}

/** People may be sent here by a form as well. They go on by the address: with a form of another site no cookie comes along. */
const POSTABLE: readonly string[] = [`${ROOT}/authorize`, `${ROOT}/logout`];
/** Anybody may keep these. */
const PUBLIC: readonly string[] = [DISCOVERY, METADATA, `${ROOT}/jwks`];

/** A day is enough for every style to be fetched once. */
const STYLE_HEADERS = { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=86400' };

export async function handle(deps: RequestDeps, exchange: RawExchange): Promise<void> {
  const { gate, interactions, account } = deps;
  const { request, response } = exchange;
  const issuer = new URL(deps.issuer());
  request.url = withoutSlash(request.url ?? '/');
  request.headers.host = issuer.host;
  request.headers['x-forwarded-host'] = issuer.host;
  request.headers['x-forwarded-for'] = exchange.address;
  request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  const browser = browserOf(exchange, issuer.href);
  const methods = checkMethod(browser.path, browser.method);
  refuseRepeatedCode(request.url);
  if (browser.method === 'OPTIONS' && !isPreflight(request)) {
    response.writeHead(204, { Allow: methods.join(', ') }).end();
    return;
  }
  if (browser.path === STYLE_PATH) {
    response.writeHead(200, { ...STYLE_HEADERS, 'Content-Length': Buffer.byteLength(style) }).end(style);
    return;
  }
  const { provider, keys: ring } = await deps.current();
  if (browser.path === METADATA) request.url = DISCOVERY;
  if (browser.path === KEYROCK_TOKEN)
    return guarded(gate, exchange, browser.path, async () => provider.callback()(await toTokenRequest(request), response));
  if (browser.path.startsWith(`${ROOT}/interaction/`)) return interactions(provider, browser, ring.cookies);
  if (browser.path === ACCOUNT) return account(provider, browser, ring.cookies);
  if (browser.method === 'POST' && POSTABLE.includes(browser.path))
    return redirect(browser, `${browser.path}?${await readForeignForm(browser)}`);
  if (!PUBLIC.includes(browser.path))
    for (const [name, value] of Object.entries(LIBRARY_HEADERS)) response.setHeader(name, value);
  await guarded(gate, exchange, browser.path, () => provider.callback()(request, response));
}
