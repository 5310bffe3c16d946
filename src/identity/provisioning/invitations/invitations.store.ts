// Invitations in the database.
import {
  lockRow,
  type PageRequest,
  type RowPage,
  readPage,
  readSearchPage,
  type SortOrder,
} from '../../../platform/database/index.ts';
import { nameKey } from '../../directory/users/index.ts';
import type { Database, InvitationRow, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type ListQuery } from '../../ground/resource/index.ts';
import type { InvitationStatus } from './invitations.schema.ts';

export async function insertInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  await tx.insertInto('invitations').values(row).execute();
}

export async function updateInvitation(tx: Tx, id: string, values: Partial<InvitationRow>): Promise<void> {
  await tx.updateTable('invitations').set(values).where('id', '=', id).execute();
}

export function findInvitation(db: Reader, id: string): Promise<InvitationRow | undefined> {
  return db.selectFrom('invitations').where('id', '=', id).selectAll().executeTakeFirst();
}

export const lockInvitation = (db: Database, tx: Tx, id: string): Promise<InvitationRow | undefined> =>
  lockRow(db, tx, 'invitations', id);

/** Locks all pending invitations to this address in the domain, in the order of their ids: their number is limited. */
export async function lockInvitationsTo({ dialect }: Database, tx: Tx, domainId: string, key: string): Promise<void> {
  const rows = tx
    .selectFrom('invitations')
    .where('domain_id', '=', domainId)
    .where('email_key', '=', key)
    .where('status', '=', 'pending')
    .orderBy('id')
    .select('id');
  await (dialect === 'postgres' ? rows.forUpdate() : rows).execute();
}

export async function countPendingTo(
  db: Reader,
  { domainId, key, now }: { domainId: string; key: string; now: number },
): Promise<number> {
  const { total } = await db
    .selectFrom('invitations')
    .where('domain_id', '=', domainId)
    .where('email_key', '=', key)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

export function listInvitations(
  db: Database,
  page: PageRequest,
  listQuery: ListQuery,
  { status, now }: { readonly status: InvitationStatus | undefined; readonly now: number },
): Promise<RowPage<InvitationRow> | undefined> {
  const visible = applyCriteria(db.lists.selectFrom('invitations').selectAll('invitations'), db.dialect, listQuery.visible);
  let query = applyCriteria(visible, db.dialect, listQuery.criteria);
  if (status !== undefined) query = query.where('status', '=', status === 'expired' ? 'pending' : status);
  if (status === 'pending') query = query.where('expires_at', '>', now);
  if (status === 'expired') query = query.where('expires_at', '<=', now);
  const { search, sort = { by: 'created_at' } } = listQuery;
  if (search !== undefined)
    return readSearchPage(query, { table: 'invitations', by: 'email_key', keyOf: nameKey }, page, visible, search);
  return readPage(query, { table: 'invitations', ...(sort as SortOrder<keyof InvitationRow>) }, page, visible);
}

const SWEEP_BATCH = 1000;

/** In small batches, so that other writers do not wait long. */
export async function sweepInvitations(db: Database, before: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await db.write((tx) =>
      tx
        .deleteFrom('invitations')
        .where('id', 'in', (eb) => eb.selectFrom('invitations').where('expires_at', '<', before).select('id').limit(SWEEP_BATCH))
        .executeTakeFirst(),
    );
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}
