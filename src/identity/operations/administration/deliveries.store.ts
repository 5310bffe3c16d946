// The messages of all queues as administrators see them: without their content.
import { type SqlBool, sql } from 'kysely';
import type { PageRequest, RowPage } from '../../../platform/database/index.ts';
import type { Reader, Tx } from '../../ground/database/index.ts';
import type { Queue } from '../../ground/outbox/index.ts';

export type DeliveryKind = 'web_hook' | 'mail';

export interface Delivery {
  readonly id: string;
  readonly kind: DeliveryKind;
  /** The event, or the template of the mail. */
  readonly subject: string;
  /** Of a mail. */
  readonly recipient: string | null;
  readonly attempts: number;
  readonly next_at: number;
  readonly created_at: number;
  readonly last_error: string | null;
  readonly failed_at: number | null;
  readonly expires_at: number | null;
}

const QUEUES: Readonly<Record<DeliveryKind, Queue>> = { web_hook: 'outbox', mail: 'mails' };

const COLUMNS = sql.raw('attempts, next_at, created_at, last_error, failed_at');
const DELIVERIES = sql`(
  select id, 'web_hook' as kind, event as subject, cast(null as text) as recipient, ${COLUMNS}, cast(null as bigint) as expires_at from outbox
  union all
  select id, 'mail' as kind, template as subject, recipient, ${COLUMNS}, expires_at from mails
) deliveries`;

const CONDITIONS = {
  waiting: sql<SqlBool>`failed_at is null`,
  failed: sql<SqlBool>`failed_at is not null`,
} as const;

export interface DeliveryFilter {
  readonly kind?: DeliveryKind | undefined;
  readonly state?: keyof typeof CONDITIONS | undefined;
  /** A part of the address, in small letters. */
  readonly recipient?: string | undefined;
}

const like = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

export async function findDelivery(db: Reader, id: string): Promise<Delivery | undefined> {
  return (await sql<Delivery>`select * from ${DELIVERIES} where id = ${id}`.execute(db)).rows[0];
}

/** The newest first. Undefined if the marker names none. */
export async function listDeliveries(
  db: Reader,
  { kind, state, recipient }: DeliveryFilter,
  { limit, marker }: PageRequest,
): Promise<RowPage<Delivery> | undefined> {
  const last = marker === undefined ? undefined : await findDelivery(db, marker);
  if (marker !== undefined && !last) return undefined;
  const conditions = [
    sql<SqlBool>`1 = 1`,
    ...(kind === undefined ? [] : [sql<SqlBool>`kind = ${kind}`]),
    ...(state === undefined ? [] : [CONDITIONS[state]]),
    ...(recipient === undefined ? [] : [sql<SqlBool>`lower(recipient) like ${like(recipient)} escape '\\'`]),
    ...(last ? [sql<SqlBool>`(created_at, id) < (${last.created_at}, ${last.id})`] : []),
  ];
  const { rows } = await sql<Delivery>`select * from ${DELIVERIES} where ${sql.join(conditions, sql` and `)}
    order by created_at desc, id desc limit ${limit + 1}`.execute(db);
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? items.at(-1)!.id : null, previous: null };
}

export interface QueueState {
  readonly waiting: number;
  /** When the oldest that waits was stored (seconds). */
  readonly oldest: number | null;
  /** Those that were given up. */
  readonly failed: number;
}

export async function queueStates(db: Reader): Promise<Record<DeliveryKind, QueueState>> {
  const read = async (kind: DeliveryKind): Promise<QueueState> => {
    const { rows } = await sql<QueueState>`select count(*) - count(failed_at) as waiting, count(failed_at) as failed,
      min(case when failed_at is null then created_at end) as oldest from ${sql.table(QUEUES[kind])}`.execute(db);
    const { waiting, oldest, failed } = rows[0]!;
    return { waiting: Number(waiting), oldest: oldest === null ? null : Number(oldest), failed: Number(failed) };
  };
  return { web_hook: await read('web_hook'), mail: await read('mail') };
}

/** Sends it at the next opportunity. False unless its last attempt failed: one that is being sent would be sent twice. */
export async function retryDelivery(tx: Tx, { kind, id }: Pick<Delivery, 'kind' | 'id'>, now: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`update ${sql.table(QUEUES[kind])}
    set attempts = 0, next_at = ${now}, failed_at = null, last_error = null
    where id = ${id} and last_error is not null`.execute(tx);
  return numAffectedRows > 0n;
}

export async function removeDelivery(tx: Tx, { kind, id }: Pick<Delivery, 'kind' | 'id'>): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(QUEUES[kind])} where id = ${id}`.execute(tx);
  return numAffectedRows > 0n;
}
