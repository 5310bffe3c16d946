// Keystone, 2023.1 to the newest: its database, by its address, or by the file keystone.conf, which has it.
import { existsSync } from 'node:fs';
import { ImportError, type SourceKind } from '../../source.ts';
import { openSql, type SqlSource } from '../../sql/index.ts';
import { catalogReaders } from './catalog.ts';
import { type KeystoneConf, readConf, settingsOf } from './conf.ts';
import { credentialKeys } from './credential-keys.ts';
import { delegationReaders } from './delegations.ts';
import { groupReaders } from './groups.ts';
import { placeReaders } from './places.ts';
import { remarksOf } from './remarks.ts';
import { revocationReaders } from './revocations.ts';
import { roleReaders } from './roles.ts';
import { userReaders } from './users.ts';

/** With these columns in 2023.1 and since. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  project: ['id', 'name', 'domain_id', 'parent_id', 'is_domain', 'extra'],
  project_option: ['option_id', 'option_value'],
  user: ['id', 'domain_id', 'created_at', 'last_active_at', 'extra'],
  local_user: ['id', 'user_id', 'name'],
  password: ['local_user_id', 'password_hash', 'created_at_int', 'expires_at_int'],
  system_assignment: ['actor_id', 'role_id'],
};

const PRODUCTS = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MySQL' };

async function check(source: SqlSource): Promise<void> {
  for (const [table, columns] of Object.entries(NEEDED)) {
    const found = await source.columnsOf(table);
    if (found.size === 0) throw new ImportError(`this is no database of a Keystone that can be read: it has no table ${table}`);
    const missing = columns.find((column) => !found.has(column));
    if (missing !== undefined)
      throw new ImportError(
        `the table ${table} has no column ${missing}: this Keystone is older than 2023.1. Run keystone-manage db_sync of a newer one first`,
      );
  }
}

const isConf = (location: string): boolean => /\.conf$/.test(location);

const databaseOf = (conf: KeystoneConf, path: string): string =>
  conf('database', 'connection') ?? fail(`${path} names no database: [database] connection`);

/** Where they are if nobody says it. */
const USUAL_KEYS = '/etc/keystone/credential-keys';

const keyFolder = (conf: KeystoneConf): string | undefined => {
  const folder = conf('credential', 'key_repository') ?? USUAL_KEYS;
  return existsSync(folder) ? folder : undefined;
};

const fail = (message: string): never => {
  throw new ImportError(message);
};

export const keystone: SourceKind = {
  about:
    'the database of a Keystone: the file keystone.conf, an address such as postgresql://keystone@db/keystone, or a SQLite file',
  async open(location, { values, env }) {
    const conf = isConf(location) ? readConf(location) : undefined;
    const openCredential = credentialKeys(values['credential-keys'] ?? (conf && keyFolder(conf)));
    const source = await openSql(conf ? databaseOf(conf, location) : location, env.SOURCE_PASSWORD);
    try {
      await check(source);
    } catch (error) {
      await source.close();
      throw error;
    }
    return {
      about: `Keystone (${PRODUCTS[source.dialect]})`,
      readers: {
        ...placeReaders(source),
        ...roleReaders(source),
        ...userReaders(source),
        ...groupReaders(source),
        ...catalogReaders(source),
        ...delegationReaders(source, openCredential),
        ...revocationReaders(source),
      },
      remarks: () => remarksOf(source),
      settings: async () => (conf ? settingsOf(conf) : []),
      close: () => source.close(),
    };
  },
};
