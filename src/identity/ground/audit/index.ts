// Changes with an audit event in the same transaction, on the tables of this service.
import {
  type AuditActor,
  type AuditedChange,
  type ChangeSteps,
  createChanges as createChangesOn,
} from '../../../platform/audit/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import { lockRow } from '../../../platform/database/index.ts';
import type { Database, Tables, Tx } from '../database/index.ts';
import { fail } from '../faults.ts';
import { testPoint } from '../test-points.ts';
import type { AuditAction } from './actions.ts';
import { columnsOf } from './event-subjects.store.ts';

export { serviceActor } from '../../../platform/audit/index.ts';
export { AUDIT_ACTIONS, type AuditAction } from './actions.ts';
export { columnsOf } from './event-subjects.store.ts';

export interface Actor extends AuditActor {
  /**
   * The epoch of the actor when they were authenticated. A change of their own account fails when it is different now: the password
   * may have been changed since.
   */
  readonly epoch?: number | undefined;
  /** The token of the actor, which stays good when their change ends their other tokens. */
  readonly keeps?: { readonly auditId: string; readonly lag: number; readonly madeFrom: string | undefined } | undefined;
  /** Throws in the transaction of the change if what is to be changed is not as the actor saw it (If-Match). */
  readonly precondition?: ((db: Database, tx: Tx) => Promise<void>) | undefined;
}

export interface Change extends Omit<AuditedChange<Tables>, 'audit'> {
  /** Records an audit event. Every change needs at least one. Details never contain a secret. */
  audit(
    action: AuditAction,
    target: { kind: string; id: string },
    detail?: Readonly<Record<string, unknown>>,
    outcome?: 'success' | 'failure',
  ): void;
}
export type RunChange = <T>(actor: Actor, work: (change: Change) => Promise<T>) => Promise<T>;

export type AfterChange = NonNullable<ChangeSteps<Tables>['afterChange']>;

export function createChanges(db: Database, clock: Clock, afterChange?: AfterChange): RunChange {
  const change = createChangesOn(db, clock, afterChange ? { columnsOf, afterChange } : { columnsOf });
  return async (actor, work) => {
    await testPoint('change.before-transaction');
    return change(actor, async (transaction) => {
      const { userId, epoch } = actor;
      if (userId !== null && epoch !== undefined && (await lockRow(db, transaction.tx, 'users', userId))?.epoch !== epoch)
        fail('auth.required', undefined, { reason: 'the user changed since they were checked' });
      await actor.precondition?.(db, transaction.tx);
      return work(transaction);
    });
  };
}
