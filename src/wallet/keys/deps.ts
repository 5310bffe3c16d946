// Dependencies of key operations.
import type { Clock } from '../../platform/clock.ts';
import type { RunWalletChange, UnlessDamaged } from '../access/index.ts';
import type { Database } from '../ground/database.ts';
import type { KeyDrafts, KeyStores } from './drafts.ts';
import type { KeyListener } from './listener.ts';

export interface KeyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunWalletChange;
  readonly stores: KeyStores;
  readonly drafts: KeyDrafts;
  readonly listener: KeyListener;
  readonly unlessDamaged: UnlessDamaged;
  /** Per owner. */
  readonly maxKeys: number;
}
