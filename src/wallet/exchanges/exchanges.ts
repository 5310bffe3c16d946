// An exchange with an issuer or a verifier: what is known of it, what happened so far, and who works on it now.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { patiently } from '../../platform/database/index.ts';
import { Fault } from '../../platform/faults/index.ts';
import { newUlid } from '../../platform/ids.ts';
import { repeat } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import {
  actAs,
  type Caller,
  EVERYONE,
  type RunChange,
  readAs,
  readList,
  targetFor,
  theNode,
  type UnlessDamaged,
  type WalletTarget,
} from '../access/index.ts';
import type { Change, Database, ExchangeRow, ExchangeState, OverState, Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { always, type Once, type Page, time } from '../resource/index.ts';
import {
  claimExchange,
  dueExchanges,
  type ExchangeFilter,
  findByRequest,
  findExchange,
  insertExchange,
  listExchanges,
  releaseClaims,
  renewClaim,
  sweepExchanges,
  updateClaimed,
  updateExchange,
} from './exchanges.store.ts';
import { isOver } from './states.ts';

export type Protocol = 'oid4vci' | 'oid4vp';

/** Whoever works on an exchange renews their claim meanwhile, however long it takes: a claim this old is of somebody who died. */
const CLAIM_MS = 5 * 60_000;
const RENEW_MS = 60_000;
const LIFE_MS = 24 * 3600 * 1000;
/** What is over is kept for those who ask what happened. */
const KEPT_MS = 30 * 24 * 3600 * 1000;
const MAX_STEPS = 200;

export interface Step {
  readonly at: string;
  readonly step: string;
  readonly detail?: string;
  /** The code of what went wrong. */
  readonly error?: string;
}

/** As it is shown. */
export interface ExchangeParts {
  readonly id: string;
  readonly row: ExchangeRow;
  /** Undefined where it was damaged. */
  readonly steps: readonly Step[] | undefined;
}

/** An exchange somebody works on. `data` is what it needs to go on, and is sealed whenever it is written down. */
export interface Exchange<Data> {
  readonly id: string;
  readonly owner: string;
  readonly caller: Caller;
  readonly protocol: Protocol;
  /** Who works on it. */
  readonly claim: string;
  state: ExchangeState;
  peer: string | undefined;
  data: Data;
  readonly steps: Step[];
  pollAt: number | null;
  expiresAt: number;
}

export const exchangePlace = ({ owner, id }: Pick<ExchangeRow, 'owner' | 'id'>): string => `wallet|${owner}|${id}|exchange|v1`;

interface Ending {
  readonly outcome?: string;
  /** For whoever asks again. */
  readonly result?: object;
  /** Something is still to be sent. */
  readonly keep?: boolean;
}

export function createExchanges(deps: {
  db: Database;
  clock: Clock;
  change: RunChange;
  seal: Seal;
  unlessDamaged: UnlessDamaged;
  count(values: { protocol: string; outcome: string }): void;
  log: Log;
  renewMs?: number;
}) {
  const { db, clock, change, seal, unlessDamaged, count, log, renewMs = RENEW_MS } = deps;

  const sealed = (exchange: Exchange<unknown>): string =>
    seal.seal(Buffer.from(JSON.stringify(exchange.data)), exchangePlace(exchange));

  function opened<Data>(row: ExchangeRow, caller: Caller, claim = row.claimed_by): Exchange<Data> {
    return {
      id: row.id,
      owner: row.owner,
      caller,
      protocol: row.protocol as Protocol,
      claim,
      state: row.state,
      peer: row.peer ?? undefined,
      data: JSON.parse(seal.open(row.sealed!, exchangePlace(row)).toString()) as Data,
      steps: JSON.parse(row.steps) as Step[],
      pollAt: row.poll_at,
      expiresAt: row.expires_at,
    };
  }

  const partsOf = (row: ExchangeRow): ExchangeParts => ({
    id: row.id,
    row,
    steps: unlessDamaged('exchange', row.id, () => readList<Step>(row.steps, 'at', 'step')),
  });

  function step(exchange: Exchange<unknown>, name: string, more: { detail?: string; error?: string } = {}): void {
    if (exchange.steps.length < MAX_STEPS) exchange.steps.push({ at: time(clock.now()), step: name, ...more });
  }

  const valuesOf = (exchange: Exchange<unknown>) => ({
    state: exchange.state,
    peer: exchange.peer ?? null,
    steps: JSON.stringify(exchange.steps),
    sealed: sealed(exchange),
    poll_at: exchange.pollAt,
    expires_at: exchange.expiresAt,
    updated_at: clock.now(),
  });

  /** Whoever was taken for dead does not write over what another does since. */
  async function write({ tx }: Change, exchange: Exchange<unknown>, values: Partial<ExchangeRow>): Promise<void> {
    if (!(await updateClaimed(tx, exchange, values))) fail('exchange-busy', undefined, { detail: { exchangeId: exchange.id } });
  }

  /** Writes down how far it is, within a change or in one of its own, and keeps working on it. */
  async function save(exchange: Exchange<unknown>, inside?: Change): Promise<void> {
    const work = async (within: Change): Promise<void> => {
      await write(within, exchange, { ...valuesOf(exchange), claimed_until: clock.now() + CLAIM_MS });
      within.audit(`exchange.${exchange.state}`, { kind: 'exchange', id: exchange.id });
    };
    if (inside) await work(inside);
    else await change(exchange.caller, exchange.owner, work);
  }

  /** It is over: what it needed to go on is forgotten, unless something is still to be sent. */
  async function end(
    exchange: Exchange<unknown>,
    state: OverState,
    inside: Change,
    { outcome = state, result, keep = false }: Ending = {},
  ): Promise<void> {
    exchange.state = state;
    await write(inside, exchange, {
      ...valuesOf(exchange),
      outcome,
      ...(result === undefined ? {} : { result: JSON.stringify(result) }),
      ...(keep ? {} : { sealed: null, poll_at: null }),
      claimed_until: 0,
      expires_at: clock.now() + KEPT_MS,
    });
    inside.audit(`exchange.${state}`, { kind: 'exchange', id: exchange.id }, { outcome });
    count({ protocol: exchange.protocol, outcome });
  }

  /** It is over, and something was sent afterwards, or is to be tried again. */
  async function noted(exchange: Exchange<unknown>, keep: boolean): Promise<void> {
    await change(exchange.caller, exchange.owner, async ({ tx, audit }) => {
      const { steps, sealed: rest, poll_at, updated_at } = valuesOf(exchange);
      const left = keep ? { sealed: rest, poll_at } : { sealed: null, poll_at: null };
      await updateExchange(tx, exchange.owner, exchange.id, { steps, updated_at, ...left });
      audit('exchange.noted', { kind: 'exchange', id: exchange.id });
    });
  }

  async function release(exchange: Exchange<unknown>): Promise<void> {
    await change(exchange.caller, exchange.owner, async (inside) => {
      await write(inside, exchange, { ...valuesOf(exchange), claimed_until: 0 });
      inside.audit('exchange.waits', { kind: 'exchange', id: exchange.id });
    });
  }

  async function open<Data>(
    caller: Caller,
    protocol: Protocol,
    data: Data,
    { state, peer, requestHash, once = always }: { state: ExchangeState; peer?: string; requestHash?: string; once?: Once },
  ): Promise<Exchange<Data>> {
    const { owner } = caller;
    const now = clock.now();
    const exchange: Exchange<Data> = {
      id: `ex_${newUlid(now)}`,
      owner,
      caller,
      protocol,
      claim: randomUUID(),
      state,
      peer,
      data,
      steps: [],
      pollAt: null,
      expiresAt: now + LIFE_MS,
    };
    await change(caller, owner, async (inside) => {
      const { tx, audit } = inside;
      // The same request twice at once: the other one was faster.
      const same = requestHash === undefined ? undefined : await findByRequest(tx, owner, protocol, requestHash);
      if (same) fail('exchange-busy', undefined, { detail: { exchangeId: same.id } });
      if ((await once.claim(inside, exchange.id)) !== undefined) fail('exchange-busy');
      await insertExchange(tx, {
        id: exchange.id,
        owner,
        protocol,
        ...valuesOf(exchange),
        outcome: null,
        result: null,
        request_hash: requestHash ?? null,
        claimed_until: now + CLAIM_MS,
        claimed_by: exchange.claim,
        created_at: now,
      });
      audit('exchange.begun', { kind: 'exchange', id: exchange.id }, { protocol });
    });
    return exchange;
  }

  /** Takes up one that waits. */
  async function takeUp<Data>(caller: Caller, id: string, protocol: Protocol, once: Once = always): Promise<Exchange<Data>> {
    const { owner } = caller;
    const now = clock.now();
    const claim = { claimed_by: randomUUID(), claimed_until: now + CLAIM_MS };
    const row = await change(caller, owner, async (inside) => {
      const { tx, audit } = inside;
      const found = await findExchange(tx, owner, id);
      if (found?.protocol !== protocol) fail('not-found', { kind: 'exchange' });
      if (isOver(found.state)) fail('exchange-finished', { state: found.state }, { detail: { exchangeId: id } });
      // Whoever sent this answer still waits, or died before knowing whether it arrived.
      if (found.state === 'answering') fail('request-already-answered', undefined, { detail: { exchangeId: id } });
      if (found.expires_at <= now) fail('exchange-expired', undefined, { detail: { exchangeId: id } });
      if (!(await claimExchange(tx, owner, id, claim, now))) fail('exchange-busy', undefined, { detail: { exchangeId: id } });
      await once.claim(inside, id);
      audit('exchange.continued', { kind: 'exchange', id });
      return found;
    });
    return opened<Data>(row, caller, claim.claimed_by);
  }

  /** Keeps the claim while the work goes on. One that was let go, or that another has, is not taken back. */
  async function claiming<T>(exchange: Exchange<unknown>, work: () => Promise<T>): Promise<T> {
    const renew = (): Promise<void> =>
      db.write(async (tx) => {
        await actAs(db, tx, exchange.owner);
        await renewClaim(tx, exchange, clock.now() + CLAIM_MS);
      });
    const renewals = repeat({
      everyMs: renewMs,
      // Not of the time the request has. What fails is tried again long before the claim ends.
      run: () => patiently(renew),
      log,
      failure: 'the claim of an exchange could not be renewed; it will be tried again',
      saysOnce: true,
    });
    try {
      return await work();
    } finally {
      await renewals.stop();
    }
  }

  /**
   * Runs a part of an exchange. What goes wrong is written down and told with everything that happened before; a fault that the
   * caller can mend leaves the exchange waiting, any other ends it. When another works on it by now, nothing is written.
   */
  async function during<T>(
    exchange: Exchange<unknown>,
    mendable: (error: unknown) => boolean,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await claiming(exchange, work);
    } catch (error) {
      const code = error instanceof Fault ? error.code : 'unexpected';
      step(exchange, 'stopped', { error: code, ...(error instanceof Fault ? { detail: error.message } : {}) });
      if (mendable(error)) await release(exchange);
      else await change(exchange.caller, exchange.owner, (inside) => end(exchange, 'failed', inside, { outcome: code }));
      if (!(error instanceof Fault)) throw error;
      throw error.with({ exchangeId: exchange.id, steps: exchange.steps });
    }
  }

  const target = (caller: Caller, id: string): Promise<WalletTarget<ExchangeRow>> =>
    targetFor(caller, {
      rule: 'owner',
      kind: 'exchange',
      find: (owner) => readAs(db, owner, (reader) => findExchange(reader, owner, id)),
    });

  return {
    open,
    takeUp,
    /** One that is over, but for something that is still to be sent. */
    revived: <Data>(row: ExchangeRow, caller: Caller) => opened<Data>(row, caller),
    step,
    save,
    end,
    noted,
    release,
    during,
    list: async ({ owner }: Caller, filter: ExchangeFilter, page: Page): Promise<ExchangeParts[]> =>
      (await readAs(db, owner, (reader) => listExchanges(reader, owner, filter, page))).map(partsOf),
    target,
    /** For rules that are told of an exchange by its id. */
    find: async (caller: Caller, id: string): Promise<ExchangeRow> => (await target(caller, id)).get(),
    partsOf,
    findByRequest: ({ owner }: Caller, protocol: Protocol, hash: string) =>
      readAs(db, owner, (reader) => findByRequest(reader, owner, protocol, hash)),
    /** Those whose time has come, of everybody. */
    due: (limit: number): Promise<ExchangeRow[]> => readAs(db, EVERYONE, (reader) => dueExchanges(reader, clock.now(), limit)),
    sweep: (tx: Tx): Promise<number> => sweepExchanges(tx, clock.now()),
    /** At a start, where there is one process: an exchange somebody worked on was left behind by one that died. */
    releaseLeft: (): Promise<void> => db.write((tx) => releaseClaims(tx)),
    /** The owner of a waiting exchange is not there: the node goes on in their name. */
    callerFor: ({ owner }: ExchangeRow): Caller => ({ ...theNode, owner, isAdministrator: false }),
  };
}

export type Exchanges = ReturnType<typeof createExchanges>;
