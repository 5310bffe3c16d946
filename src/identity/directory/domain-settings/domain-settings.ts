// The settings of a domain, by its id: what the operator, the domain and the service say together.
import { basename } from 'node:path';
import type { Log } from '../../../platform/log/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { findProject } from '../../access/context/index.ts';
import type { RunChange } from '../../ground/audit/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { type IdentityConfig, madeFrom } from '../../ground/settings/index.ts';
import { readDomainFiles } from './files.ts';
import {
  type DomainFile,
  type DomainNamed,
  fixedIn,
  hasDirectoryFile,
  type InForce,
  inForce,
  type ServiceLayer,
} from './in-force.ts';
import type { DomainOption } from './options.ts';
import { type DomainSettings, type LdapSettings, OF_SERVICE } from './sections.ts';
import { createSettingsStore, type SettingsStore, TAG } from './store.rules.ts';
import { findDomainOfUser, findDomains, readRows, type StoredRow } from './stored.store.ts';
import { readStored, type StoredDomain, versionOf } from './stored.ts';

export interface DomainSettingsOf {
  /** The settings of a domain: its own, or the defaults. May read the name of the domain: in a transaction, by the `reader` of that. */
  of(domainId: string, reader?: Reader): Promise<DomainSettings>;
  /** Those of the domain of a person; the defaults if there is no such person. */
  ofUser(userId: string, reader?: Reader): Promise<DomainSettings>;
  /** The existing domains that have settings of their own. */
  domains(reader?: Reader): Promise<readonly { readonly domainId: string; readonly settings: DomainSettings }[]>;
  /** For use in a transaction that has read the domain. */
  ofDomain(domain: DomainNamed): DomainSettings;
  /** Whether any domain uses a directory. */
  readonly hasDirectories: boolean;
  /** Whether the people of any domain are locked out after wrong passwords. */
  readonly hasLockOuts: boolean;
  /** The settings of domains without their own. */
  defaults(): DomainSettings;
}

export interface DomainSettingsDeps {
  readonly db: Database;
  readonly config: IdentityConfig;
  readonly log: Log;
  readonly seal: Seal;
  readonly change: RunChange;
  readonly serviceSettings: Pick<ServiceLayer, 'sourceOf'>;
}

export interface DomainSettingsModule extends DomainSettingsOf, SettingsStore {
  /** With where each comes from, and what fixes it. */
  inForce(domain: DomainNamed): InForce;
  fixed(domain: DomainNamed, option: DomainOption): string | undefined;
  /** The file of the operator for a domain with this name. */
  fileOf(name: string): string | undefined;
  /** What is stored, as it is in memory. */
  stored(domainId: string): StoredDomain | undefined;
  /** Names the state of what is stored, for ETags. */
  version(domainId: string): string;
  start(): Promise<void>;
  stop(): void;
  /** What is to be done after a change, in every process. */
  onChange(listener: () => void): void;
  /** Logs files whose domain does not exist. The domain may be created later, so this is no error. */
  warnOfUnknownDomains(log: Log): Promise<void>;
}

/** No server: whoever asks is told that the directory is away. A setting that has no effect could let others in. */
const away = (settings: DomainSettings): DomainSettings => ({
  ...settings,
  identity: { ...settings.identity, driver: 'ldap' },
  ldap: { ...settings.ldap, url: [] },
  registration: { ...settings.registration, mode: 'off' },
  account: { ...settings.account, deletion: 'off' },
});

const SERVICE_NAMES = Object.values(OF_SERVICE).flatMap((section) => Object.values(section)) as (keyof IdentityConfig)[];

/** What did not change keeps its identity: connections to a directory are made of it. */
const readAll = (
  { seal, log }: Pick<DomainSettingsDeps, 'seal' | 'log'>,
  rows: readonly StoredRow[],
  before: ReadonlyMap<string, StoredDomain>,
): ReadonlyMap<string, StoredDomain> =>
  new Map(
    [...Map.groupBy(rows, ({ domainId }) => domainId)].map(([id, own]) => {
      const read = readStored(own, seal, log);
      const known = before.get(id);
      return [id, known?.version === read.version ? known : read];
    }),
  );

export function createDomainSettings(deps: DomainSettingsDeps): DomainSettingsModule {
  const { db, config, log } = deps;
  const service: ServiceLayer = { config, sourceOf: deps.serviceSettings.sourceOf };
  const files: ReadonlyMap<string, DomainFile> =
    config.domainConfigDir === undefined ? new Map() : readDomainFiles(config.domainConfigDir, config);
  const listeners: (() => void)[] = [];

  const stored: ReturnType<typeof db.followed<ReadonlyMap<string, StoredDomain>>> = db.followed<
    ReadonlyMap<string, StoredDomain>
  >({
    tag: TAG,
    initial: new Map(),
    async read(): Promise<ReadonlyMap<string, StoredDomain>> {
      const before = stored.value;
      const next = readAll(deps, await readRows(db.read), before);
      const isSame = next.size === before.size && [...next].every(([id, one]) => before.get(id) === one);
      // When the value is there.
      if (!isSame) setImmediate(() => listeners.forEach((listener) => void listener()));
      return isSame ? before : next;
    },
  });

  interface Made {
    readonly defaults: DomainSettings;
    readonly byDomain: Map<
      string,
      { readonly file: DomainFile | undefined; readonly own: StoredDomain | undefined; readonly made: InForce }
    >;
  }
  const current = madeFrom(
    config,
    SERVICE_NAMES,
    (): Made => ({
      defaults: inForce({ file: undefined, service, stored: new Map() }).settings,
      byDomain: new Map(),
    }),
  );
  const ldapOf = new Map<string, { readonly key: string; readonly ldap: LdapSettings }>();

  /** The same object as long as it says the same. */
  function withSameLdap(id: string, made: InForce): InForce {
    const key = JSON.stringify(made.settings.ldap);
    const known = ldapOf.get(id);
    if (known?.key !== key) {
      ldapOf.set(id, { key, ldap: made.settings.ldap });
      return made;
    }
    return { ...made, settings: { ...made.settings, ldap: known.ldap } };
  }

  function make({ id, name }: DomainNamed, own: StoredDomain | undefined): InForce {
    const file = files.get(name);
    const isOperated = hasDirectoryFile(file);
    if (!own?.isBroken || isOperated)
      try {
        return inForce({ file, service, stored: own?.options ?? new Map() });
      } catch (err) {
        log.error({ domain: id, err }, 'the stored settings of a domain do not fit together; its directory is taken for away');
      }
    // What concerns no directory still counts.
    const options = [...(own?.options ?? [])].filter(([key]) => !/^(ldap|identity|registration|account)\./.test(key));
    const made = inForce({ file, service, stored: new Map(options) });
    const asksFor = own?.isBroken || own?.options.get('identity.driver')?.value === 'ldap';
    return asksFor && !isOperated ? { ...made, settings: away(made.settings) } : made;
  }

  function inForceIn(domain: DomainNamed): InForce {
    const { byDomain } = current();
    const own = stored.value.get(domain.id);
    const file = files.get(domain.name);
    const known = byDomain.get(domain.id);
    if (known && known.file === file && known.own === own) return known.made;
    const made = withSameLdap(domain.id, make(domain, own));
    byDomain.set(domain.id, { file, own, made });
    return made;
  }

  const hasOwn = ({ id, name }: DomainNamed): boolean => stored.value.has(id) || files.has(name);
  const ofDomain = (domain: DomainNamed): DomainSettings => (hasOwn(domain) ? inForceIn(domain).settings : current().defaults);

  /** Domains can be renamed and deleted, so they are read each time. */
  async function domains(reader: Reader = db.read) {
    if (files.size === 0 && stored.value.size === 0) return [];
    const found = await findDomains(reader, [...stored.value.keys()], [...files.keys()]);
    return found.filter(hasOwn).map((domain) => ({ domainId: domain.id, settings: ofDomain(domain) }));
  }
  const hasDirectoryFiles = [...files.values()].some(
    (file) => inForce({ file, service, stored: new Map() }).settings.identity.driver === 'ldap',
  );

  return {
    ...createSettingsStore({
      ...deps,
      refresh: () => stored.refresh(),
      fixedIn: (domain, option) => fixedIn(option, files.get(domain.name), service),
      outerOf: (option) => (option.ofService === undefined ? option.setting.fallback : config[option.ofService]),
      check: (domain, options) => inForce({ file: files.get(domain.name), service, stored: options }).settings,
      before: ofDomain,
    }),
    defaults: () => current().defaults,
    ofDomain,
    inForce: (domain) => make(domain, stored.value.get(domain.id)),
    fixed: (domain, option) => fixedIn(option, files.get(domain.name), service)?.why,
    fileOf: (name) => (files.has(name) ? basename(files.get(name)!.path) : undefined),
    stored: (domainId) => stored.value.get(domainId),
    version: (domainId) => stored.value.get(domainId)?.version ?? versionOf([]),
    get hasDirectories() {
      if (hasDirectoryFiles) return true;
      return [...stored.value.values()].some(
        ({ options, isBroken }) => isBroken || options.get('identity.driver')?.value === 'ldap',
      );
    },
    domains,
    async of(domainId, reader = db.read) {
      if (files.size === 0 && !stored.value.has(domainId)) return current().defaults;
      if (files.size === 0) return ofDomain({ id: domainId, name: '' });
      const domain = await findProject(reader, domainId);
      return domain?.is_domain === 1 ? ofDomain(domain) : current().defaults;
    },
    async ofUser(userId, reader = db.read) {
      if (files.size === 0 && stored.value.size === 0) return current().defaults;
      const domain = await findDomainOfUser(reader, userId);
      return domain ? ofDomain(domain) : current().defaults;
    },
    get hasLockOuts() {
      if (config.lockoutFailureAttempts !== undefined) return true;
      if ([...files.values()].some((file) => file.lineOf('lock_out', 'attempts') !== undefined)) return true;
      return [...stored.value.values()].some(({ options }) => options.get('lock_out.attempts')?.value !== undefined);
    },
    start: () => stored.start(),
    stop: () => stored.stop(),
    onChange: (listener) => void listeners.push(listener),
    async warnOfUnknownDomains(log) {
      if (files.size === 0) return;
      const known = new Set((await findDomains(db.read, [], [...files.keys()])).map(({ name }) => name));
      for (const name of files.keys())
        if (!known.has(name)) log.warn({ domain: name }, 'settings of a domain that does not exist (yet)');
    },
  };
}
