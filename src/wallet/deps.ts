// What the modules of the wallet node get.
import type { Throttle } from '../platform/limits/index.ts';
import type { Credentials } from './credentials/index.ts';
import type { Dids, Documents } from './dids/index.ts';
import type { Exchanges } from './exchanges/index.ts';
import type { Keys } from './keys/index.ts';
import type { Protocols } from './protocols.ts';
import type { Idempotency, ListCache } from './resource/index.ts';
import type { Logins, SessionReader } from './session/index.ts';

export interface Deps {
  readonly keys: Keys;
  readonly dids: Dids;
  readonly documents: Documents;
  readonly credentials: Credentials;
  readonly exchanges: Exchanges;
  /** Issuance and presentation, loaded when they are needed first. */
  readonly protocols: () => Promise<Protocols>;
  readonly logins: Logins;
  readonly sessionOf: SessionReader;
  readonly idempotency: Idempotency;
  readonly listCache: ListCache;
  /** Of logins, by address. */
  readonly throttle: Throttle;
  /** Of logout tokens that were refused, by address. */
  readonly logoutThrottle: Throttle;
  /** Of exchanges, by owner: each makes calls to others. */
  readonly exchangeThrottle: Throttle;
}
