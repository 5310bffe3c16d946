// Settings of a domain, by its id. They are read from files named after domains. A domain configuration API in the database can
// implement the same interface.
import { defaultsOf } from '../../../platform/config/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { findProject } from '../../access/context/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { type IdentityConfig, madeFrom } from '../../ground/settings/index.ts';
import { findDomainIds } from './domain-settings.store.ts';
import { readDomainFiles } from './files.ts';
import { type DomainSettings, SECTION_DEFAULTS, sectionsWith } from './sections.ts';

export interface DomainSettingsOf {
  /** The settings of a domain: its own, or the defaults. Reads the name of the domain, so do not call it within a transaction. */
  of(domainId: string): Promise<DomainSettings>;
  /** The existing domains that have settings of their own. */
  domains(): Promise<readonly { readonly domainId: string; readonly settings: DomainSettings }[]>;
  /** The settings of the domain with this name. For use in a transaction that has read it. */
  ofName(name: string): DomainSettings;
  /** Whether any domain uses a directory. */
  readonly hasDirectories: boolean;
  /** The settings of domains without a file. */
  defaults(): DomainSettings;
}

export function createDomainSettings({
  db,
  config,
}: {
  readonly db: Database;
  readonly config: IdentityConfig;
}): DomainSettingsOf & {
  /** Logs files whose domain does not exist. The domain may be created later, so this is no error. */
  warnOfUnknownDomains(log: Log): Promise<void>;
} {
  const current = madeFrom(config, SECTION_DEFAULTS, () => ({
    defaults: defaultsOf(sectionsWith(config)),
    byName:
      config.domainConfigDir === undefined ? new Map<string, DomainSettings>() : readDomainFiles(config.domainConfigDir, config),
  }));

  /** Domains can be renamed, so the names are read each time. */
  async function domains() {
    const { byName } = current();
    if (byName.size === 0) return [];
    const found = await findDomainIds(db.read, [...byName.keys()]);
    return found.map(({ id, name }) => ({ domainId: id, settings: byName.get(name)! }));
  }
  const ofName = (name: string): DomainSettings => current().byName.get(name) ?? current().defaults;

  return {
    defaults: () => current().defaults,
    ofName,
    hasDirectories: [...current().byName.values()].some(({ identity }) => identity.driver === 'ldap'),
    domains,
    async of(domainId) {
      if (current().byName.size === 0) return current().defaults;
      const domain = await findProject(db.read, domainId);
      return domain?.is_domain === 1 ? ofName(domain.name) : current().defaults;
    },
    async warnOfUnknownDomains(log) {
      const { byName } = current();
      if (byName.size === 0) return;
      const known = new Set((await findDomainIds(db.read, [...byName.keys()])).map(({ name }) => name));
      for (const name of byName.keys())
        if (!known.has(name)) log.warn({ domain: name }, 'settings of a domain that does not exist (yet)');
    },
  };
}

export type DomainSettingsModule = ReturnType<typeof createDomainSettings>;
