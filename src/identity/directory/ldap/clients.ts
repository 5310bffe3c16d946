// The clients of the directories, by domain. A client is created on first use, and replaced when the settings of its domain change.

import type { Deps } from '../../ground/resource/index.ts';
import type { DomainSettings, DomainSettingsOf, LdapSettings } from '../domain-settings/index.ts';
import type { Directory } from './directory.ts';

export const isDirectory = ({ identity }: DomainSettings): boolean => identity.driver === 'ldap';

/** Names of the additional attributes in the settings. */
export const mappedOf = (ldap: LdapSettings) => ({
  users: ldap.userAdditionalAttributeMapping.map(({ name }) => name),
  groups: ldap.groupAdditionalAttributeMapping.map(({ name }) => name),
});

export function createDirectoryClients({
  clock,
  log,
  domainSettings,
}: Pick<Deps, 'clock' | 'log'> & { readonly domainSettings: DomainSettingsOf }) {
  const opened = new Map<string, { readonly ldap: LdapSettings; readonly directory: Promise<Directory> }>();
  let isClosed = false;

  async function open(domainId: string, ldap: LdapSettings): Promise<Directory> {
    // The LDAP library is loaded only when there is a directory.
    const { createDirectory } = await import('./directory.ts');
    return createDirectory({ ldap, domainId, clock, log });
  }

  return {
    /** Undefined when the domain has no directory. */
    async of(domainId: string): Promise<Directory | undefined> {
      const settings = await domainSettings.of(domainId);
      const known = opened.get(domainId);
      if (known?.ldap === settings.ldap && isDirectory(settings)) return known.directory;
      opened.delete(domainId);
      known?.directory.then((directory) => directory.close()).catch(() => {});
      if (!isDirectory(settings) || isClosed) return undefined;
      const directory = open(domainId, settings.ldap);
      opened.set(domainId, { ldap: settings.ldap, directory });
      return directory;
    },

    /** Closes the connections to directories that are not those of their domains any more. */
    async closeFormer(): Promise<void> {
      for (const domainId of [...opened.keys()]) await this.of(domainId);
    },

    async domains(): Promise<string[]> {
      const domains = await domainSettings.domains();
      return domains.filter(({ settings }) => isDirectory(settings)).map(({ domainId }) => domainId);
    },

    async close(): Promise<void> {
      isClosed = true;
      for (const { directory } of opened.values()) (await directory).close();
    },
  };
}

export type DirectoryClients = ReturnType<typeof createDirectoryClients>;
