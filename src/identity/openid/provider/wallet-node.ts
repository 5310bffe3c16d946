// The wallet node beside this service, wherever it listens: replicas have one each, on the same database.
import { guardedFetch, type Outbound } from '../../../platform/outbound/index.ts';
import { type Actor, serviceActor } from '../../audit/index.ts';
import type { Consumers, ConsumerValues } from '../../consumers/index.ts';
import { WALLET_CONSUMER, walletConsumer, walletLogout } from './own-client.ts';

export interface WalletNodeDeps {
  readonly consumers: Consumers;
  readonly outbound: Outbound;
  /** The same, that may also go to this address: one that an operator chose. */
  outboundTo(address: string): Outbound;
  /** Makes a role of an application when it is missing. */
  ensureRole(actor: Actor, applicationId: string, name: string): Promise<void>;
}

export interface WalletOptions {
  /** The role whose holders manage the node. */
  readonly adminRole?: string;
  /** Nobody said what its address is: other replicas may have others, and theirs stay. */
  readonly beside?: boolean;
}

/** Applications that are told of a logout have nothing to say that is long, or takes long. */
const CALLS = { kind: 'openid', timeoutMs: 4000, maxBytes: 64 * 1024 };

export function createWalletNode({ consumers, outbound, outboundTo, ensureRole }: WalletNodeDeps) {
  const call = guardedFetch(outbound, CALLS);
  let node: { readonly url: string; readonly call: typeof call } | undefined;

  return {
    /** Where it hears of logouts, when it is there. */
    logoutUri: (): string | undefined => node?.url,
    /** The way out to all applications, this one among them. */
    fetch: (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
      (node && String(url) === node.url ? node.call : call)(url, init),

    /** The wallet node's registration. The secret goes from hand to hand in memory; it is not printed or written down. */
    async register(
      walletUrl: string,
      { adminRole, beside = false }: WalletOptions = {},
    ): Promise<{ clientId: string; clientSecret: string }> {
      const change = (held: ConsumerValues | undefined) => walletConsumer(walletUrl, beside ? held : undefined);
      const { id, plainSecret } = await consumers.ensure(serviceActor, WALLET_CONSUMER, change);
      // Its address is the operator's choice, wherever it is. Nobody else's calls may go there.
      node = { url: walletLogout(walletUrl), call: guardedFetch(outboundTo(walletUrl), CALLS) };
      if (adminRole) await ensureRole(serviceActor, id, adminRole);
      return { clientId: id, clientSecret: plainSecret };
    },
  };
}

export type WalletNode = ReturnType<typeof createWalletNode>;
