// Dependencies of stored credentials.
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Status } from '../../verifiable/status/index.ts';
import type { Caller } from '../access/index.ts';
import type { Dids } from '../dids/index.ts';
import type { Database, WalletChange } from '../ground/database.ts';
import type { Keys } from '../keys/index.ts';

export interface StoredCredentialDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly keys: Keys;
  readonly dids: Pick<Dids, 'has'>;
  readonly status: Status;
  /** To read the metadata of types at their issuers. */
  readonly outbound: Outbound;
  readonly change: (caller: Caller, owner: string, work: (transaction: WalletChange) => Promise<void>) => Promise<void>;
  /** Copies that are reserved in this process, with the number of answers that use them. */
  readonly reserved: Map<string, number>;
}
