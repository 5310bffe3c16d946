// A change and its audit events are one transaction, so that neither exists without the other.
import { type Clock, seconds } from '../clock.ts';
import { type Database, insertRows, type RowsByTable, type Tx } from '../database/index.ts';
import { newTimedId } from '../ids.ts';

/** Who makes a change: a caller of the API, or the service itself. */
export interface AuditActor {
  readonly userId: string | null;
  readonly requestId: string | null;
  /** Where the actor is, such as their address. Added to the details of their events. */
  readonly origin?: Readonly<Record<string, unknown>> | undefined;
}

export const serviceActor: AuditActor = { userId: null, requestId: null };

export interface AuditedChange<S> {
  readonly tx: Tx<S>;
  /** When it began, in seconds. */
  readonly now: number;
  /** Records an audit event. Every change needs at least one. Details never contain a secret. */
  audit(
    action: string,
    target: { kind: string; id: string },
    detail?: Readonly<Record<string, unknown>>,
    outcome?: 'success' | 'failure',
  ): void;
  /** Drops cached values with this tag: in this process at commit, in every other process within a second. */
  invalidate(tag: string): void;
}

export type RunAuditedChange<S> = <T>(actor: AuditActor, work: (change: AuditedChange<S>) => Promise<T>) => Promise<T>;

export interface AuditEventRow {
  id: string;
  at: number;
  request_id: string | null;
  actor_id: string | null;
  action: string;
  target_kind: string;
  target_id: string;
  outcome: string;
  detail: string;
}

/** An event of a change, before it is stored. */
export interface AuditedEvent {
  readonly action: string;
  readonly kind: string;
  readonly id: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly outcome: string;
}

/** A statement with more would take long. */
const ROWS_AT_ONCE = 500;

interface AuditTables {
  audit_events: AuditEventRow;
}

export interface ChangeSteps<S> {
  /** Returns the further columns that a service stores with each event. It runs in the transaction, after the change. */
  columnsOf?(tx: Tx<S>, events: readonly AuditedEvent[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** What follows from a change in the same transaction, by the tags that it invalidates. It may write further events. */
  afterChange?(change: AuditedChange<S>, tags: readonly string[], events: readonly AuditedEvent[]): Promise<void>;
}

export function createChanges<S extends AuditTables>(
  db: Database<S>,
  clock: Clock,
  { columnsOf, afterChange }: ChangeSteps<S> = {},
): RunAuditedChange<S> {
  return (actor, work) =>
    db.write(async (tx, invalidate, last) => {
      const events: AuditedEvent[] = [];
      const tags = new Set<string>();
      const change: AuditedChange<S> = {
        tx,
        now: seconds(clock),
        invalidate(tag) {
          tags.add(tag);
          invalidate(tag);
        },
        audit: (action, { kind, id }, detail = {}, outcome = 'success') =>
          events.push({ action, kind, id, detail: { ...actor.origin, ...detail }, outcome }),
      };
      const result = await work(change);
      if (events.length === 0) throw new Error('a change without an audit event');
      await afterChange?.(change, [...tags], [...events]);
      const columns = await columnsOf?.(tx, events);
      const now = clock.now();
      const at = seconds(clock);
      const rows = events.map(({ action, kind, id, detail, outcome }, index) => ({
        id: newTimedId(now),
        at,
        request_id: actor.requestId,
        actor_id: actor.userId,
        action,
        target_kind: kind,
        target_id: id,
        outcome,
        detail: JSON.stringify(detail),
        ...columns?.[index],
      }));
      const rowsFrom = (first: number) =>
        ({ audit_events: rows.slice(first, first + ROWS_AT_ONCE) }) as unknown as RowsByTable<S>;
      let first = 0;
      for (; rows.length - first > ROWS_AT_ONCE; first += ROWS_AT_ONCE) await insertRows(tx, rowsFrom(first));
      last(rowsFrom(first));
      return result;
    });
}
