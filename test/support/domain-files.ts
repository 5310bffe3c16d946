// Files with the settings of domains.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** The setting of a service that has these files, by the names of their domains. They are removed after the suite. */
export function usesDomainFiles(files: Readonly<Record<string, string>>): { GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-domains-'));
  for (const [domain, text] of Object.entries(files)) writeFileSync(join(folder, `keystone.${domain}.conf`), text);
  after(() => rmSync(folder, { recursive: true }));
  return { GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder };
}
