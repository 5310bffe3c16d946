// Backups: made lately, and test-restored.
import { existsSync, statSync } from 'node:fs';
import { isVerified, lastBackup, lastBackupFailure } from '../platform/last-backup.ts';
import type { DatabaseReport } from './databases.ts';
import { type Deployment, daysBetween, type Finding, fail, ok, warn } from './finding.ts';

const OLD_DAYS = 7;

export async function checkBackups(
  { shared, folder, identity, wallet, machine }: Deployment,
  _reports: readonly DatabaseReport[],
): Promise<Finding[]> {
  const check = 'backup';
  if (shared.backupFolder && existsSync(shared.backupFolder) && statSync(shared.backupFolder).mode & 0o077)
    return [fail(check, `others may enter ${shared.backupFolder}`, `chmod 700 ${shared.backupFolder}`)];
  if (identity?.databaseUrl && wallet && !wallet.databaseUrl)
    return [
      warn(
        check,
        'gatehouse makes no backups of wallet.sqlite while the identity service is on PostgreSQL',
        'set GATEHOUSE_WALLET_DATABASE_URL, too, or copy wallet.sqlite by other means',
      ),
    ];
  if (identity?.databaseUrl) return [ok(check, 'PostgreSQL is backed up with its own tools, which this command cannot check')];
  const failure = lastBackupFailure(folder);
  if (failure)
    return [
      fail(
        check,
        `the last attempt failed at ${failure.at}: ${failure.reason}`,
        'remove the reason, then run: gatehouse scheduled-backup FOLDER',
      ),
    ];
  const last = lastBackup(folder, machine.now());
  if (!last) return [warn(check, 'none was made', 'set GATEHOUSE_BACKUP_FOLDER, or run: gatehouse backup FILE')];
  const days = daysBetween(Date.parse(last.madeAt), machine.now());
  if (days >= OLD_DAYS)
    return [warn(check, `the last one is ${days} days old`, 'set GATEHOUSE_BACKUP_FOLDER, or run: gatehouse backup FILE')];
  if (
    shared.backupFolder &&
    daysBetween(Date.parse(last.verifiedAt ?? '1970-01-01'), machine.now()) * 24 > 2 * Math.max(shared.backupHours, 24)
  )
    return [warn(check, 'the scheduled backups are not made', 'look for "scheduled backup" in the log of the service')];
  if (!isVerified(last)) return [ok(check, `made ${last.madeAt}; it was not test-restored`)];
  return [ok(check, `made ${last.madeAt}, and test-restored`)];
}
