// What is needed to save a record.
import type { Clock } from '../../../platform/clock.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Database } from '../../ground/database/index.ts';
import type { RecordPayload } from './record.ts';
import type { RequestState } from './request-state.ts';
import type { Together } from './together.ts';

export interface SaveDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly together: Pick<Together, 'insert'>;
  readonly requestState: RequestState;
  /** Wallets of providers, which are no consumers. */
  readonly isWallet: (clientId: string) => boolean;
}

export interface RecordToSave {
  readonly model: string;
  readonly id: string;
  readonly payload: RecordPayload;
  /** In seconds; undefined: does not expire. */
  readonly lifetime: number | undefined;
  /** Only if it does not exist yet. */
  readonly once: boolean;
  /** The hash of the record that says what is saved: if that has ended, this is not saved. */
  readonly copyOf?: string;
}
