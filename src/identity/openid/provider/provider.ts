// The library's provider: made with the first request that needs it, and anew when the keys change.
import type { AdapterPayload, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { seconds } from '../../../platform/clock.ts';
import { outageOf } from '../../../platform/http/index.ts';
import type { Throttle } from '../../../platform/limits/index.ts';
import type { Access } from '../../access/index.ts';
import { serviceActor } from '../../audit/index.ts';
import type { Consumers } from '../../consumers/index.ts';
import type { Deps } from '../../resource/index.ts';
import type { Factor } from '../../two-factor/index.ts';
import { providerPages } from '../pages/provider-pages.ts';
import type { Accounts } from './accounts.ts';
import { clientOf } from './clients.ts';
import { configurationOf } from './configuration/configuration.ts';
import type { Keyring, OpenidKeys } from './keys.ts';
import type { Logouts } from './logouts.ts';
import { OWN_CLIENT, ownClient, WALLET_CONSUMER } from './own-client.ts';
import type { Records } from './records/records.ts';
import { createUnfinished } from './unfinished.ts';
import type { WalletNode } from './wallet-node.ts';

type Library = typeof import('oidc-provider');

export interface CurrentProviderDeps extends Pick<Deps, 'clock' | 'change' | 'config' | 'log'> {
  readonly records: Records;
  readonly accounts: Accounts;
  readonly access: Access;
  readonly factor: Factor;
  readonly consumers: Consumers;
  readonly logouts: Logouts;
  /** Counts what strangers make us keep, by address. */
  readonly unfinished: Throttle;
  readonly keys: OpenidKeys;
  readonly wallet: WalletNode;
  issuer(): string;
  /** Grants the library does not have. */
  registerGrants(provider: Provider, library: Library): void;
}

export interface Ready {
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

/** What only our own account page uses is not offered to others. */
async function describeForAll(ctx: { body: unknown; oidc?: { route?: string } }, next: () => Promise<unknown>): Promise<void> {
  await next();
  if (ctx.oidc?.route !== 'discovery') return;
  const documentation = ctx.body as { response_types_supported: readonly string[] };
  ctx.body = {
    ...documentation,
    response_types_supported: documentation.response_types_supported.filter((type) => type !== 'none'),
  };
}

/** Ours, or a consumer as it is registered now. */
async function findClient({ consumers, wallet, issuer }: CurrentProviderDeps, id: string): Promise<AdapterPayload | undefined> {
  if (id === OWN_CLIENT) return ownClient(issuer()) as AdapterPayload;
  const consumer = await consumers.findWithSecret(id);
  const uri = id === WALLET_CONSUMER ? wallet.logoutUri() : undefined;
  return consumer && ({ ...clientOf(consumer), ...(uri === undefined ? {} : { backchannel_logout_uri: uri }) } as AdapterPayload);
}

/** What the library could not do for itself. */
function listen({ log, change, logouts }: CurrentProviderDeps, provider: Provider): void {
  provider.on('backchannel.error', (_ctx, err, client, sub, sid) => {
    log.warn({ err, client: client.clientId }, 'an application was not told of a logout; it will be tried again');
    change(serviceActor, async (transaction) => {
      await logouts.again(transaction, client.clientId, sub, sid);
      transaction.audit('logout.not_told', { kind: 'consumer', id: client.clientId });
    }).catch((error: unknown) => log.error({ err: error }, 'a logout could not be written down'));
  });
  provider.on('server_error', (ctx, err) => {
    log.error({ err }, 'openid provider failed');
    tellOutage(ctx, err);
  });
}

async function build(deps: CurrentProviderDeps): Promise<Ready> {
  const { records, accounts, access, factor, wallet } = deps;
  const [library, keys] = await Promise.all([import('oidc-provider'), deps.keys.ring()]);
  const configuration = configurationOf(library, keys, {
    records,
    accounts,
    access,
    factor,
    unfinished: createUnfinished(library, deps.unfinished),
    pages: providerPages,
    lifetimes: deps.config,
    fetch: wallet.fetch,
    isOwn: (id) => id === OWN_CLIENT || id === WALLET_CONSUMER,
    client: (id) => findClient(deps, id),
  });
  const provider = new library.default(deps.issuer(), configuration);
  provider.use(describeForAll);
  deps.registerGrants(provider, library);
  // Every address is made from the issuer, whatever a proxy or a client says the host is.
  provider.proxy = true;
  listen(deps, provider);
  return { provider, keys };
}

/** The provider with the keys of this moment. */
export function createCurrentProvider(deps: CurrentProviderDeps): () => Promise<Ready> {
  let ready: Promise<Ready> | undefined;
  deps.keys.onChange(() => {
    ready = undefined;
  });
  return async function current(): Promise<Ready> {
    ready ??= build(deps).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    const made = await ready;
    const { changesAt } = made.keys;
    if (changesAt === null || seconds(deps.clock) < changesAt) return made;
    // A key that was announced begins to sign.
    ready = undefined;
    return current();
  };
}
