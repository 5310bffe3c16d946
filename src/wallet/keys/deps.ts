// What the steps of a key's life work with.
import type { Clock } from '../../platform/clock.ts';
import type { RunChange, UnlessDamaged } from '../access/index.ts';
import type { Database } from '../database.ts';
import type { Drafts, Stores } from './drafts.ts';
import type { KeyListener } from './listener.ts';

export interface KeyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
  readonly stores: Stores;
  readonly drafts: Drafts;
  readonly listener: KeyListener;
  readonly unlessDamaged: UnlessDamaged;
  /** Of one owner. */
  readonly maxKeys: number;
}
