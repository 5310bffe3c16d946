// Dependencies of sessions.
import type { Clock } from '../../platform/clock.ts';
import type { Cache } from '../../platform/database/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Provider } from '../../platform/openid-client/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Database } from '../ground/database.ts';
import type { Cookies } from './cookies.ts';
import type { ProviderChecks } from './provider-checks.ts';
import type { Session, SessionRules } from './session.ts';

export interface SessionDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly cookies: Cookies;
  readonly provider: Provider;
  readonly rules: SessionRules;
  readonly log: Log;
  /** Keyed by the raw cookie, because decrypting it costs more than the rest of a request. */
  readonly cache: Cache<Session>;
  readonly checks: ProviderChecks;
  /** Calls to the provider in progress, by session. */
  readonly pendingChecks: Map<string, Promise<Session | undefined>>;
}
