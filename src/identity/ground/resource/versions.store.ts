// The version of a thing, as its ETag: a hash of what the API shows of the stored row. Clients send it back in If-Match, so that they
// do not overwrite what they have not seen.
import { createHash } from 'node:crypto';
import { lockRow } from '../../../platform/database/index.ts';
import type { Database, Tx } from '../database/index.ts';
import { NOUN_NAMES, type NounName } from '../noun-names.ts';

/** Kinds of things that have a version, and their tables. Nouns are in NOUN_NAMES. */
const tables = {
  user: 'users',
  group: 'groups',
  project: 'projects',
  domain: 'projects',
  role: 'roles',
  consumer: 'consumers',
  app_role: 'app_roles',
  permission: 'app_permissions',
  credential_type: 'credential_types',
} as const;

export type VersionedKind = keyof typeof tables | NounName;
const tableOf = (kind: VersionedKind) =>
  kind in NOUN_NAMES ? NOUN_NAMES[kind as NounName].many : tables[kind as keyof typeof tables];

/**
 * Columns that are not part of it. Some change without anybody editing the thing: by logins, revoked tokens, members of a group. The
 * others are not shown with it, and a hash of them would let clients guess their values.
 */
const LEFT_OUT = new Set([
  'epoch',
  'access_epoch',
  'tokens_ended_at',
  'version',
  'updated_at',
  'last_active_at',
  'last_used_at',
  'name_key',
  'words_version',
  'external_id',
  'profile',
  'confirmed_email',
  'password_expires_at',
  'secret',
  'previous_secret',
  'previous_secret_until',
]);

export function versionOf(row: object): string {
  const shown = Object.entries(row)
    .filter(([column]) => !LEFT_OUT.has(column))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22);
}

/** A type of credentials is compared without when it was made, and with the applications that are in another table. */
async function lockTypeVersion(db: Pick<Database, 'dialect'>, tx: Tx, id: string): Promise<string | undefined> {
  const row = await lockRow(db, tx, 'credential_types', id);
  if (!row) return undefined;
  const { created_at: _, ...shown } = row;
  const targets = await tx.selectFrom('credential_type_targets').where('type_id', '=', id).select('application_id').execute();
  return versionOf({ ...shown, targets: targets.map(({ application_id }) => application_id).sort() });
}

/** Undefined if it does not exist. The row is locked until the transaction ends: what was compared is what is changed. */
export async function lockVersion(
  db: Pick<Database, 'dialect'>,
  tx: Tx,
  kind: VersionedKind,
  id: string,
): Promise<string | undefined> {
  if (kind === 'credential_type') return lockTypeVersion(db, tx, id);
  const row = await lockRow(db, tx, tableOf(kind), id);
  if (!row || (kind !== 'project' && kind !== 'domain')) return row && versionOf(row);
  const tags = await tx.selectFrom('project_tags').where('project_id', '=', id).orderBy('name').select('name').execute();
  return versionOf({ ...row, tags: tags.map(({ name }) => name) });
}
