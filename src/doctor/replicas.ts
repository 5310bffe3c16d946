// The processes that share the database of the identity service: of one version, heard of, and told of each other's changes.
import type { Reader } from '../identity/ground/database/index.ts';
import { readReplicas } from '../identity/operations/replicas/index.ts';
import type { DatabaseReport } from './databases.ts';
import { type Finding, ok, warn } from './finding.ts';

export async function checkReplicas(reports: readonly DatabaseReport[]): Promise<Finding[]> {
  const check = 'replicas';
  const report = reports.find(({ name }) => name === 'identity');
  // With SQLite there is one process.
  if (!report?.server || !report.database) return [];
  const all = await readReplicas(report.database.read as Reader);
  const running = all.filter((one) => !one.is_silent);
  const silent = all.filter((one) => one.is_silent);
  const behind = running.filter((one) => one.is_live === 0);
  const versions = [...new Set(running.map(({ version }) => version))].sort();
  const hostsOf = (some: readonly { readonly host: string }[]): string => [...new Set(some.map(({ host }) => host))].join(', ');
  if (behind.length > 0)
    return [
      warn(
        check,
        `${behind.length} of ${running.length} processes read everything from the database (${hostsOf(behind)})`,
        'look at feed.identity above, and at warnings in their log',
      ),
    ];
  if (versions.length > 1)
    return [warn(check, `different versions run: ${versions.join(', ')}`, 'finish the upgrade: restart the old ones')];
  if (silent.length > 0)
    return [
      warn(
        check,
        `${silent.length} processes were not heard of for a while (${hostsOf(silent)}); ${running.length} run`,
        'look at their log; those that were killed are forgotten after an hour',
      ),
    ];
  return [ok(check, running.length === 0 ? 'none runs' : `${running.length} run, of version ${versions[0]}`)];
}
