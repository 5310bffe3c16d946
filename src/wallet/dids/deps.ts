// Dependencies of DID operations.
import type { Clock } from '../../platform/clock.ts';
import type { RunWalletChange, UnlessDamaged } from '../access/index.ts';
import type { Database } from '../ground/database.ts';
import type { Keys } from '../keys/index.ts';
import type { Publication } from '../publication/index.ts';

export interface DidDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunWalletChange;
  readonly keys: Keys;
  readonly publication: Publication;
  readonly unlessDamaged: UnlessDamaged;
  /** The public address of the node. */
  publicUrl(): string;
  /** Per owner. */
  readonly maxDids: number;
  readonly maxDidNames: number;
}
