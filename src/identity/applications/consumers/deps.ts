// What the rules of consumers need.
import type { Seal } from '../../../platform/seal/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Deps } from '../../ground/resource/index.ts';

/** Who manages applications. Also called when one is registered or deleted, in the same transaction. */
export interface Management {
  manages(caller: Caller, id: string): Promise<boolean>;
  /** Undefined: all of them. */
  managedApplications(caller: Caller): Promise<readonly string[] | undefined>;
  managedBy(userId: string): Promise<readonly string[]>;
  onRegistered(transaction: Change, caller: Caller, id: string): Promise<void>;
  onDelete(transaction: Change, caller: Caller, id: string): Promise<void>;
}

export type ConsumerDeps = Pick<Deps, 'db' | 'clock' | 'change'> & { readonly seal: Seal; readonly management: Management };

/** Cache tag of an application, its roles and permissions. */
export const tagOfConsumer = (id: string): string => `app:${id}`;
