// The authorities by which the servers of directories are known, where settings name them.
import type { X509Certificate } from 'node:crypto';
import { parseAnchors } from '../../../verifiable/trust/index.ts';
import type { DomainSettingsModule } from '../domain-settings/index.ts';
import type { createDirectoryClients } from './clients.ts';

export async function authoritiesOf(
  clients: Pick<ReturnType<typeof createDirectoryClients>, 'domains'>,
  domainSettings: Pick<DomainSettingsModule, 'of'>,
) {
  const found: { domainId: string; certificates: X509Certificate[] }[] = [];
  for (const domainId of await clients.domains()) {
    const { ldap } = await domainSettings.of(domainId);
    // The LDAP library is loaded only when there is a directory.
    const { readAuthorities } = await import('./connection.ts');
    try {
      found.push({ domainId, certificates: (readAuthorities(ldap) ?? []).flatMap(parseAnchors) });
    } catch {
      // A file that cannot be read: the directory does not work either, which the overview says.
    }
  }
  return found;
}
