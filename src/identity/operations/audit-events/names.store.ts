// Names of what events mention by id, with what the rules ask before they are shown.
import type { Facts } from '../../access/rules/index.ts';
import type { Reader } from '../../ground/database/index.ts';

/** Databases limit the number of parameters in a statement. */
const IDS_AT_ONCE = 500;

export interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly facts: Facts;
  /** Of an application, or a part of one. */
  readonly applicationId?: string;
  /** In every application, or in every domain. */
  readonly isEverywhere?: boolean;
}

type Ids = readonly string[];
type Read = (db: Reader, ids: Ids) => Promise<NamedRow[]>;

const projects =
  (isDomain: 0 | 1): Read =>
  async (db, ids) => {
    const query = db.selectFrom('projects').where('id', 'in', ids).where('is_domain', '=', isDomain);
    const rows = await query.select(['id', 'name', 'domain_id']).execute();
    return rows.map(({ id, name, domain_id }) => ({
      id,
      name,
      facts: isDomain === 1 ? { domainId: id } : { projectId: id, domainId: domain_id },
    }));
  };

const partsOfApplications =
  (table: 'app_roles' | 'app_permissions'): Read =>
  async (db, ids) => {
    const rows = await db
      .selectFrom(table)
      .where('id', 'in', ids)
      .select(['id', 'name', 'application_id', 'is_internal'])
      .execute();
    return rows.map(({ id, name, application_id, is_internal }) => ({
      id,
      name,
      facts: {},
      applicationId: application_id,
      isEverywhere: is_internal === 1,
    }));
  };

const READ = {
  user: async (db, ids) => {
    const rows = await db.selectFrom('users').where('id', 'in', ids).select(['id', 'name', 'domain_id']).execute();
    return rows.map(({ id, name, domain_id }) => ({ id, name, facts: { userId: id, domainId: domain_id } }));
  },
  group: async (db, ids) => {
    const rows = await db.selectFrom('groups').where('id', 'in', ids).select(['id', 'name', 'domain_id']).execute();
    return rows.map(({ id, name, domain_id }) => ({ id, name, facts: { domainId: domain_id } }));
  },
  project: projects(0),
  domain: projects(1),
  role: async (db, ids) => {
    const rows = await db.selectFrom('roles').where('id', 'in', ids).select(['id', 'name', 'domain_id']).execute();
    return rows.map(({ id, name, domain_id }) => ({
      id,
      name,
      facts: { roleDomainId: domain_id, domainId: domain_id },
      isEverywhere: domain_id === null,
    }));
  },
  consumer: async (db, ids) => {
    const rows = await db.selectFrom('consumers').where('id', 'in', ids).select(['id', 'name']).execute();
    return rows.map(({ id, name }) => ({ id, name, facts: {}, applicationId: id }));
  },
  api: async (db, ids) => {
    const rows = await db.selectFrom('apis').where('id', 'in', ids).select(['id', 'name']).execute();
    return rows.map(({ id, name }) => ({ id, name, facts: {} }));
  },
  app_role: partsOfApplications('app_roles'),
  permission: partsOfApplications('app_permissions'),
  invitation: async (db, ids) => {
    const rows = await db.selectFrom('invitations').where('id', 'in', ids).select(['id', 'email', 'domain_id']).execute();
    return rows.map(({ id, email, domain_id }) => ({ id, name: email, facts: { domainId: domain_id } }));
  },
  application_credential: async (db, ids) => {
    const rows = await db
      .selectFrom('application_credentials')
      .where('id', 'in', ids)
      .select(['id', 'name', 'user_id'])
      .execute();
    return rows.map(({ id, name, user_id }) => ({ id, name, facts: { userId: user_id, ownerId: user_id } }));
  },
  scim_connection: async (db, ids) => {
    const rows = await db.selectFrom('scim_connections').where('id', 'in', ids).select(['id', 'name']).execute();
    return rows.map(({ id, name }) => ({ id, name, facts: {} }));
  },
  registration_token: async (db, ids) => {
    const rows = await db.selectFrom('registration_tokens').where('id', 'in', ids).select(['id', 'name', 'domain_id']).execute();
    return rows.map(({ id, name, domain_id }) => ({ id, name, facts: { domainId: domain_id } }));
  },
} as const satisfies Readonly<Record<string, Read>>;

export type NamedKind = keyof typeof READ;
export const isNamedKind = (kind: string): kind is NamedKind => Object.hasOwn(READ, kind);

export async function readNames(db: Reader, kind: NamedKind, ids: Ids): Promise<NamedRow[]> {
  const rows: NamedRow[] = [];
  for (let first = 0; first < ids.length; first += IDS_AT_ONCE)
    rows.push(...(await READ[kind](db, ids.slice(first, first + IDS_AT_ONCE))));
  return rows;
}
