// Dependencies of issuance.
import type { Clock } from '../../platform/clock.ts';
import type { Formats } from '../../verifiable/formats/index.ts';
import type { RunWalletChange } from '../access/index.ts';
import type { Attester } from '../attester/index.ts';
import type { StoredCredentials, WalletCredentials } from '../credentials/index.ts';
import type { Exchanges } from '../exchanges/index.ts';
import type { Clients } from './clients.ts';
import type { ProofKeyDeps } from './proof-key.ts';

export interface IssuanceDeps extends ProofKeyDeps {
  readonly clock: Clock;
  readonly change: RunWalletChange;
  readonly exchanges: Exchanges;
  readonly credentials: WalletCredentials;
  readonly storedCredentials: StoredCredentials;
  readonly formats: Formats;
  readonly attester: Attester;
  readonly clients: Clients;
  /** The address of the identity service in the same process. */
  readonly beside: string | undefined;
}
