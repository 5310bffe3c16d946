// Follows what is stored of the directories of domains: checks it before it is stored, and acts on changes in every process.
import { ConfigError } from '../../../platform/config/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { DomainSettingsModule } from '../domain-settings/index.ts';
import { type DirectoryClients, isDirectory } from './clients.ts';
import { forgetSync } from './directories.store.ts';
import type { Readings } from './readings.ts';

export interface FollowingDeps {
  readonly log: Log;
  readonly domainSettings: DomainSettingsModule;
  readonly clients: Pick<DirectoryClients, 'closeFormer'>;
  readonly readings: Pick<Readings, 'readNew'>;
  /** Ends the tokens and sessions of all people of a domain. */
  endTokensOf(change: Change, domainId: string): Promise<void>;
}

export function followDirectories({ log, domainSettings, clients, readings, endTokensOf }: FollowingDeps): void {
  domainSettings.checks.push(async (next) => {
    if (!isDirectory(next)) return;
    // The LDAP library is loaded only when there is a directory.
    const { kindsOf } = await import('./filters.ts');
    try {
      kindsOf(next.ldap);
    } catch (error) {
      throw new ConfigError(`[ldap] user_filter or group_filter is no filter: ${(error as Error).message}`);
    }
  });

  domainSettings.directoryChanged.listen(async (transaction, domainId, { was, next }) => {
    if (JSON.stringify(was.ldap) === JSON.stringify(next.ldap) && isDirectory(was) === isDirectory(next)) return;
    await forgetSync(transaction.tx, domainId);
    // Nobody would notice any more who leaves.
    if (isDirectory(was) && !isDirectory(next)) await endTokensOf(transaction, domainId);
  });

  domainSettings.onChange(() => {
    clients.closeFormer().catch((err) => log.warn({ err }, 'connections to a former directory could not be closed'));
    readings.readNew();
  });
}
