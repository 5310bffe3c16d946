// The metrics of the wallet node: what they are called, and where their values are. docs/metrics.md is made from them.
import { type AuditExports, auditExportMetrics, registerAuditExports } from '../platform/audit-export/index.ts';
import { type Clock, seconds } from '../platform/clock.ts';
import {
  createTurns,
  databaseMetrics,
  type LabelledValues,
  type MetricDefinition,
  type MetricDefinitions,
  type Metrics,
  registerDatabase,
} from '../platform/metrics/index.ts';
import type { Database } from './ground/database.ts';
import type { WalletConfig } from './ground/settings.ts';

const EXCHANGE = {
  protocol: '`oid4vci` (receiving) or `oid4vp` (showing)',
  outcome: 'how it ended, such as `issued`, `presented`, `failed`, `cancelled`',
};
const OUTBOUND = {
  kind: 'what it was for',
  outcome: '`ok` (any answer), `blocked` (an address that may not be called), `timeout`, `failed`',
};
const LOGIN_OUTCOMES =
  '`good`, `refused` (by the provider), `unfitting` (not begun in this browser, or too old), `unavailable` (the provider), `error`';

export const walletMetrics = {
  ...databaseMetrics('wallet'),
  ...auditExportMetrics('wallet'),
  logins: {
    name: 'wallet_logins_total',
    type: 'counter',
    help: 'Logins through the OpenID provider that came back',
    labels: { outcome: LOGIN_OUTCOMES },
  },
  sessions: { name: 'wallet_sessions_active', type: 'gauge', help: 'Sessions that have not ended', aggregation: 'max' },
  keys: { name: 'wallet_keys', type: 'gauge', help: 'Keys', labels: { state: 'of the key' }, aggregation: 'max' },
  dids: { name: 'wallet_dids', type: 'gauge', help: 'DIDs', labels: { state: 'of the DID' }, aggregation: 'max' },
  credentials: {
    name: 'wallet_credentials',
    type: 'gauge',
    help: 'Stored credentials',
    labels: { format: 'of the credential' },
    aggregation: 'max',
  },
  exchanges: {
    name: 'wallet_exchanges_total',
    type: 'counter',
    help: 'Exchanges that ended',
    labels: EXCHANGE,
  } as MetricDefinition<keyof typeof EXCHANGE>,
  outbound: {
    name: 'wallet_outbound_requests_total',
    type: 'counter',
    help: 'Calls to other services: issuers, verifiers, the provider, documents and lists',
    labels: OUTBOUND,
  } as MetricDefinition<keyof typeof OUTBOUND>,
  sweepLag: {
    name: 'wallet_sweep_lag_seconds',
    type: 'gauge',
    help: 'Time since the task last ran to its end, which it does every 30 seconds',
    labels: { task: '`maintenance` (keys, expired rows), `exchanges` (those that wait for an issuer)' },
    aggregation: 'max',
  },
  nodeKeyAge: {
    name: 'wallet_node_key_age_seconds',
    type: 'gauge',
    help: 'Age of the key of the node itself',
    aggregation: 'max',
  },
  anchors: {
    name: 'wallet_trust_anchor_not_after_timestamp_seconds',
    type: 'gauge',
    help: 'When the first of the trusted certificates expires. Only with files of trust anchors',
    labels: { anchors: '`issuer`, `verifier`' },
    aggregation: 'min',
  },
} as const satisfies MetricDefinitions;

type Counts = () => Promise<LabelledValues>;

export interface WalletCounts {
  readonly db: Database;
  readonly auditExports: AuditExports;
  readonly clock: Clock;
  readonly config: Pick<WalletConfig, 'trustAnchors' | 'issuerTrustAnchors' | 'verifierTrustAnchors'>;
  readonly keys: { readonly countByState: Counts; nodeKeyCreatedAt(): Promise<number | undefined> };
  readonly dids: { readonly countByState: Counts };
  readonly credentials: { readonly countByFormat: Counts };
  readonly sessions: { countActive(): Promise<number> };
  readonly logins: { readonly counts: LabelledValues };
  sweepLags(): LabelledValues;
}

/** When the first certificate of each file expires. */
async function anchorEnds({ config }: WalletCounts): Promise<LabelledValues> {
  const { trustAnchors, issuerTrustAnchors = trustAnchors, verifierTrustAnchors = trustAnchors } = config;
  const files = Object.entries({ issuer: issuerTrustAnchors, verifier: verifierTrustAnchors });
  // Loaded with the first scrape that needs it: most nodes have no such files.
  const { readAnchors } = await import('../verifiable/trust/index.ts');
  return Object.fromEntries(
    files.flatMap(([name, file]): [string, number][] => {
      const ends = file === undefined ? [] : readAnchors(file).map(({ validToDate }) => validToDate.getTime() / 1000);
      return ends.length > 0 ? [[name, Math.min(...ends)]] : [];
    }),
  );
}

export function registerWallet(metrics: Metrics, counts: WalletCounts): void {
  const { db, clock, config, keys, dids, credentials, sessions, logins } = counts;
  registerDatabase(metrics, walletMetrics, db);
  const inTurn = createTurns();
  registerAuditExports(metrics, walletMetrics, counts.auditExports, inTurn);
  metrics.totals(walletMetrics.logins, () => logins.counts);
  metrics.gauge(walletMetrics.sessions, inTurn(sessions.countActive));
  metrics.labelled(walletMetrics.keys, inTurn(keys.countByState));
  metrics.labelled(walletMetrics.dids, inTurn(dids.countByState));
  metrics.labelled(walletMetrics.credentials, inTurn(credentials.countByFormat));
  metrics.labelled(walletMetrics.sweepLag, counts.sweepLags);
  const nodeKeyCreatedAt = inTurn(keys.nodeKeyCreatedAt);
  metrics.gauge(walletMetrics.nodeKeyAge, async () => {
    const at = await nodeKeyCreatedAt();
    return at === undefined ? undefined : Math.max(0, seconds(clock) - at);
  });
  if (config.trustAnchors ?? config.issuerTrustAnchors ?? config.verifierTrustAnchors)
    metrics.labelled(walletMetrics.anchors, () => anchorEnds(counts));
}
