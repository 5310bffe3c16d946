// The service as its administrators see it.
import type { EffectiveSetting } from '../../platform/config/index.ts';
import { countFailed } from '../outbox/index.ts';
import type { Deps } from '../resource/index.ts';
import { createDeliveries } from './deliveries.rules.ts';
import { createKeys, type ServiceKeys } from './keys.rules.ts';
import { createOverview, type OverviewDeps } from './overview.rules.ts';

export interface AdministrationDeps extends Deps, Omit<OverviewDeps, 'failedDeliveries'> {
  readonly keys: ServiceKeys;
  /** The settings in force, secrets masked. */
  settings(): readonly EffectiveSetting[];
}

export function createAdministration(deps: AdministrationDeps) {
  const { db, lastBackup, settings } = deps;
  return {
    overview: createOverview({ ...deps, failedDeliveries: () => countFailed(db.read) }),
    settings,
    keys: createKeys(deps),
    deliveries: createDeliveries(deps),

    /** With PostgreSQL other tools make backups, and this service does not know of them. */
    backups() {
      const last = lastBackup();
      return { is_known: last !== undefined, last: last ? { made_at: last.madeAt, files: [...last.files] } : null };
    },
  };
}

export type Administration = ReturnType<typeof createAdministration>;
