// Exchanges in the database. Every statement filters by owner, except for background jobs.
import type { ExpressionBuilder } from 'kysely';
import type { ExchangeRow, ExchangeState, Reader, Tables, Tx } from '../ground/database.ts';
import type { ListPage } from '../resource/index.ts';
import { OVER } from './states.ts';

export interface ExchangeFilter {
  readonly protocol?: string | undefined;
  readonly state?: string | undefined;
  /** Only exchanges that are not finished. */
  readonly isOpen?: boolean | undefined;
  readonly party?: string | undefined;
}

/** Exchanges of earlier versions have no party yet. They end within 30 days. */
const partyIn = (eb: ExpressionBuilder<Tables, 'exchanges'>) => eb.fn.coalesce('party', 'peer');

/** Reads one row more than the page size, newest first. */
export function listExchanges(
  db: Reader,
  owner: string,
  { protocol, state, isOpen, party }: ExchangeFilter,
  { limit, after }: ListPage,
): Promise<ExchangeRow[]> {
  let query = db.selectFrom('exchanges').where('owner', '=', owner);
  if (protocol) query = query.where('protocol', '=', protocol);
  // An unknown state finds nothing.
  if (state) query = query.where('state', '=', state as ExchangeState);
  if (isOpen) query = query.where('state', 'not in', OVER);
  if (party) query = query.where((eb) => eb(partyIn(eb), '=', party));
  if (after) query = query.where('id', '<', after);
  return query
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .selectAll()
    .execute();
}

export interface PartyRow {
  /** Of the newest exchange with this party. */
  readonly id: string;
  readonly party: string;
  readonly received: number;
  readonly shared: number;
  readonly open: number;
  readonly last_at: number;
}

/** One row for each party, the one with the newest exchange first. Reads one row more than the page size. */
export async function listParties(db: Reader, owner: string, { limit, after }: ListPage): Promise<PartyRow[]> {
  let query = db
    .selectFrom('exchanges')
    .where('owner', '=', owner)
    .where((eb) => eb(partyIn(eb), 'is not', null))
    .groupBy(partyIn);
  if (after) query = query.having((eb) => eb(eb.fn.max('id'), '<', after));
  const rows = await query
    .select((eb) => {
      const countOf = (...states: readonly ExchangeState[]) =>
        eb.fn.sum<number>(eb.case().when('state', 'in', states).then(1).else(0).end());
      return [
        eb.fn.max('id').as('id'),
        partyIn(eb).as('party'),
        countOf('issued').as('received'),
        countOf('submitted').as('shared'),
        eb.fn.sum<number>(eb.case().when('state', 'in', OVER).then(0).else(1).end()).as('open'),
        eb.fn.max('updated_at').as('last_at'),
      ];
    })
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return rows.map(({ id, party, received, shared, open, last_at }) => ({
    id,
    party: party!,
    received: Number(received),
    shared: Number(shared),
    open: Number(open),
    last_at: Number(last_at),
  }));
}

export function exchangesByIds(db: Reader, owner: string, ids: readonly string[]): Promise<ExchangeRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db.selectFrom('exchanges').where('owner', '=', owner).where('id', 'in', ids).selectAll().execute();
}

export function findExchange(db: Reader, owner: string, id: string): Promise<ExchangeRow | undefined> {
  return db.selectFrom('exchanges').where('owner', '=', owner).where('id', '=', id).selectAll().executeTakeFirst();
}

export function findByRequest(db: Reader, owner: string, protocol: string, hash: string): Promise<ExchangeRow | undefined> {
  return db
    .selectFrom('exchanges')
    .where('owner', '=', owner)
    .where('protocol', '=', protocol)
    .where('request_hash', '=', hash)
    .selectAll()
    .executeTakeFirst();
}

export async function insertExchange(tx: Tx, row: ExchangeRow): Promise<void> {
  await tx.insertInto('exchanges').values(row).execute();
}

export async function updateExchange(tx: Tx, owner: string, id: string, values: Partial<ExchangeRow>): Promise<void> {
  await tx.updateTable('exchanges').set(values).where('owner', '=', owner).where('id', '=', id).execute();
}

export interface ExchangeClaim {
  readonly claimed_by: string;
  readonly claimed_until: number;
}

/** True if the claim succeeded. */
export async function claimExchange(tx: Tx, owner: string, id: string, claim: ExchangeClaim, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('exchanges')
    .set(claim)
    .where('owner', '=', owner)
    .where('id', '=', id)
    .where('claimed_until', '<=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False if another worker has claimed it since. */
export async function updateClaimed(
  tx: Tx,
  { owner, id, claim }: { readonly owner: string; readonly id: string; readonly claim: string },
  values: Partial<ExchangeRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('exchanges')
    .set(values)
    .where('owner', '=', owner)
    .where('id', '=', id)
    .where('claimed_by', '=', claim)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Does nothing if the claim was released. */
export async function renewClaim(
  tx: Tx,
  { owner, id, claim }: { readonly owner: string; readonly id: string; readonly claim: string },
  until: number,
): Promise<void> {
  await tx
    .updateTable('exchanges')
    .set({ claimed_until: until })
    .where('owner', '=', owner)
    .where('id', '=', id)
    .where('claimed_by', '=', claim)
    .where('claimed_until', '>', 0)
    .execute();
}

/** Exchanges of all owners whose next poll is due. */
export function dueExchanges(db: Reader, now: number, limit: number): Promise<ExchangeRow[]> {
  return db
    .selectFrom('exchanges')
    .where('poll_at', '<=', now)
    .where('claimed_until', '<=', now)
    .orderBy('poll_at')
    .limit(limit)
    .selectAll()
    .execute();
}

export async function sweepExchanges(tx: Tx, now: number): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('exchanges').where('expires_at', '<=', now).executeTakeFirst();
  return Number(numDeletedRows);
}

/** For a single process: at its start, all claims are left over from a process that died. */
export async function releaseClaims(tx: Tx): Promise<void> {
  await tx.updateTable('exchanges').set({ claimed_until: 0 }).where('claimed_until', '>', 0).execute();
}
