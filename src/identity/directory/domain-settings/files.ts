// Reads the files `keystone.<domain name>.conf` of a folder, like Keystone's domain_config_dir. They are read once, at the start.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, readIni } from '../../../platform/config/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { type DomainFile, inForce } from './in-force.ts';
import { type DomainSettings, domainSections } from './sections.ts';

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

const parse = (path: string, text: string): DomainFile => ({ ...readIni(domainSections, path, text), path });

/** What a domain has with this file alone. Throws ConfigError. */
const withFile = (file: DomainFile, config: IdentityConfig): DomainSettings =>
  inForce({ file, service: { config, sourceOf: () => 'default' }, stored: new Map() }).settings;

export const readDomainFile = (path: string, text: string, config: IdentityConfig): DomainSettings =>
  withFile(parse(path, text), config);

/** By domain name. Files that do not end in `.conf` are ignored. */
export function readDomainFiles(folder: string, config: IdentityConfig): Map<string, DomainFile> {
  const byName = new Map<string, DomainFile>();
  const names = reading(folder, 'folder', () => readdirSync(folder))
    .filter((name) => name.endsWith('.conf'))
    .sort();
  for (const name of names) {
    const path = join(folder, name);
    const domain = /^keystone\.(.+)\.conf$/s.exec(name)?.[1];
    if (domain === undefined)
      throw new ConfigError(`${SETTING}: ${path} must be called keystone.<domain name>.conf, or not end in .conf`);
    const file = parse(
      path,
      reading(path, 'file', () => readFileSync(path, 'utf8')),
    );
    withFile(file, config);
    byName.set(domain, file);
  }
  return byName;
}
