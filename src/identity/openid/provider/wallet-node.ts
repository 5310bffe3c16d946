// The wallet node that runs with this service. Each replica has one, on the same database.
import { isOfThisMachine } from '../../../platform/http/index.ts';
import { guardedFetch, type Outbound } from '../../../platform/outbound/index.ts';
import type { Consumers, ConsumerValues } from '../../applications/consumers/index.ts';
import { type Actor, serviceActor } from '../../ground/audit/index.ts';
import { WALLET_CONSUMER, walletConsumer, walletLogoutUri } from '../first-party-clients/index.ts';

export interface WalletNodeDeps {
  readonly consumers: Consumers;
  readonly outbound: Outbound;
  /** A client that may also call this address, which the operator configured. */
  outboundTo(address: string): Outbound;
  /** Creates a role of an application if it is missing. */
  ensureRole(actor: Actor, applicationId: string, name: string): Promise<void>;
  /** The address of this service. */
  issuer(): string;
}

export interface WalletRegistrationOptions {
  /** The role that allows managing the node. */
  readonly adminRole?: string;
  /** Keep registered addresses: without a configured address, each replica has its own. */
  readonly keepOtherAddresses?: boolean;
  /** Other names of this machine, at which programs may log in. */
  readonly otherNames?: readonly string[];
}

/** For back-channel logout calls, which have short and quick replies. */
const CALL_LIMITS = { kind: 'openid', timeoutMs: 4000, maxBytes: 64 * 1024 };

export function createWalletNode({ consumers, outbound, outboundTo, ensureRole, issuer }: WalletNodeDeps) {
  const call = guardedFetch(outbound, CALL_LIMITS);
  let node: { readonly address: string; readonly url: string; readonly call: typeof call } | undefined;

  return {
    /** The address of the node, once it is registered. It is its client id where it receives credentials. */
    address: (): string | undefined => node?.address,
    /**
     * Where people open it. Undefined if it is known by a name of this machine only, as it is without a configured address, and the service is
     * for others, too: the link would lead to whatever runs on the machine of the reader.
     */
    pageAddress: (): string | undefined =>
      node && (isOfThisMachine(issuer()) || !isOfThisMachine(node.address)) ? node.address : undefined,
    /** The logout URI, once the node is registered. */
    logoutUri: (): string | undefined => node?.url,
    /** The HTTP client for all applications, including the wallet node. */
    fetch: (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
      (node && String(url) === node.url ? node.call : call)(url, init),

    /** Registers the wallet node. The secret is passed in memory; it is not logged or written to a file. */
    async register(
      walletUrl: string,
      { adminRole, keepOtherAddresses = false, otherNames = [] }: WalletRegistrationOptions = {},
    ): Promise<{ clientId: string; clientSecret: string }> {
      const change = (registered: ConsumerValues | undefined) =>
        walletConsumer([...otherNames, walletUrl], keepOtherAddresses ? registered : undefined);
      const { id, plainSecret } = await consumers.ensure(serviceActor, WALLET_CONSUMER, change);
      // The operator configured its address, so it may be internal. Calls of other applications may not go there.
      node = { address: walletUrl, url: walletLogoutUri(walletUrl), call: guardedFetch(outboundTo(walletUrl), CALL_LIMITS) };
      if (adminRole) await ensureRole(serviceActor, id, adminRole);
      return { clientId: id, clientSecret: plainSecret };
    },
  };
}

export type WalletNode = ReturnType<typeof createWalletNode>;
