// Dependencies of every module. What else a module needs is passed by name (build.ts of its room).
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { RunChange } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import type { IdentityConfig } from '../settings/index.ts';

export interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: IdentityConfig;
  readonly log: Log;
  readonly change: RunChange;
}
