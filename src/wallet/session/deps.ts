// Dependencies of sessions, login and logout.
import type { IncomingHttpHeaders } from 'node:http';
import type { RunAuditedChange } from '../../platform/audit/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Cache } from '../../platform/database/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Provider, VerifyToken } from '../../platform/openid-client/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Database, Tables } from '../database.ts';
import type { Cookies } from './cookies.ts';
import type { ProviderChecks } from './provider-checks.ts';
import type { Session, SessionRules } from './session.ts';
import type { Sessions } from './sessions.ts';

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

export interface LoginDeps {
  readonly clock: Clock;
  readonly change: RunAuditedChange<Tables>;
  readonly cookies: Cookies;
  readonly provider: Provider;
  readonly verify: VerifyToken;
  readonly sessions: Sessions;
  readonly sessionSeconds: number;
  /** The origin of this service's pages. */
  origin(): string;
  /** The other address of this service to which a request was sent, if the provider knows it. */
  beganAt(headers: IncomingHttpHeaders): string | undefined;
}
