// What modules get what they need from. Built in one readable list by service.ts; no container, no globals.
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log/index.ts';
import type { Access } from './access/index.ts';
import type { RunChange } from './audit/index.ts';
import type { Database } from './database.ts';
import type { Notify } from './notifications/index.ts';
import type { Passwords } from './passwords/index.ts';
import type { IdentityConfig } from './settings.ts';
import type { Tokens } from './tokens/index.ts';
import type { Users } from './users/index.ts';

export interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: IdentityConfig;
  readonly log: Log;
  readonly change: RunChange;
  readonly access: Access;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  readonly notify: Notify;
  readonly users: Users;
}
