// The OpenID provider of the service. The library behind it is loaded with the first request that needs it: it takes a third of a
// second and 40 MB, which nobody should pay who only asks for tokens of the base API.
import type { Provider } from 'oidc-provider';
import { seconds } from '../../platform/clock.ts';
import type { Mount, RawExchange } from '../../platform/http/index.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Holdings } from '../app-roles/index.ts';
import type { Consumers } from '../consumers/index.ts';
import type { Deps } from '../deps.ts';
import { createAccounts } from './accounts.ts';
import { browserOf } from './browser.ts';
import { clientOf } from './clients.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { createInteractions } from './interaction.ts';
import { createOpenidKeys, type Keyring } from './keys.ts';
import { providerPages } from './pages/provider-pages.ts';
import { STYLE_PATH, style } from './pages/style.ts';
import { configurationOf, DISCOVERY, ROOT } from './provider.ts';
import type { Records } from './records.ts';
import { createSignIn, type SignInDeps } from './sign-in.ts';

export interface OpenidDeps
  extends Pick<Deps, 'db' | 'clock' | 'change' | 'access' | 'users' | 'config' | 'log'>,
    Omit<SignInDeps, 'users'> {
  readonly seal: Seal;
  readonly records: Records;
  readonly consumers: Consumers;
  readonly holdings: Holdings;
  readonly outbound: Outbound;
  /** Where the service is, once it listens. */
  issuer(): string;
}

interface Ready {
  readonly provider: Provider;
  readonly keys: Keyring;
}

/** A day is enough for every style to be fetched once. */
const STYLE_HEADERS = { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=86400' };

export function createOpenid(deps: OpenidDeps) {
  const { clock, records, consumers, config, users, access } = deps;
  const keys = createOpenidKeys(deps);
  const accounts = createAccounts(deps);
  const interactions = createInteractions({ signIn: createSignIn(deps), users, now: () => clock.now() });
  let ready: Promise<Ready> | undefined;
  keys.onChange(() => {
    ready = undefined;
  });

  async function build(): Promise<Ready> {
    const [library, ring] = await Promise.all([import('oidc-provider'), keys.ring()]);
    const configuration = configurationOf(library, ring, {
      records,
      accounts,
      access,
      pages: providerPages,
      lifetimes: config,
      fetch: guardedFetch(deps.outbound),
      isOwn: () => false,
      async client(id) {
        const consumer = await consumers.findWithSecret(id);
        return consumer && (clientOf(consumer) as never);
      },
    });
    const provider = new library.default(deps.issuer(), configuration);
    // Every address is made from the issuer, whatever a proxy or a client says the host is.
    provider.proxy = true;
    provider.on('server_error', (_ctx, err) => deps.log.error({ err }, 'openid provider failed'));
    return { provider, keys: ring };
  }

  async function current(): Promise<Ready> {
    ready ??= build().catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    const made = await ready;
    const { changesAt } = made.keys;
    if (changesAt === null || seconds(clock) < changesAt) return made;
    // A key that was announced begins to sign.
    ready = undefined;
    return current();
  }

  async function handle(exchange: RawExchange): Promise<void> {
    const { request, response } = exchange;
    const issuer = new URL(deps.issuer());
    request.headers.host = issuer.host;
    request.headers['x-forwarded-host'] = issuer.host;
    request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
    const browser = browserOf(exchange, issuer.href);
    if (browser.path === STYLE_PATH) {
      response.writeHead(200, { ...STYLE_HEADERS, 'Content-Length': Buffer.byteLength(style) }).end(style);
      return;
    }
    const { provider, keys: ring } = await current();
    if (browser.path.startsWith(`${ROOT}/interaction/`)) return interactions(provider, browser, ring.cookies);
    await provider.callback()(request, response);
  }

  const mount: Mount = { paths: [DISCOVERY, `${ROOT}/*`], handle };
  return { mount, keys, records };
}

export type Openid = ReturnType<typeof createOpenid>;
