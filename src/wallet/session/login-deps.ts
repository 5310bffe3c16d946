// What logins and logouts need.
import type { IncomingHttpHeaders } from 'node:http';
import type { RunAuditedChange } from '../../platform/audit/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Provider, VerifyToken } from '../../platform/openid-client/index.ts';
import type { Tables } from '../ground/database.ts';
import type { Cookies } from './cookies.ts';
import type { Sessions } from './sessions.ts';

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
