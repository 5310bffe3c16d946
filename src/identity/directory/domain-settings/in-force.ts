// What is in force in a domain: what the operator fixed (the file of the domain, then the environment and the file of the service), then what
// is stored for the domain, then what is stored for the service, then the default. What cannot be is refused with the words of a start.
import { accessSync, constants } from 'node:fs';
import { basename } from 'node:path';
import { ConfigError, type IniFile } from '../../../platform/config/index.ts';
import type { SettingOwner } from '../../ground/database/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { type DomainOption, domainOptions, isAsStrict, isCapped, isOfDirectory, isOfMachine, serviceKeyOf } from './options.ts';
import type { DomainSections, DomainSettings } from './sections.ts';

export interface DomainNamed {
  readonly id: string;
  readonly name: string;
}

export type SettingPlace = 'domain_file' | 'environment' | 'file' | 'directory' | 'domain' | 'service' | 'default';

export interface ServiceLayer {
  readonly config: IdentityConfig;
  sourceOf(key: string): 'environment' | 'file' | 'service' | 'default';
}

export interface StoredOption {
  /** As it was read. */
  readonly value: unknown;
  readonly by: SettingOwner;
}

/** Why nobody can change it with the API. */
export interface Fixed {
  readonly place: SettingPlace;
  readonly why: string;
}

export interface InForce {
  readonly settings: DomainSettings;
  /** By the names of settings. */
  readonly places: ReadonlyMap<string, SettingPlace>;
}

export type DomainFile = IniFile<DomainSections> & { readonly path: string };

const lineOf = (file: DomainFile | undefined, { group, setting: { key } }: DomainOption): number | undefined =>
  file && (file.lineOf(group, key) ?? file.lineOf(group, `${key}_file`));

/** Whether the file of the operator says where the people are. */
export const hasDirectoryFile = (file: DomainFile | undefined): boolean =>
  file !== undefined && (file.lineOf('ldap') ?? file.lineOf('identity', 'driver')) !== undefined;

/** What the operator fixed. Managers of the domain read why, and folders of the machine are nothing for them. */
export function fixedIn(option: DomainOption, file: DomainFile | undefined, service: ServiceLayer): Fixed | undefined {
  const line = lineOf(file, option);
  if (file && line !== undefined)
    return { place: 'domain_file', why: `the operator has fixed it in line ${line} of ${basename(file.path)}` };
  if (file && isOfDirectory(option) && hasDirectoryFile(file))
    return { place: 'domain_file', why: `the operator has fixed the directory of this domain in ${basename(file.path)}` };
  const key = serviceKeyOf(option);
  const source = key === undefined ? 'default' : service.sourceOf(key);
  if ((source === 'environment' || source === 'file') && !isOfMachine(option))
    return {
      place: source,
      why: `the operator has fixed ${key} in the ${source === 'file' ? 'file of settings' : 'environment'} of the service`,
    };
  return undefined;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

interface Layers {
  readonly file: DomainFile | undefined;
  readonly service: ServiceLayer;
  /** By names. */
  readonly stored: ReadonlyMap<string, StoredOption>;
}

interface Chosen {
  readonly value: unknown;
  readonly place: SettingPlace;
}

function choose(option: DomainOption, { file, service, stored }: Layers): Chosen {
  const { name, group, field, setting } = option;
  const key = serviceKeyOf(option);
  const fixed = fixedIn(option, file, service);
  const outer = option.ofService === undefined ? setting.fallback : service.config[option.ofService];
  const ofService: Chosen = { value: outer, place: (key && service.sourceOf(key)) || 'default' };
  if (fixed?.place === 'domain_file') {
    const value = (file!.values as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group]![field];
    return isCapped(option) && !isAsStrict(option, value, outer) ? ofService : { value, place: fixed.place };
  }
  if (fixed) return { value: outer, place: fixed.place };
  const own = stored.get(name);
  // What a manager stored stays as strict as the service, whatever the service is changed to.
  const isGood = (own?.by === 'administrator' && !isCapped(option)) || (own && isAsStrict(option, own.value, outer));
  return isGood ? { value: own!.value, place: 'domain' } : ofService;
}

/** With a directory, registration and deletion of accounts are off, because the directory does both. */
const OFF_WITH_DIRECTORY = ['registration.mode', 'account.deletion'];

/** Throws ConfigError. */
export function inForce(layers: Layers): InForce {
  const { file, stored } = layers;
  const chosen = new Map(domainOptions.map((option) => [option.name, choose(option, layers)]));
  const said = <T>(name: string): T => chosen.get(name)!.value as T;
  const refuse = (name: string, why: string, section = false): never => {
    const [group, key] = name.split('.') as [keyof DomainSections, string];
    const line = section ? file?.lineOf(group) : file?.lineOf(group, key);
    const text = `[${group}] ${key} ${why}`;
    if (file && line !== undefined) return file.refuse(line, `: ${text}`);
    throw new ConfigError(text);
  };
  const asksFor = said('identity.driver') === 'ldap';
  const hasOptions =
    file?.lineOf('ldap') !== undefined ||
    (!hasDirectoryFile(file) && [...stored.keys()].some((name) => name.startsWith('ldap.')));
  if (asksFor && !hasOptions) refuse('identity.driver', 'is ldap, but there is no [ldap] section');
  // In the API the directory is prepared first, and connected by `driver`.
  const isImplied = file?.lineOf('ldap') !== undefined && file.lineOf('identity', 'driver') === undefined;
  if (asksFor || isImplied) {
    checkDirectory(said, refuse);
    chosen.set('identity.driver', { value: 'ldap', place: chosen.get('identity.driver')!.place });
    for (const name of OFF_WITH_DIRECTORY) {
      const { value, place } = chosen.get(name)!;
      if (value !== 'off' && (place === 'domain' || place === 'domain_file'))
        refuse(name, 'must be off, since the users of this domain are in a directory');
      chosen.set(name, { value: 'off', place: 'directory' });
    }
  }
  const settings: Record<string, Record<string, unknown>> = {};
  for (const { group, field, name } of domainOptions) settings[group] = { ...settings[group], [field]: said(name) };
  return {
    settings: settings as unknown as DomainSettings,
    places: new Map([...chosen].map(([name, { place }]) => [name, place])),
  };
}

function checkDirectory(said: <T>(name: string) => T, refuse: (name: string, why: string, section?: boolean) => never): void {
  if (said('ldap.password') !== undefined && said('ldap.user') === undefined)
    refuse('ldap.password', 'needs user, the DN that it belongs to', true);
  if (said('ldap.user') !== undefined && said('ldap.password') === undefined)
    refuse('ldap.user', 'needs its password, or password_file');
  for (const name of ['ldap.tls_cacertfile', 'ldap.tls_cacertdir']) {
    const path = said<string | undefined>(name);
    if (path !== undefined && !isReadable(path)) refuse(name, `must be readable, which ${path} is not`);
  }
  if (said('ldap.use_tls') && said<readonly string[]>('ldap.url').some((url) => url.startsWith('ldaps:')))
    refuse('ldap.use_tls', 'is for ldap:// servers; those of ldaps:// have TLS from the beginning');
}
