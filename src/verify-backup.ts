// Checks databases in a folder as a service would use them, restored from a backup or before they are copied: tables whole, rows belong together, and the master key opens every secret.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASES } from './data-folder.ts';
import { SEALED_COLUMNS as IDENTITY_SEALED } from './identity/operations/jobs/index.ts';
import { MIGRATIONS as IDENTITY_MIGRATIONS } from './identity/service.ts';
import { ConfigError } from './platform/config/index.ts';
import { loadInspection } from './platform/database/index.ts';
import type { createSeal } from './platform/seal/index.ts';
import { checkSealed } from './platform/sealed/index.ts';
import { SEALED_COLUMNS as WALLET_SEALED } from './wallet/jobs/index.ts';
import { MIGRATIONS as WALLET_MIGRATIONS } from './wallet/service.ts';

const SERVICES = {
  identity: {
    migrations: IDENTITY_MIGRATIONS,
    sealed: IDENTITY_SEALED,
    counted: ['users', 'projects', 'consumers', 'audit_events'],
  },
  wallet: { migrations: WALLET_MIGRATIONS, sealed: WALLET_SEALED, counted: ['keys', 'dids', 'credentials'] },
} as const;

export interface Verification {
  /** Rows of the main tables. */
  readonly counts: Readonly<Record<string, number>>;
  /** Secrets that opened. */
  readonly secrets: number;
  /** Rows that do not open in the running service either: the backup is faithful, and keeps them. */
  readonly damaged: readonly string[];
}

const refuse = (text: string): never => {
  throw new ConfigError(text);
};

function countRows(path: string, tables: readonly string[]): Record<string, number> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const orphans = db.prepare('pragma foreign_key_check').all();
    if (orphans.length > 0) refuse(`${orphans.length} rows refer to rows that are missing`);
    const countOf = (table: string): number => Number(db.prepare(`select count(*) as count from "${table}"`).get()!.count);
    return Object.fromEntries(tables.map((table) => [table, countOf(table)]));
  } finally {
    db.close();
  }
}

/** Of files whose checksums and pages were checked already. */
export async function verifyRestored(folder: string, seal: ReturnType<typeof createSeal>): Promise<Verification> {
  try {
    return await verifyDatabases(folder, seal);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`the backup was made, but cannot be used: ${error.message}`);
    throw error;
  }
}

export async function verifyDatabases(folder: string, seal: ReturnType<typeof createSeal>): Promise<Verification> {
  const { inspectSqlite } = await loadInspection();
  const counts: Record<string, number> = {};
  const damaged: string[] = [];
  let secrets = 0;
  for (const name of ['identity', 'wallet'] as const) {
    const path = join(folder, `${name}.sqlite`);
    if (!DATABASES.includes(`${name}.sqlite`) || !existsSync(path)) continue;
    const { migrations, sealed, counted } = SERVICES[name];
    const database = await inspectSqlite(path, migrations);
    try {
      const { pending, unknown, last } = database.migrations;
      if (pending.length + unknown.length > 0) refuse(`${name}.sqlite is of another version (${last})`);
      const report = await checkSealed(database.read, sealed, seal);
      if (report.underOtherKeys > 0)
        refuse(
          `${report.underOtherKeys} secrets in ${name}.sqlite are encrypted with another master key than the one that goes with it`,
        );
      secrets += report.count;
      damaged.push(...report.damaged);
    } finally {
      await database.close();
    }
    Object.assign(counts, countRows(path, counted));
  }
  return { counts, secrets, damaged };
}
