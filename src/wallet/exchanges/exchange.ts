// An exchange with an issuer or a verifier, and its steps.
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { type Caller, type RunWalletChange, readList, type UnlessDamaged } from '../access/index.ts';
import type { Database, ExchangeRow, ExchangeState } from '../ground/database.ts';
import { time } from '../resource/index.ts';
import { type ExchangeSummary, openSummary, sealSummary } from './summary.ts';

/** A claim is renewed while somebody works on the exchange. An older claim belongs to a process that died. */
export const CLAIM_MS = 5 * 60_000;
const MAX_STEPS = 200;

export type Protocol = 'oid4vci' | 'oid4vp';

export interface ExchangeStep {
  readonly at: string;
  readonly step: string;
  readonly detail?: string;
  /** The fault code. */
  readonly error?: string;
}

/** An exchange with its parsed steps. */
export interface ExchangeDetails {
  readonly id: string;
  readonly row: ExchangeRow;
  /** Undefined if it is damaged. */
  readonly steps: readonly ExchangeStep[] | undefined;
  /** Undefined if it is damaged. */
  readonly summary: ExchangeSummary | undefined;
}

/** An exchange in progress. `data` is needed to continue it, and is sealed when it is stored. */
export interface Exchange<Data> {
  readonly id: string;
  readonly owner: string;
  readonly caller: Caller;
  readonly protocol: Protocol;
  /** Identifies the worker that has claimed it. */
  readonly claim: string;
  state: ExchangeState;
  peer: string | undefined;
  data: Data;
  readonly steps: ExchangeStep[];
  summary: ExchangeSummary;
  pollAt: number | null;
  expiresAt: number;
}

export const exchangeSealContext = ({ owner, id }: Pick<ExchangeRow, 'owner' | 'id'>): string =>
  `wallet|${owner}|${id}|exchange|v1`;

export interface ExchangeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunWalletChange;
  readonly seal: Seal;
  readonly unlessDamaged: UnlessDamaged;
  count(values: { protocol: string; outcome: string }): void;
  readonly log: Log;
  readonly renewMs: number;
}

/** Opens a row to work on it with this claim. */
export function openRow<Data>(
  { seal, unlessDamaged }: Pick<ExchangeDeps, 'seal' | 'unlessDamaged'>,
  row: ExchangeRow,
  caller: Caller,
  claim = row.claimed_by,
): Exchange<Data> {
  return {
    id: row.id,
    owner: row.owner,
    caller,
    protocol: row.protocol as Protocol,
    claim,
    state: row.state,
    peer: row.peer ?? undefined,
    data: JSON.parse(seal.open(row.sealed!, exchangeSealContext(row)).toString()) as Data,
    steps: JSON.parse(row.steps) as ExchangeStep[],
    summary: unlessDamaged('exchange', row.id, () => openSummary(seal, row)) ?? {},
    pollAt: row.poll_at,
    expiresAt: row.expires_at,
  };
}

const MAX_PARTY = 500;

/** The host that people know the other side by. What has none, such as a DID, is its own name. */
function partyOf({ peer, summary: { responseUri } }: Exchange<unknown>): string | null {
  const address = responseUri ?? peer;
  return address === undefined ? null : (URL.parse(address)?.host || address).slice(0, MAX_PARTY);
}

/** The columns to store. */
export const columnsOf = ({ clock, seal }: Pick<ExchangeDeps, 'clock' | 'seal'>, exchange: Exchange<unknown>) => ({
  state: exchange.state,
  peer: exchange.peer ?? null,
  party: partyOf(exchange),
  steps: JSON.stringify(exchange.steps),
  summary: sealSummary(seal, exchange, exchange.summary),
  sealed: seal.seal(Buffer.from(JSON.stringify(exchange.data)), exchangeSealContext(exchange)),
  poll_at: exchange.pollAt,
  expires_at: exchange.expiresAt,
  updated_at: clock.now(),
});

export const detailsOf = (
  { seal, unlessDamaged }: Pick<ExchangeDeps, 'seal' | 'unlessDamaged'>,
  row: ExchangeRow,
): ExchangeDetails => ({
  id: row.id,
  row,
  summary: unlessDamaged('exchange', row.id, () => openSummary(seal, row)),
  steps: unlessDamaged('exchange', row.id, () => readList<ExchangeStep>(row.steps, 'at', 'step')),
});

/** Steps are for users who want to know what happened. No decision depends on them. */
export function addStep(
  { clock }: Pick<ExchangeDeps, 'clock'>,
  exchange: Exchange<unknown>,
  name: string,
  more: { detail?: string; error?: string } = {},
): void {
  if (exchange.steps.length < MAX_STEPS) exchange.steps.push({ at: time(clock.now()), step: name, ...more });
}
