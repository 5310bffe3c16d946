// Settings of a domain, by its id. Today they come from files, which are named after domains; whoever keeps them in the database later
// gives the same functions.
import { defaultsOf } from '../../platform/config/index.ts';
import type { Log } from '../../platform/log/index.ts';
import { findProject } from '../access/index.ts';
import type { Database } from '../database.ts';
import type { IdentityConfig } from '../settings.ts';
import { findDomainIds } from './domain-settings.store.ts';
import { readDomainFiles } from './files.ts';
import { type DomainSettings, sectionsWith } from './sections.ts';

export interface DomainSettingsOf {
  /** Those of a domain: its own, else the defaults of the service. Never within a transaction: it reads the name of the domain. */
  of(domainId: string): Promise<DomainSettings>;
  /** The domains that have settings of their own, and are there. */
  domains(): Promise<readonly { readonly domainId: string; readonly settings: DomainSettings }[]>;
  /** What a domain without settings of its own has. */
  readonly defaults: DomainSettings;
}

export function createDomainSettings({
  db,
  config,
}: {
  readonly db: Database;
  readonly config: IdentityConfig;
}): DomainSettingsOf & {
  /** A misspelled name would silently mean the defaults: it is said. A domain may be made later, so it is no reason not to start. */
  warnOfUnknownDomains(log: Log): Promise<void>;
} {
  const defaults: DomainSettings = defaultsOf(sectionsWith(config));
  const byName =
    config.domainConfigDir === undefined ? new Map<string, DomainSettings>() : readDomainFiles(config.domainConfigDir, config);

  /** A domain can be renamed, and another one take its name: the name is asked each time. */
  async function domains() {
    if (byName.size === 0) return [];
    const found = await findDomainIds(db.read, [...byName.keys()]);
    return found.map(({ id, name }) => ({ domainId: id, settings: byName.get(name)! }));
  }

  return {
    defaults,
    domains,
    async of(domainId) {
      if (byName.size === 0) return defaults;
      const domain = await findProject(db.read, domainId);
      return (domain?.is_domain === 1 ? byName.get(domain.name) : undefined) ?? defaults;
    },
    async warnOfUnknownDomains(log) {
      if (byName.size === 0) return;
      const known = new Set((await findDomainIds(db.read, [...byName.keys()])).map(({ name }) => name));
      for (const [name, { identity }] of byName) {
        if (!known.has(name)) log.warn({ domain: name }, 'settings of a domain that does not exist (yet)');
        if (identity.driver === 'ldap')
          log.warn({ domain: name }, 'users of directories cannot sign in yet: [ldap] has no effect');
      }
    },
  };
}

export type DomainSettingsModule = ReturnType<typeof createDomainSettings>;
