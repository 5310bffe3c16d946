// Exchanges with issuers and verifiers: begun, worked on, released, ended. Each step has a file of its own.
import { type Caller, EVERYONE, readAs, targetFor, theNode, type WalletTarget } from '../access/index.ts';
import type { ExchangeRow, FinalState, Tx, WalletChange } from '../database.ts';
import type { IdempotentRequest, PageRequest } from '../resource/index.ts';
import {
  addStep,
  detailsOf,
  type Exchange,
  type ExchangeDeps,
  type ExchangeDetails,
  openRow,
  type Protocol,
} from './exchange.ts';
import {
  dueExchanges,
  type ExchangeFilter,
  findByRequest,
  findExchange,
  listExchanges,
  releaseClaims,
  sweepExchanges,
} from './exchanges.store.ts';
import { type ExchangeEnd, endExchange, recordAfterEnd, releaseExchange, saveExchange } from './progress.ts';
import { type ExchangeStart, resumeExchange, startExchange } from './start.ts';
import { runExchange } from './work.ts';

const RENEW_MS = 60_000;

const targetOf = ({ db }: ExchangeDeps, caller: Caller, id: string): Promise<WalletTarget<ExchangeRow>> =>
  targetFor(caller, {
    rule: 'owner',
    kind: 'exchange',
    find: (owner) => readAs(db, owner, (reader) => findExchange(reader, owner, id)),
  });

export function createExchanges(given: Omit<ExchangeDeps, 'renewMs'> & { readonly renewMs?: number }) {
  const deps: ExchangeDeps = { renewMs: RENEW_MS, ...given };
  const { db, clock } = deps;
  type Any = Exchange<unknown>;
  return {
    start: <Data>(caller: Caller, protocol: Protocol, data: Data, opening: ExchangeStart) =>
      startExchange(deps, caller, protocol, data, opening),
    resume: <Data>(caller: Caller, id: string, protocol: Protocol, once?: IdempotentRequest) =>
      resumeExchange<Data>(deps, caller, id, protocol, once),
    /** One that is over, but for something that is still to be sent. */
    openFinished: <Data>(row: ExchangeRow, caller: Caller) => openRow<Data>(deps, row, caller),
    step: (exchange: Any, name: string, more?: { detail?: string; error?: string }) => addStep(deps, exchange, name, more),
    save: (exchange: Any, transaction?: WalletChange) => saveExchange(deps, exchange, transaction),
    end: (exchange: Any, state: FinalState, transaction: WalletChange, ending?: ExchangeEnd) =>
      endExchange(deps, exchange, state, transaction, ending),
    recordAfterEnd: (exchange: Any, keep: boolean) => recordAfterEnd(deps, exchange, keep),
    release: (exchange: Any) => releaseExchange(deps, exchange),
    run: <T>(exchange: Any, mendable: (error: unknown) => boolean, work: () => Promise<T>) =>
      runExchange(deps, exchange, mendable, work),
    list: async ({ owner }: Caller, filter: ExchangeFilter, page: PageRequest): Promise<ExchangeDetails[]> =>
      (await readAs(db, owner, (reader) => listExchanges(reader, owner, filter, page))).map((row) => detailsOf(deps, row)),
    target: (caller: Caller, id: string) => targetOf(deps, caller, id),
    /** For rules that are told of an exchange by its id. */
    find: async (caller: Caller, id: string): Promise<ExchangeRow> => (await targetOf(deps, caller, id)).get(),
    detailsOf: (row: ExchangeRow) => detailsOf(deps, row),
    findByRequest: ({ owner }: Caller, protocol: Protocol, hash: string) =>
      readAs(db, owner, (reader) => findByRequest(reader, owner, protocol, hash)),
    /** Those whose time has come, of everybody. */
    due: (limit: number): Promise<ExchangeRow[]> => readAs(db, EVERYONE, (reader) => dueExchanges(reader, clock.now(), limit)),
    sweep: (tx: Tx): Promise<number> => sweepExchanges(tx, clock.now()),
    /** At a start, where there is one process: an exchange somebody worked on was left behind by one that died. */
    releaseStaleClaims: (): Promise<void> => db.write((tx) => releaseClaims(tx)),
    /** The owner of a waiting exchange is not there: the node goes on in their name. */
    callerFor: ({ owner }: ExchangeRow): Caller => ({ ...theNode, owner, isAdministrator: false }),
  };
}

export type Exchanges = ReturnType<typeof createExchanges>;
