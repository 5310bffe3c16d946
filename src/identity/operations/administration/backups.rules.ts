// Backups as administrators see them, and one made now. The process that has the data folder makes them (ModuleOptions.backups).
import { isoTime } from '../../../platform/clock.ts';
import { isVerified, type LastBackup, lastBackupFailure } from '../../../platform/last-backup.ts';
import { Throttle } from '../../../platform/limits/index.ts';
import type { Caller, FreshLogin } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import type { DataBackups } from '../../ground/module-options.ts';
import type { Deps } from '../../ground/resource/index.ts';

/** Each reads and writes all data, and only so many are kept. */
const ASKED = { attempts: 5, perSeconds: 3600 };
const SETTING = 'GATEHOUSE_BACKUP_FOLDER';

export interface BackupDeps extends Pick<Deps, 'clock' | 'change' | 'config'> {
  readonly dataDir: string;
  readonly rateLimits: boolean;
  readonly freshLogin: FreshLogin;
  readonly backups?: DataBackups | undefined;
  /** Null: never; undefined: not known, because other tools make them. */
  lastBackup(): LastBackup | null | undefined;
}

export function createBackups(deps: BackupDeps) {
  const { clock, change, config, dataDir, freshLogin, backups, lastBackup } = deps;
  const throttle = new Throttle(deps.rateLimits ? ASKED : undefined, clock);
  const isElsewhere = (): boolean => config.databaseUrl !== undefined;

  async function show() {
    const last = lastBackup();
    const { isRunning = false, asked } = backups?.state() ?? {};
    const kept = (await backups?.kept()) ?? [];
    return {
      is_known: !isElsewhere(),
      missing_setting: isElsewhere() || backups?.isScheduled ? null : SETTING,
      last: last
        ? { made_at: last.madeAt, files: [...last.files], verified_at: isVerified(last) ? (last.verifiedAt ?? null) : null }
        : null,
      failed: (isElsewhere() ? undefined : lastBackupFailure(dataDir)) ?? null,
      is_running: isRunning,
      asked: asked ? { started_at: isoTime(asked.startedAt), outcome: asked.outcome, reason: asked.reason ?? null } : null,
      kept: kept.map(({ file, madeAt, bytes, isAsked }) => ({
        file,
        made_at: madeAt,
        bytes,
        verified: true,
        on_schedule: !isAsked,
      })),
    };
  }

  return {
    show,

    /** Begins, and does not wait for it: that takes as long as the data are large. */
    async make(caller: Caller) {
      await freshLogin.requireInPerson(caller, 'identity:create_backup');
      if (isElsewhere()) fail('backup.elsewhere');
      const { state, begin } = backups ?? fail('backup.elsewhere');
      if (state().isRunning) fail('backup.running');
      throttle.take('asked');
      await change(caller, async ({ audit }) => audit('backup.asked_for', { kind: 'backup', id: 'service' }));
      // Two may have asked at once.
      if (!begin()) fail('backup.running');
      return show();
    },
  };
}
