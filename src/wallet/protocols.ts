// Issuance and presentation, put together when the first offer or request comes: their libraries are large, and a node that
// only keeps keys and documents never needs them.
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/index.ts';
import { createExceptions, type Outbound } from '../platform/outbound/index.ts';
import type { Seal } from '../platform/seal/index.ts';
import type { RunChange } from './access/index.ts';
import { type Credentials, createKeeping } from './credentials/index.ts';
import type { Database } from './database.ts';
import type { Dids } from './dids/index.ts';
import type { Exchanges } from './exchanges/index.ts';
import { createFormats, listVerifier } from './formats/index.ts';
import { loadIssuance } from './issuance/index.ts';
import type { Keys } from './keys/index.ts';
import { loadPresentations, type RegisteredVerifiers } from './presentation/index.ts';
import { createCallbacks } from './protocols/index.ts';
import { createResolver } from './resolver/index.ts';
import type { WalletConfig } from './settings.ts';
import { createStatus } from './status/index.ts';
import { createAnchors, createTrust, type TrustPolicy } from './trust/index.ts';

export interface ProtocolOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
  readonly change: RunChange;
  readonly outbound: Outbound;
  readonly outboundAllow: readonly string[];
  readonly keys: Keys;
  readonly dids: Dids;
  readonly credentials: Credentials;
  readonly exchanges: Exchanges;
  readonly config: WalletConfig;
  readonly verifiers: RegisteredVerifiers;
  publicUrl(): string;
}

export async function createProtocols(options: ProtocolOptions) {
  const { db, clock, log, seal, change, outbound, keys, dids, exchanges, config, publicUrl } = options;
  const policy: TrustPolicy = { mode: config.issuerTrust, dids: config.trustedDids };
  const resolver = createResolver({ outbound, clock, insecureHosts: options.outboundAllow });
  const isExcepted = createExceptions(options.outboundAllow);
  const isDevelopment = options.outboundAllow.length > 0;
  // Whoever may issue credentials may not ask for them by that alone, and the other way round.
  const issuerAnchors = createAnchors(config.issuerTrustAnchors ?? config.trustAnchors, log);
  const verifierAnchors = createAnchors(config.verifierTrustAnchors ?? config.trustAnchors, log);
  const trust = createTrust({ outbound, resolver, anchors: issuerAnchors, clock, policy, isDevelopment });
  // Verifiers prove who they are; whether they may ask is the person's to say.
  const verifierTrust = createTrust({
    outbound,
    resolver,
    anchors: verifierAnchors,
    clock,
    policy: { mode: 'any', dids: [] },
    isDevelopment,
  });
  const formats = createFormats({ trust, clock });
  const status = createStatus({ outbound, trust, clock, verifyList: listVerifier(formats) });
  const keeping = createKeeping({ db, clock, seal, keys, status, change });

  const { createClients, createHoldings, createIssuance } = await loadIssuance();
  const callbacks = createCallbacks({ outbound, trust, kind: 'issuer' });
  const clients = await createClients(
    callbacks,
    () => ({
      clientId: config.clientId ?? publicUrl(),
      redirectUri: `${publicUrl()}/api/v1/wallet/oid4vci/callback`,
    }),
    (url) => url.protocol === 'https:' || (url.protocol === 'http:' && isExcepted(url)),
  );
  const holdings = createHoldings({ keys, dids });
  const issuance = createIssuance({
    clock,
    change,
    exchanges,
    credentials: options.credentials,
    keeping,
    formats,
    holdings,
    clients,
  });

  const { createPresentations, createMatching } = await loadPresentations();
  const presentations = createPresentations({
    clock,
    change,
    outbound,
    exchanges,
    keeping,
    formats,
    matching: createMatching({ keeping }),
    trust: verifierTrust,
    callbacks: createCallbacks({ outbound, trust: verifierTrust, kind: 'verifier' })(),
    rules: {
      allowUnauthenticated: config.unauthenticatedVerifiers,
      attesters: config.trustedDids,
      registered: options.verifiers,
      requirePreview: config.requirePreview,
      transactionDataTypes: config.transactionDataTypes,
    },
  });
  return { issuance, presentations, keeping };
}

export type Protocols = Awaited<ReturnType<typeof createProtocols>>;
