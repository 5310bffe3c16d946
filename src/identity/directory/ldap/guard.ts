// Refuses changes of users and groups in a directory, with Keystone's status and words.
import { type DirectoryGuard, findProject } from '../../access/context/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { DomainSettingsOf, LdapSettings } from '../domain-settings/index.ts';
import { isDirectory, mappedOf } from './clients.ts';
import { groupEntryWithDomain, userEntryWithDomain } from './directories.store.ts';
import type { EntryKind } from './public-id.ts';

/** Attributes of every user that come from the directory. */
const SAID = ['name', 'enabled', 'email', 'description', 'password'];

export function createWriteGuard({
  db,
  domainSettings,
}: {
  readonly db: Database;
  readonly domainSettings: DomainSettingsOf;
}): Omit<DirectoryGuard, 'refresh' | 'accountOf' | 'askAboutNobody' | 'hasEntry' | 'hasLeft'> {
  /** The settings of its directory. Undefined when the domain has no directory any more. */
  async function directoryOf(
    reader: Reader,
    kind: EntryKind,
    id: string,
  ): Promise<{ ldap: LdapSettings; isGone: boolean } | undefined> {
    if (!domainSettings.hasDirectories) return undefined;
    const entry = await (kind === 'user' ? userEntryWithDomain(reader, id) : groupEntryWithDomain(reader, id));
    const settings = entry && domainSettings.ofDomain({ id: entry.domain_id, name: entry.domain_name });
    return settings && isDirectory(settings) ? { ldap: settings.ldap, isGone: entry.gone_at !== null } : undefined;
  }

  return {
    isInDirectory: async (userId, reader = db.read) => (await directoryOf(reader, 'user', userId)) !== undefined,
    hasPassword: async (reader, userId) => (await directoryOf(reader, 'user', userId))?.isGone === false,
    isGroupInDirectory: async (groupId, reader = db.read) => (await directoryOf(reader, 'group', groupId)) !== undefined,
    async forbidNew(domainId, reader = db.read) {
      const domain = domainSettings.hasDirectories ? await findProject(reader, domainId) : undefined;
      if (domain && isDirectory(domainSettings.ofDomain(domain))) fail('directory.no_new', { domain: domainId });
    },
    async attributesOf(userId, reader = db.read) {
      const { ldap } = (await directoryOf(reader, 'user', userId)) ?? {};
      return ldap ? [...SAID, ...mappedOf(ldap).users] : [];
    },
    async forbid(kind, id, reader = db.read) {
      if (await directoryOf(reader, kind, id)) fail('directory.read_only', { kind, id });
    },
    async forbidDeletion(kind, id, reader = db.read) {
      if ((await directoryOf(reader, kind, id))?.isGone === false) fail('directory.read_only', { kind, id });
    },
    async forbidPassword(userId, reader = db.read) {
      if (await directoryOf(reader, 'user', userId)) fail('directory.password', { id: userId });
    },
  };
}
