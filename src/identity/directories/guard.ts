// Refuses changes of users and groups in a directory, with Keystone's status and words.
import type { DirectoryGuard } from '../access/index.ts';
import type { Database } from '../database.ts';
import type { DomainSettingsOf, LdapSettings } from '../domain-settings/index.ts';
import { fail } from '../faults.ts';
import { findGroupEntry, findUserEntry } from './directories.store.ts';
import { isDirectory, mappedOf } from './opened.ts';

/** Attributes of every user that come from the directory. */
const SAID = ['name', 'enabled', 'email', 'description', 'password'];

export function createWriteGuard({
  db,
  domainSettings,
}: {
  readonly db: Database;
  readonly domainSettings: DomainSettingsOf;
}): Omit<DirectoryGuard, 'refresh'> {
  /** The settings of its directory. Undefined when the entry is gone, or the domain has no directory any more. */
  async function settingsFor(kind: 'user' | 'group', id: string): Promise<LdapSettings | undefined> {
    if (!domainSettings.hasDirectories) return undefined;
    const entry = await (kind === 'user' ? findUserEntry(db.read, id) : findGroupEntry(db.read, id));
    if (!entry || entry.gone_at !== null) return undefined;
    const settings = await domainSettings.of(entry.domain_id);
    return isDirectory(settings) ? settings.ldap : undefined;
  }

  return {
    async forbidNew(domainId) {
      if (isDirectory(await domainSettings.of(domainId))) fail('directory.no_new', { domain: domainId });
    },
    async attributesOf(userId) {
      const ldap = await settingsFor('user', userId);
      return ldap ? [...SAID, ...mappedOf(ldap).users] : [];
    },
    async forbid(kind, id) {
      if (await settingsFor(kind, id)) fail('directory.read_only', { kind, id });
    },
  };
}
