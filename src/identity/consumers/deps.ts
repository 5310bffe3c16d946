// What the rules of consumers need.
import type { Seal } from '../../platform/seal/index.ts';
import type { Caller } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { Deps } from '../resource/index.ts';

/** Who manages applications, and who hears of those that come and go, within the change that makes or deletes them. */
export interface Management {
  manages(caller: Caller, id: string): Promise<boolean>;
  /** Undefined: all of them. */
  managed(caller: Caller): Promise<readonly string[] | undefined>;
  registered(transaction: Change, caller: Caller, id: string): Promise<void>;
  leaving(transaction: Change, caller: Caller, id: string): Promise<void>;
}

export type ConsumerDeps = Pick<Deps, 'db' | 'clock' | 'change'> & { readonly seal: Seal; readonly management: Management };

/** Of what caches keep of an application, its roles and permissions. */
export const tagOfConsumer = (id: string): string => `app:${id}`;
