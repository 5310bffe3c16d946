// Sessions: created by a login, found by cookie, refreshed, ended. Each step has its own file.

import type { ProviderGrant } from '../../platform/openid-client/index.ts';
import { EVERYONE, readAs } from '../access/index.ts';
import type { Tx, WalletChange } from '../ground/database.ts';
import { beginSession } from './begin.ts';
import type { SessionDeps } from './deps.ts';
import { endByProvider, endSession } from './end.ts';
import { findByCookie } from './find.ts';
import { createProviderChecks } from './provider-checks.ts';
import { type Session, sessionTag } from './session.ts';
import { countSessions, sweepSessions } from './sessions.store.ts';

/** Maximum number of cached sessions. */
const LIMIT = 20_000;

export function createSessions(options: Omit<SessionDeps, 'cache' | 'checks' | 'pendingChecks'>) {
  const { db, clock, rules } = options;
  const deps: SessionDeps = {
    ...options,
    cache: db.cached<Session>({ name: 'sessions', limit: LIMIT, tags: ({ idHash }) => [sessionTag(idHash)] }),
    checks: createProviderChecks(clock, LIMIT),
    pendingChecks: new Map(),
  };
  return {
    find: (cookie: string) => findByCookie(deps, cookie),
    begin: (grant: ProviderGrant, formerCookie: string | undefined) => beginSession(deps, grant, formerCookie),
    end: (idHash: string) => endSession(db, idHash),
    endByProvider: (transaction: WalletChange, ended: Parameters<typeof endByProvider>[2]) =>
      endByProvider(db, transaction, ended),
    /** Active sessions of all owners. */
    countActive: (): Promise<number> => readAs(db, EVERYONE, (reader) => countSessions(reader, clock.now())),
    sweep: (tx: Tx): Promise<number> => sweepSessions(tx, clock.now(), clock.now() - rules.idleMs),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
