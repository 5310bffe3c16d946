// The configuration of domains in the database.
import type { DomainConfigSecretRow, Reader, Tx } from '../../ground/database/index.ts';
import type { ConfigOption, ConfigPart } from './options.ts';

/** Without the secret ones. */
export async function readConfig(db: Reader, domainId: string, { group, option }: ConfigPart = {}): Promise<ConfigOption[]> {
  let query = db.selectFrom('domain_config_options').where('domain_id', '=', domainId);
  if (group !== undefined) query = query.where('config_group', '=', group);
  if (option !== undefined) query = query.where('config_option', '=', option);
  const rows = await query.orderBy('config_group').orderBy('config_option').selectAll().execute();
  return rows.map((row) => ({ group: row.config_group, option: row.config_option, value: JSON.parse(row.value) as unknown }));
}

async function hasSecret(db: Reader, domainId: string, { group, option }: ConfigPart): Promise<boolean> {
  let query = db.selectFrom('domain_config_secrets').where('domain_id', '=', domainId);
  if (group !== undefined) query = query.where('config_group', '=', group);
  if (option !== undefined) query = query.where('config_option', '=', option);
  return (await query.select('id').limit(1).execute()).length > 0;
}

/** Whether there is anything, secret or not. */
export async function hasConfig(db: Reader, domainId: string, part: ConfigPart = {}): Promise<boolean> {
  return (await readConfig(db, domainId, part)).length > 0 || (await hasSecret(db, domainId, part));
}

export async function deleteConfig(tx: Tx, domainId: string, { group, option }: ConfigPart = {}): Promise<void> {
  for (const table of ['domain_config_options', 'domain_config_secrets'] as const) {
    let query = tx.deleteFrom(table).where('domain_id', '=', domainId);
    if (group !== undefined) query = query.where('config_group', '=', group);
    if (option !== undefined) query = query.where('config_option', '=', option);
    await query.execute();
  }
}

export async function writeOptions(tx: Tx, domainId: string, options: readonly ConfigOption[]): Promise<void> {
  if (options.length === 0) return;
  await tx
    .insertInto('domain_config_options')
    .values(
      options.map(({ group, option, value }) => ({
        domain_id: domainId,
        config_group: group,
        config_option: option,
        value: JSON.stringify(value),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['domain_id', 'config_group', 'config_option']).doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
    )
    .execute();
}

export async function insertSecret(tx: Tx, row: DomainConfigSecretRow): Promise<void> {
  await tx.insertInto('domain_config_secrets').values(row).execute();
}
