// The OpenID provider of the service. The library behind it is loaded with the first request that needs it: it takes a third of a
// second and 40 MB, which nobody should pay who only asks for tokens of the base API.

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { seconds } from '../../platform/clock.ts';
import { type Mount, outageOf, type RawExchange } from '../../platform/http/index.ts';
import type { Gate, Throttle } from '../../platform/limits/index.ts';
import { guardedFetch, type Outbound } from '../../platform/outbound/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { type Access, type FreshLogin, tagOf } from '../access/index.ts';
import type { Holdings } from '../app-roles/index.ts';
import { type Actor, theService } from '../audit/index.ts';
import type { Consumers, ConsumerValues } from '../consumers/index.ts';
import { fail } from '../faults.ts';
import type { Passwords } from '../passwords/index.ts';
import type { Deps } from '../resource/index.ts';
import type { Users } from '../users/index.ts';
import { createAccount } from './account/account.ts';
import { createKeyrockCodes } from './keyrock/codes.ts';
import { toTokenRequest } from './keyrock/token-request.ts';
import { browserOf, readForeignForm, redirect } from './pages/browser.ts';
import { LIBRARY_HEADERS } from './pages/layout.ts';
import { providerPages } from './pages/provider-pages.ts';
import { STYLE_PATH, style } from './pages/style.ts';
import type { AccessTokens } from './provider/access-tokens.ts';
import type { Accounts } from './provider/accounts.ts';
import { clientOf } from './provider/clients.ts';
import { configurationOf } from './provider/configuration/configuration.ts';
import { guarded } from './provider/guesses.ts';
import { createIntrospection } from './provider/introspection.ts';
import { createOpenidKeys, type Keyring } from './provider/keys.ts';
import type { Logouts } from './provider/logouts.ts';
import { OWN_CLIENT, ownClient, WALLET_CONSUMER, walletConsumer, walletLogout } from './provider/own-client.ts';
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
import type { Records } from './provider/records/records.ts';
import { createUnfinished } from './provider/unfinished.ts';
import { createInteractions } from './sign-in/interaction.ts';
import { registerPasswordGrant } from './sign-in/password-grant.ts';
import { createSignIn, type SignInDeps } from './sign-in/sign-in.ts';

export interface OpenidDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config' | 'log'>, Omit<SignInDeps, 'users'> {
  readonly access: Access;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly seal: Seal;
  readonly gate: Gate;
  readonly records: Records;
  readonly consumers: Consumers;
  readonly holdings: Holdings;
  readonly accounts: Accounts;
  readonly accessTokens: AccessTokens;
  readonly outbound: Outbound;
  /** The same, that may also go to this address: one that an operator chose. */
  outboundTo(address: string): Outbound;
  readonly logouts: Logouts;
  /** Makes a role of an application when it is missing. */
  ensureRole(actor: Actor, applicationId: string, name: string): Promise<void>;
  readonly freshLogin: FreshLogin;
  /** Counts what strangers make us keep, by address. */
  readonly unfinished: Throttle;
  organizationsOf(userId: string): Promise<readonly { readonly name: string }[]>;
  /** Where the service is, once it listens. */
  issuer(): string;
}

export interface WalletOptions {
  /** The role whose holders manage the node. */
  readonly adminRole?: string;
  /** Nobody said what its address is: other replicas may have others, and theirs stay. */
  readonly beside?: boolean;
}

interface Ready {
  readonly provider: Provider;
  readonly keys: Keyring;
}

/** The library calls everything it does not know an error of the server, and answers with the body it has set by now. */
function tellOutage(ctx: KoaContextWithOIDC, error: unknown): void {
  const outage = outageOf(error);
  if (!outage) return;
  ctx.status = outage.status;
  for (const [name, value] of Object.entries(outage.headers)) ctx.set(name, value as string);
  const body = ctx.body as { error?: unknown } | string | undefined;
  if (typeof body === 'object' && body.error === 'server_error')
    ctx.body = { error: 'temporarily_unavailable', error_description: outage.message };
}

/** People may be sent here by a form as well. They go on by the address: with a form of another site no cookie comes along. */
const POSTABLE: readonly string[] = [`${ROOT}/authorize`, `${ROOT}/logout`];
/** Anybody may keep these. */
const PUBLIC: readonly string[] = [DISCOVERY, METADATA, `${ROOT}/jwks`];

/** Applications that are told of a logout have nothing to say that is long, or takes long. */
const CALLS = { kind: 'openid', timeoutMs: 4000, maxBytes: 64 * 1024 };

/** What only our own account page uses is not offered to others. */
async function describeForAll(ctx: { body: unknown; oidc?: { route?: string } }, next: () => Promise<unknown>): Promise<void> {
  await next();
  if (ctx.oidc?.route !== 'discovery') return;
  const described = ctx.body as { response_types_supported: readonly string[] };
  ctx.body = { ...described, response_types_supported: described.response_types_supported.filter((type) => type !== 'none') };
}

/** A day is enough for every style to be fetched once. */
const STYLE_HEADERS = { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=86400' };

export function createOpenid(deps: OpenidDeps) {
  const { clock, records, consumers, config, users, access, gate, accounts, accessTokens } = deps;
  const keys = createOpenidKeys(deps);
  const signIn = createSignIn(deps);
  const interactions = createInteractions({
    signIn,
    users,
    records,
    consentSeconds: config.refreshTokenSeconds,
    now: () => clock.now(),
  });
  const account = createAccount(deps);
  let ready: Promise<Ready> | undefined;
  const call = guardedFetch(deps.outbound, CALLS);
  /** The wallet node beside this service, wherever it listens: replicas have one each, on the same database. */
  let wallet: { readonly url: string; readonly call: typeof call } | undefined;
  keys.onChange(() => {
    ready = undefined;
  });

  async function build(): Promise<Ready> {
    const [library, ring] = await Promise.all([import('oidc-provider'), keys.ring()]);
    const configuration = configurationOf(library, ring, {
      records,
      accounts,
      access,
      factor: deps.factor,
      unfinished: createUnfinished(library, deps.unfinished),
      pages: providerPages,
      lifetimes: config,
      fetch: (url, init) => (wallet && String(url) === wallet.url ? wallet.call : call)(url, init),
      isOwn: (id) => id === OWN_CLIENT || id === WALLET_CONSUMER,
      async client(id) {
        if (id === OWN_CLIENT) return ownClient(deps.issuer()) as never;
        const consumer = await consumers.findWithSecret(id);
        const here = id === WALLET_CONSUMER && wallet ? { backchannel_logout_uri: wallet.url } : {};
        return consumer && ({ ...clientOf(consumer), ...here } as never);
      },
    });
    const provider = new library.default(deps.issuer(), configuration);
    provider.use(describeForAll);
    registerPasswordGrant(provider, library, signIn, records);
    // Every address is made from the issuer, whatever a proxy or a client says the host is.
    provider.proxy = true;
    provider.on('backchannel.error', (_ctx, err, client, sub, sid) => {
      deps.log.warn({ err, client: client.clientId }, 'an application was not told of a logout; it will be tried again');
      deps
        .change(theService, async (inside) => {
          await deps.logouts.again(inside, client.clientId, sub, sid);
          inside.audit('logout.not_told', { kind: 'consumer', id: client.clientId });
        })
        .catch((error: unknown) => deps.log.error({ err: error }, 'a logout could not be written down'));
    });
    provider.on('server_error', (ctx, err) => {
      deps.log.error({ err }, 'openid provider failed');
      tellOutage(ctx, err);
    });
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
    const { provider, keys: ring } = await current();
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

  const mount: Mount = {
    paths: [DISCOVERY, METADATA, `${ROOT}/*`, ACCOUNT, KEYROCK_TOKEN],
    handle: (exchange) => records.during(() => handle(exchange)),
  };
  return {
    mount,
    provider: async () => (await current()).provider,
    keys,
    records,
    accessTokens,
    introspect: createIntrospection({ ...deps, accessTokens }),
    keyrockCodes: createKeyrockCodes({ ...deps, provider: async () => (await current()).provider }),

    /** The wallet node's registration. The secret goes from hand to hand in memory; it is not printed or written down. */
    async registerWallet(
      walletUrl: string,
      { adminRole, beside = false }: WalletOptions = {},
    ): Promise<{ clientId: string; clientSecret: string }> {
      const change = (held: ConsumerValues | undefined) => walletConsumer(walletUrl, beside ? held : undefined);
      const { id, plainSecret } = await consumers.ensure(theService, WALLET_CONSUMER, change);
      // Its address is the operator's choice, wherever it is. Nobody else's calls may go there.
      wallet = { url: walletLogout(walletUrl), call: guardedFetch(deps.outboundTo(walletUrl), CALLS) };
      if (adminRole) await deps.ensureRole(theService, id, adminRole);
      return { clientId: id, clientSecret: plainSecret };
    },

    /** One access token of a user, by the name it is listed under. */
    async revoke(actor: Actor, userId: string, id: string): Promise<void> {
      await deps.change(actor, async (inside) => {
        if (!(await records.destroyOf(inside, userId, 'AccessToken', id))) fail('access_token.not_found');
        inside.touch(tagOf.user(userId));
        inside.audit('access_token.revoked', { kind: 'user', id: userId });
      });
    },
  };
}

export type Openid = ReturnType<typeof createOpenid>;
