// Reads the files `keystone.<domain name>.conf` of a folder, like Keystone's domain_config_dir. They are read once, at the start.
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type IniFile, readIni } from '../../../platform/config/index.ts';
import { type DomainSections, type DomainSettings, type SectionDefaults, sectionsWith } from './sections.ts';

const SETTING = 'GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR';

function reading<T>(path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(
      `${SETTING}: cannot read ${path} (${(error as NodeJS.ErrnoException).code}); give the path of a readable ${what}`,
    );
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** With a directory, registration and deletion of accounts are off, because the directory does both. */
function inDirectory(file: IniFile<DomainSections>): DomainSettings {
  const { values, lineOf, refuse } = file;
  if (values.registration.mode !== 'off' && lineOf('registration', 'mode') !== undefined)
    refuse(
      lineOf('registration', 'mode'),
      ': [registration] mode must be off, since the users of this domain are in a directory',
    );
  if (values.account.deletion !== 'off' && lineOf('account', 'deletion') !== undefined)
    refuse(lineOf('account', 'deletion'), ': [account] deletion must be off, since the users of this domain are in a directory');
  if (values.ldap.password !== undefined && values.ldap.user === undefined)
    refuse(lineOf('ldap'), ': [ldap] password needs user, the DN that it belongs to');
  if (values.ldap.user !== undefined && values.ldap.password === undefined)
    refuse(lineOf('ldap', 'user'), ': [ldap] user needs its password, or password_file');
  for (const [key, path] of [
    ['tls_cacertfile', values.ldap.tlsCacertfile],
    ['tls_cacertdir', values.ldap.tlsCacertdir],
  ] as const)
    if (path !== undefined && !isReadable(path))
      refuse(lineOf('ldap', key), `: [ldap] ${key} must be readable, which ${path} is not`);
  if (values.ldap.useTls && values.ldap.url.some((url) => url.startsWith('ldaps:')))
    refuse(lineOf('ldap', 'use_tls'), ': [ldap] use_tls is for ldap:// servers; those of ldaps:// have TLS from the beginning');
  return {
    ...values,
    identity: { ...values.identity, driver: 'ldap' },
    registration: { ...values.registration, mode: 'off' },
    account: { ...values.account, deletion: 'off' },
  };
}

export function readDomainFile(path: string, text: string, defaults: SectionDefaults): DomainSettings {
  const file = readIni(sectionsWith(defaults), path, text);
  const { values, lineOf, refuse } = file;
  const driverLine = lineOf('identity', 'driver');
  const hasDirectory = lineOf('ldap') !== undefined;
  if (driverLine !== undefined && values.identity.driver === 'ldap' && !hasDirectory)
    refuse(driverLine, ': [identity] driver is ldap, but there is no [ldap] section');
  const isDirectory = hasDirectory && (driverLine === undefined || values.identity.driver === 'ldap');
  return isDirectory ? inDirectory(file) : values;
}

/** Settings by domain name. Files that do not end in `.conf` are ignored. */
export function readDomainFiles(folder: string, defaults: SectionDefaults): Map<string, DomainSettings> {
  const byName = new Map<string, DomainSettings>();
  const names = reading(folder, 'folder', () => readdirSync(folder))
    .filter((name) => name.endsWith('.conf'))
    .sort();
  for (const name of names) {
    const path = join(folder, name);
    const domain = /^keystone\.(.+)\.conf$/s.exec(name)?.[1];
    if (domain === undefined)
      throw new ConfigError(`${SETTING}: ${path} must be called keystone.<domain name>.conf, or not end in .conf`);
    byName.set(
      domain,
      readDomainFile(
        path,
        reading(path, 'file', () => readFileSync(path, 'utf8')),
        defaults,
      ),
    );
  }
  return byName;
}
