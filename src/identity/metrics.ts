// The metrics of the identity service: what they are called, and where their values are. docs/metrics.md is made from them.
import { type AuditExports, auditExportMetrics, registerAuditExports } from '../platform/audit-export/index.ts';
import { type Clock, seconds } from '../platform/clock.ts';
import {
  createTurns,
  databaseMetrics,
  type Histogram,
  type InTurn,
  type LabelledValues,
  type MetricDefinition,
  type MetricDefinitions,
  type Metrics,
  registerDatabase,
  registerStandbys,
  standbyMetrics,
} from '../platform/metrics/index.ts';
import { REFUSAL_WORDS } from './directory/logins/index.ts';
import type { Database, Reader } from './ground/database/index.ts';

const METHODS =
  'how: `password`, `totp`, `passkey`, `mapped` (another provider), `oauth2`, `application_credential`, `oauth1`, `token`; several are joined by `+`';
const QUEUE = {
  queue:
    '`web_hook`, `mail`, `logout` (notices to applications), `sign_in_request` (people to find, and applications to tell of an answer: CIBA)',
};
const OUTBOUND = {
  kind: 'what it was for',
  outcome: '`ok` (any answer), `blocked` (an address that may not be called), `timeout`, `failed`',
};
const GRANT = { grant: 'the type of the grant, such as `authorization_code` or `refresh_token`' };

export const identityMetrics = {
  ...databaseMetrics('gatehouse'),
  ...standbyMetrics('gatehouse'),
  ...auditExportMetrics('gatehouse'),
  logins: {
    name: 'gatehouse_logins_total',
    type: 'counter',
    help: 'Logins of people and programs, at the API and at the sign-in page',
    labels: { method: METHODS },
  },
  loginsRefused: {
    name: 'gatehouse_logins_refused_total',
    type: 'counter',
    help: 'Refused logins, and wrong passwords where one is asked for again',
    labels: { reason: REFUSAL_WORDS.map((word) => `\`${word}\``).join(', ') },
  },
  lockouts: {
    name: 'gatehouse_lockouts_total',
    type: 'counter',
    help: 'Accounts that were locked after too many wrong passwords',
  },
  tokensIssued: {
    name: 'gatehouse_tokens_issued_total',
    type: 'counter',
    help: 'Tokens of the base API that were issued',
    labels: { method: METHODS },
  },
  tokensVerified: {
    name: 'gatehouse_tokens_verified_total',
    type: 'counter',
    help: 'Tokens of the base API that were verified: those of callers, and those that callers ask about',
    labels: { outcome: '`valid`, `keystone` (valid, and issued by a Keystone), `invalid` (unknown, expired or revoked)' },
  },
  tokensRevoked: {
    name: 'gatehouse_tokens_revoked_total',
    type: 'counter',
    help: 'Tokens that were revoked one by one, and browser sessions that ended with all their tokens',
    labels: { kind: '`token`, `session`' },
  },
  revokedTokens: {
    name: 'gatehouse_revoked_tokens',
    type: 'gauge',
    help: 'Tokens revoked one by one that have not expired',
    // Every worker has all of them.
    aggregation: 'max',
  },
  grants: { name: 'gatehouse_openid_grants_total', type: 'counter', help: 'Tokens given to applications', labels: GRANT },
  grantsRefused: {
    name: 'gatehouse_openid_grants_refused_total',
    type: 'counter',
    help: 'Applications that were refused tokens',
    labels: GRANT,
  },
  passwordHashes: { name: 'gatehouse_password_hashes_total', type: 'counter', help: 'Hashes of passwords that were begun' },
  importedHashes: {
    name: 'gatehouse_imported_hashes',
    type: 'gauge',
    help: 'People whose password still has the hash of the system that they came from',
    aggregation: 'max',
  },
  passwordQueue: { name: 'gatehouse_password_queue', type: 'gauge', help: 'Logins that wait for a free core' },
  passwordQueueWait: {
    name: 'gatehouse_password_queue_wait_seconds',
    type: 'histogram',
    help: 'How long hashes of passwords waited before they began',
  },
  passwordQueueRefused: {
    name: 'gatehouse_password_queue_refused_total',
    type: 'counter',
    help: 'Logins refused with 503 because too many waited',
  },
  memoryAdapter: {
    name: 'gatehouse_memory_adapter_requests_total',
    type: 'counter',
    help: 'Requests answered past the web framework',
    labels: { outcome: '`hits`: at once from memory; `misses`: after a read' },
  },
  outboxWaiting: {
    name: 'gatehouse_outbox_waiting',
    type: 'gauge',
    help: 'Messages that wait to be sent',
    labels: QUEUE,
    aggregation: 'max',
  },
  outboxAge: {
    name: 'gatehouse_outbox_age_seconds',
    type: 'gauge',
    help: 'Age of the oldest message that waits to be sent; 0 if none does',
    labels: QUEUE,
    aggregation: 'max',
  },
  outboxFailed: {
    name: 'gatehouse_outbox_failed',
    type: 'gauge',
    help: 'Messages that were given up, and not yet deleted',
    labels: QUEUE,
    aggregation: 'max',
  },
  mails: {
    name: 'gatehouse_mails_total',
    type: 'counter',
    help: 'Attempts to send a mail',
    labels: { outcome: '`sent`, `refused` (for good), `failed` (for now)' },
  },
  mailsWaiting: { name: 'gatehouse_mails_waiting', type: 'gauge', help: 'Mails that wait to be sent', aggregation: 'max' },
  outbound: {
    name: 'gatehouse_outbound_requests_total',
    type: 'counter',
    help: 'Calls to other services: the web hook, other providers, applications',
    labels: OUTBOUND,
  } as MetricDefinition<keyof typeof OUTBOUND>,
  sweepLag: {
    name: 'gatehouse_sweep_lag_seconds',
    type: 'gauge',
    help: 'Time since expired rows were last swept, which happens every minute',
    // So that a worker whose sweeps fail is visible.
    aggregation: 'max',
  },
  keyAge: {
    name: 'gatehouse_key_age_seconds',
    type: 'gauge',
    help: 'Age of the newest key in use',
    labels: {
      key: '`token` (tokens of the base API), `openid` (signatures of the OpenID provider), `issuer` (signatures of credentials)',
    },
    aggregation: 'max',
  },
} as const satisfies MetricDefinitions;

interface KeyList {
  list(): Promise<readonly { readonly activeFrom: number }[]>;
}

interface QueueState {
  readonly waiting: number;
  /** When the oldest that waits was stored (seconds). */
  readonly oldest: number | null;
  readonly failed: number;
}

/** Where the values are. Each is a plain number of its module. */
export interface IdentityCounts {
  readonly db: Database;
  readonly auditExports: AuditExports;
  readonly clock: Clock;
  readonly logins: { readonly counts: { readonly good: LabelledValues; readonly refused: LabelledValues } };
  readonly tokens: { readonly counts: { readonly verified: object; readonly issued: LabelledValues } };
  readonly revocations: { readonly size: number; readonly counts: object };
  readonly passwords: {
    readonly hashed: number;
    readonly waiting: number;
    readonly lockouts: number;
    countImported(reader: Reader): Promise<number>;
    readonly queue: { readonly waits: Histogram; readonly refused: number };
  };
  readonly administration: { readonly deliveries: { states(): Promise<Readonly<Record<'web_hook' | 'mail', QueueState>>> } };
  readonly mail: { counts(): LabelledValues; waiting(): Promise<number> };
  readonly logouts: { waiting(): Promise<Omit<QueueState, 'failed'>> };
  readonly signInRequests: { taskState(): Promise<QueueState> };
  readonly grants: { readonly good: LabelledValues; readonly refused: LabelledValues };
  readonly keys: { readonly token: KeyList; readonly openid: KeyList; readonly issuer: KeyList };
  fromMemory(): object;
  sweepLagSeconds(): number | undefined;
}

/** The age of the newest key in use; nothing if there is none yet. */
async function keyAges({ keys, clock }: IdentityCounts): Promise<LabelledValues> {
  const now = seconds(clock);
  const ages: [string, number][] = [];
  for (const [name, { list }] of Object.entries(keys)) {
    const active = (await list()).map(({ activeFrom }) => activeFrom).filter((at) => at <= now);
    if (active.length > 0) ages.push([name, now - Math.max(...active)]);
  }
  return Object.fromEntries(ages);
}

function registerQueues(metrics: Metrics, counts: IdentityCounts, inTurn: InTurn): void {
  const { administration, clock, logouts, mail, signInRequests } = counts;
  const states = inTurn(async () => ({
    ...(await administration.deliveries.states()),
    logout: { failed: 0, ...(await logouts.waiting()) },
    sign_in_request: await signInRequests.taskState(),
  }));
  type State = Awaited<ReturnType<typeof states>>['mail'];
  const each = (value: (state: State) => number) => async (): Promise<LabelledValues> =>
    Object.fromEntries(Object.entries(await states()).map(([queue, state]) => [queue, value(state)]));
  metrics.labelled(
    identityMetrics.outboxWaiting,
    each(({ waiting }) => waiting),
  );
  metrics.labelled(
    identityMetrics.outboxFailed,
    each(({ failed }) => failed),
  );
  metrics.labelled(
    identityMetrics.outboxAge,
    each(({ oldest }) => (oldest === null ? 0 : Math.max(0, seconds(clock) - oldest))),
  );
  metrics.totals(identityMetrics.mails, mail.counts);
  metrics.gauge(identityMetrics.mailsWaiting, inTurn(mail.waiting));
}

export function registerIdentity(metrics: Metrics, counts: IdentityCounts): void {
  const { db, logins, tokens, revocations, passwords, grants } = counts;
  registerDatabase(metrics, identityMetrics, db);
  registerStandbys(metrics, identityMetrics, db);
  const inTurn = createTurns();
  registerAuditExports(metrics, identityMetrics, counts.auditExports, inTurn);
  metrics.totals(identityMetrics.logins, () => logins.counts.good);
  metrics.totals(identityMetrics.loginsRefused, () => logins.counts.refused);
  metrics.total(identityMetrics.lockouts, () => passwords.lockouts);
  metrics.totals(identityMetrics.tokensIssued, () => tokens.counts.issued);
  metrics.totals(identityMetrics.tokensVerified, () => ({ ...tokens.counts.verified }));
  metrics.totals(identityMetrics.tokensRevoked, () => ({ ...revocations.counts }));
  metrics.gauge(identityMetrics.revokedTokens, () => revocations.size);
  metrics.totals(identityMetrics.grants, () => grants.good);
  metrics.totals(identityMetrics.grantsRefused, () => grants.refused);
  metrics.total(identityMetrics.passwordHashes, () => passwords.hashed);
  metrics.gauge(
    identityMetrics.importedHashes,
    inTurn(() => passwords.countImported(db.read)),
  );
  metrics.gauge(identityMetrics.passwordQueue, () => passwords.waiting);
  metrics.histogram(identityMetrics.passwordQueueWait, passwords.queue.waits);
  metrics.total(identityMetrics.passwordQueueRefused, () => passwords.queue.refused);
  metrics.totals(identityMetrics.memoryAdapter, () => ({ ...counts.fromMemory() }));
  registerQueues(metrics, counts, inTurn);
  metrics.gauge(identityMetrics.sweepLag, counts.sweepLagSeconds);
  metrics.labelled(
    identityMetrics.keyAge,
    inTurn(() => keyAges(counts)),
  );
}
