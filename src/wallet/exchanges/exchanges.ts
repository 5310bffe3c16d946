// Exchanges with issuers and verifiers: begun, worked on, released, ended. Each step has a file of its own.
import { type Caller, EVERYONE, readAs, targetFor, theNode, type WalletTarget } from '../access/index.ts';
import type { Change, ExchangeRow, OverState, Tx } from '../database.ts';
import type { Once, Page } from '../resource/index.ts';
import { addStep, type Exchange, type ExchangeDeps, type ExchangeParts, openRow, type Protocol, partsOf } from './exchange.ts';
import {
  dueExchanges,
  type ExchangeFilter,
  findByRequest,
  findExchange,
  listExchanges,
  releaseClaims,
  sweepExchanges,
} from './exchanges.store.ts';
import { type Opening, openExchange, takeUpExchange } from './opening.ts';
import { type Ending, endExchange, noteAfterwards, releaseExchange, saveExchange } from './progress.ts';
import { duringExchange } from './work.ts';

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
    open: <Data>(caller: Caller, protocol: Protocol, data: Data, opening: Opening) =>
      openExchange(deps, caller, protocol, data, opening),
    takeUp: <Data>(caller: Caller, id: string, protocol: Protocol, once?: Once) =>
      takeUpExchange<Data>(deps, caller, id, protocol, once),
    /** One that is over, but for something that is still to be sent. */
    revived: <Data>(row: ExchangeRow, caller: Caller) => openRow<Data>(deps, row, caller),
    step: (exchange: Any, name: string, more?: { detail?: string; error?: string }) => addStep(deps, exchange, name, more),
    save: (exchange: Any, transaction?: Change) => saveExchange(deps, exchange, transaction),
    end: (exchange: Any, state: OverState, transaction: Change, ending?: Ending) =>
      endExchange(deps, exchange, state, transaction, ending),
    noted: (exchange: Any, keep: boolean) => noteAfterwards(deps, exchange, keep),
    release: (exchange: Any) => releaseExchange(deps, exchange),
    during: <T>(exchange: Any, mendable: (error: unknown) => boolean, work: () => Promise<T>) =>
      duringExchange(deps, exchange, mendable, work),
    list: async ({ owner }: Caller, filter: ExchangeFilter, page: Page): Promise<ExchangeParts[]> =>
      (await readAs(db, owner, (reader) => listExchanges(reader, owner, filter, page))).map((row) => partsOf(deps, row)),
    target: (caller: Caller, id: string) => targetOf(deps, caller, id),
    /** For rules that are told of an exchange by its id. */
    find: async (caller: Caller, id: string): Promise<ExchangeRow> => (await targetOf(deps, caller, id)).get(),
    partsOf: (row: ExchangeRow) => partsOf(deps, row),
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
