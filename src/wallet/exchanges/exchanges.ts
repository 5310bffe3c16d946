// Exchanges with issuers and verifiers: started, worked on, released, ended. Each step has its own file.
import { type Caller, EVERYONE, readAs, targetFor, theNode, type WalletTarget } from '../access/index.ts';
import type { ExchangeRow, FinalState, Tx, WalletChange } from '../ground/database.ts';
import type { IdempotentRequest, ListPage } from '../resource/index.ts';
import { cancelExchange } from './cancel.ts';
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
  exchangesByIds,
  findByRequest,
  findExchange,
  listExchanges,
  listParties,
  type PartyRow,
  releaseClaims,
  sweepExchanges,
} from './exchanges.store.ts';
import { type ExchangeEnd, endExchange, recordAfterEnd, releaseExchange, saveExchange } from './progress.ts';
import { type ExchangeStart, resumeExchange, startExchange } from './start.ts';
import { runExchange } from './work.ts';

const RENEW_MS = 60_000;

export interface PartyDetails extends PartyRow {
  readonly newest: ExchangeDetails;
}

const targetOf = ({ db }: ExchangeDeps, caller: Caller, id: string): Promise<WalletTarget<ExchangeRow>> =>
  targetFor(caller, {
    rule: 'owner',
    kind: 'exchange',
    find: (owner) => readAs(db, owner, (reader) => findExchange(reader, owner, id)),
  });

export function createExchanges(options: Omit<ExchangeDeps, 'renewMs'> & { readonly renewMs?: number }) {
  const deps: ExchangeDeps = { renewMs: RENEW_MS, ...options };
  const { db, clock } = deps;
  type Any = Exchange<unknown>;
  return {
    start: <Data>(caller: Caller, protocol: Protocol, data: Data, opening: ExchangeStart) =>
      startExchange(deps, caller, protocol, data, opening),
    resume: <Data>(caller: Caller, id: string, protocol: Protocol, once?: IdempotentRequest) =>
      resumeExchange<Data>(deps, caller, id, protocol, once),
    /** Opens a finished exchange that still has something to send. */
    openFinished: <Data>(row: ExchangeRow, caller: Caller) => openRow<Data>(deps, row, caller),
    step: (exchange: Any, name: string, more?: { detail?: string; error?: string }) => addStep(deps, exchange, name, more),
    save: (exchange: Any, transaction?: WalletChange) => saveExchange(deps, exchange, transaction),
    end: (exchange: Any, state: FinalState, transaction: WalletChange, ending?: ExchangeEnd) =>
      endExchange(deps, exchange, state, transaction, ending),
    recordAfterEnd: (exchange: Any, keep: boolean) => recordAfterEnd(deps, exchange, keep),
    release: (exchange: Any) => releaseExchange(deps, exchange),
    run: <T>(exchange: Any, mendable: (error: unknown) => boolean, work: () => Promise<T>) =>
      runExchange(deps, exchange, mendable, work),
    cancel: (caller: Caller, row: ExchangeRow) => cancelExchange(deps, caller, row),
    list: async ({ owner }: Caller, filter: ExchangeFilter, page: ListPage): Promise<ExchangeDetails[]> =>
      (await readAs(db, owner, (reader) => listExchanges(reader, owner, filter, page))).map((row) => detailsOf(deps, row)),
    /** With whom there were exchanges, each with its newest one. */
    parties: ({ owner }: Caller, page: ListPage): Promise<PartyDetails[]> =>
      readAs(db, owner, async (reader) => {
        const parties = await listParties(reader, owner, page);
        const rows = await exchangesByIds(
          reader,
          owner,
          parties.map(({ id }) => id),
        );
        return parties.flatMap((party) => {
          const row = rows.find(({ id }) => id === party.id);
          return row ? { ...party, newest: detailsOf(deps, row) } : [];
        });
      }),
    target: (caller: Caller, id: string) => targetOf(deps, caller, id),
    /** For other modules that have the id of an exchange. */
    find: async (caller: Caller, id: string): Promise<ExchangeRow> => (await targetOf(deps, caller, id)).get(),
    detailsOf: (row: ExchangeRow) => detailsOf(deps, row),
    findByRequest: ({ owner }: Caller, protocol: Protocol, hash: string) =>
      readAs(db, owner, (reader) => findByRequest(reader, owner, protocol, hash)),
    /** Due exchanges of all owners. */
    due: (limit: number): Promise<ExchangeRow[]> => readAs(db, EVERYONE, (reader) => dueExchanges(reader, clock.now(), limit)),
    sweep: (tx: Tx): Promise<number> => sweepExchanges(tx, clock.now()),
    /** At the start of a single process: releases claims of a process that died. */
    releaseStaleClaims: (): Promise<void> => db.write((tx) => releaseClaims(tx)),
    /** The node acts on behalf of the owner when it continues an exchange in the background. */
    callerFor: ({ owner }: ExchangeRow): Caller => ({ ...theNode, owner, isAdministrator: false }),
  };
}

export type Exchanges = ReturnType<typeof createExchanges>;
