// The settings of domains in the database.
import type { DomainConfigOptionRow, DomainConfigSecretRow, Reader, SettingOwner, Tx } from '../../ground/database/index.ts';

/** What a path of the API names: everything, a group, or one option. */
export interface ConfigPart {
  readonly group?: string | undefined;
  readonly option?: string | undefined;
}

export interface StoredRow {
  readonly domainId: string;
  readonly group: string;
  readonly option: string;
  /** Undefined: it is a secret. */
  readonly value: unknown;
  /** Of a secret. */
  readonly sealed: { readonly id: string; readonly text: string } | undefined;
  readonly by: SettingOwner | null;
}

const ofOption = ({ domain_id, config_group, config_option, value, stored_by }: DomainConfigOptionRow): StoredRow => ({
  domainId: domain_id,
  group: config_group,
  option: config_option,
  value: JSON.parse(value) as unknown,
  sealed: undefined,
  by: stored_by ?? null,
});

const ofSecret = ({ id, domain_id, config_group, config_option, sealed, stored_by }: DomainConfigSecretRow): StoredRow => ({
  domainId: domain_id,
  group: config_group,
  option: config_option,
  value: undefined,
  sealed: { id, text: sealed },
  by: stored_by ?? null,
});

/** Of one domain, or of all. */
export async function readRows(db: Reader, domainId?: string): Promise<StoredRow[]> {
  let options = db.selectFrom('domain_config_options').selectAll();
  let secrets = db.selectFrom('domain_config_secrets').selectAll();
  if (domainId !== undefined) {
    options = options.where('domain_id', '=', domainId);
    secrets = secrets.where('domain_id', '=', domainId);
  }
  const [plain, sealed] = [
    await options.orderBy('domain_id').orderBy('config_group').orderBy('config_option').execute(),
    await secrets.orderBy('domain_id').orderBy('config_group').orderBy('config_option').execute(),
  ];
  return [...plain.map(ofOption), ...sealed.map(ofSecret)];
}

export async function deleteRow(tx: Tx, domainId: string, group: string, option: string): Promise<void> {
  for (const table of ['domain_config_options', 'domain_config_secrets'] as const)
    await tx
      .deleteFrom(table)
      .where('domain_id', '=', domainId)
      .where('config_group', '=', group)
      .where('config_option', '=', option)
      .execute();
}

export async function insertOption(tx: Tx, row: DomainConfigOptionRow): Promise<void> {
  await tx.insertInto('domain_config_options').values(row).execute();
}

export async function insertSecret(tx: Tx, row: DomainConfigSecretRow): Promise<void> {
  await tx.insertInto('domain_config_secrets').values(row).execute();
}

/** Which of these domains there are. */
export const findDomains = (
  db: Reader,
  ids: readonly string[],
  names: readonly string[],
): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('projects')
    .where('is_domain', '=', 1)
    .where((eb) => eb.or([eb('id', 'in', [...ids, '']), eb('name', 'in', [...names, ''])]))
    .select(['id', 'name'])
    .orderBy('name')
    .execute();

/** Undefined when there is no such user. */
export const findDomainOfUser = (db: Reader, userId: string): Promise<{ id: string; name: string } | undefined> =>
  db
    .selectFrom('users')
    .innerJoin('projects as domain', 'domain.id', 'users.domain_id')
    .where('users.id', '=', userId)
    .select(['domain.id', 'domain.name'])
    .executeTakeFirst();
