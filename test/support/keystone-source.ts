// A database in the shape of Keystone's, on SQLite or PostgreSQL, with rows that tests make.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { DatabaseKind } from './migrated-database.ts';
import { sharedPostgres } from './postgres.ts';

export const ROOT = '<<keystone.domain.root>>';

/** The columns that are read, by table. `!`: of the primary key. */
const TABLES: Readonly<Record<string, string>> = {
  project:
    'id! varchar(64), name varchar(64), extra text, description text, enabled boolean, domain_id varchar(64), parent_id varchar(64), is_domain boolean',
  project_tag: 'project_id! varchar(64), name! varchar(255)',
  project_option: 'project_id! varchar(64), option_id! varchar(4), option_value text',
  user: 'id! varchar(64), extra text, enabled boolean, default_project_id varchar(64), created_at timestamp, last_active_at date, domain_id varchar(64)',
  user_option: 'user_id! varchar(64), option_id! varchar(4), option_value text',
  local_user:
    'id! integer, user_id varchar(64), domain_id varchar(64), name varchar(255), failed_auth_count integer, failed_auth_at timestamp',
  password:
    'id! integer, local_user_id integer, expires_at timestamp, self_service boolean, password_hash varchar(255), created_at_int bigint, expires_at_int bigint, created_at timestamp',
  nonlocal_user: 'domain_id! varchar(64), name! varchar(255), user_id varchar(64)',
  federated_user:
    'id! integer, user_id varchar(64), idp_id varchar(64), protocol_id varchar(64), unique_id varchar(255), display_name varchar(255)',
  group: 'id! varchar(64), domain_id varchar(64), name varchar(64), description text, extra text',
  user_group_membership: 'user_id! varchar(64), group_id! varchar(64)',
  role: 'id! varchar(64), name varchar(255), extra text, domain_id varchar(64), description varchar(255)',
  role_option: 'role_id! varchar(64), option_id! varchar(4), option_value text',
  implied_role: 'prior_role_id! varchar(64), implied_role_id! varchar(64)',
  assignment: 'type! varchar(64), actor_id! varchar(64), target_id! varchar(64), role_id! varchar(64), inherited! boolean',
  region: 'id! varchar(255), description varchar(255), parent_region_id varchar(255), extra text',
  service: 'id! varchar(64), type varchar(255), enabled boolean, extra text',
  endpoint:
    'id! varchar(64), interface varchar(8), service_id varchar(64), url text, extra text, enabled boolean, region_id varchar(255)',
  endpoint_group: 'id! varchar(64), name varchar(255), description text, filters text',
  project_endpoint: 'endpoint_id! varchar(64), project_id! varchar(64)',
  project_endpoint_group: 'endpoint_group_id! varchar(64), project_id! varchar(64)',
  policy: 'id! varchar(64), type varchar(255), blob text, extra text',
  service_provider:
    'id! varchar(64), auth_url varchar(256), enabled boolean, description text, sp_url varchar(256), relay_state_prefix varchar(256)',
  credential:
    'id! varchar(64), user_id varchar(64), project_id varchar(64), type varchar(255), extra text, key_hash varchar(64), encrypted_blob text',
  application_credential:
    'internal_id! integer, id varchar(64), name varchar(255), secret_hash varchar(255), description text, user_id varchar(64), project_id varchar(64), expires_at bigint, system varchar(64), unrestricted boolean',
  application_credential_role: 'application_credential_id! integer, role_id! varchar(64)',
  application_credential_access_rule: 'application_credential_id! integer, access_rule_id! integer',
  access_rule:
    'id! integer, service varchar(64), path varchar(128), method varchar(16), external_id varchar(64), user_id varchar(64)',
  trust:
    'id! varchar(64), trustor_user_id varchar(64), trustee_user_id varchar(64), project_id varchar(64), impersonation boolean, deleted_at timestamp, expires_at timestamp, remaining_uses integer, extra text, expires_at_int bigint, redelegated_trust_id varchar(64), redelegation_count integer',
  revocation_event:
    'id! integer, domain_id varchar(64), project_id varchar(64), user_id varchar(64), role_id varchar(64), trust_id varchar(64), consumer_id varchar(64), access_token_id varchar(64), issued_before timestamp, expires_at timestamp, revoked_at timestamp, audit_id varchar(32), audit_chain_id varchar(32)',
  trust_role: 'trust_id! varchar(64), role_id! varchar(64)',
  system_assignment: 'type! varchar(64), actor_id! varchar(64), target_id! varchar(64), role_id! varchar(64), inherited! boolean',
};

type Values = Readonly<Record<string, unknown>>;

const columnsOf = (definition: string) =>
  definition.split(', ').map((one) => {
    const [name, type] = one.split(' ') as [string, string];
    return { name: name.replace('!', ''), type, isKey: name.endsWith('!') };
  });

const quoted = (name: string): string => `"${name}"`;

const tableText = (table: string): string => {
  const columns = columnsOf(TABLES[table]!);
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => quoted(name));
  return `create table ${quoted(table)} (${columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')}, primary key (${key.join(', ')}))`;
};

export class KeystoneSource {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gatehouse-keystone-'));
  #sqlite: DatabaseSync | undefined;
  #postgres: pg.Client | undefined;
  #numbers = 0;
  /** As an operator names it. */
  location = '';

  async start(kind: DatabaseKind): Promise<void> {
    if (kind === 'SQLite') {
      this.location = join(this.#folder, 'keystone.db');
      this.#sqlite = new DatabaseSync(this.location);
      this.#sqlite.exec('pragma journal_mode = wal; pragma synchronous = off');
    } else {
      this.location = await (await sharedPostgres()).createDatabase();
      this.#postgres = new pg.Client({ connectionString: this.location });
      await this.#postgres.connect();
    }
    for (const table of Object.keys(TABLES)) await this.run(tableText(table));
    await this.insert('project', {
      id: ROOT,
      name: ROOT,
      extra: '{}',
      description: '',
      enabled: false,
      domain_id: ROOT,
      parent_id: null,
      is_domain: true,
    });
  }

  async run(text: string, values: readonly unknown[] = []): Promise<void> {
    if (this.#sqlite) {
      this.#sqlite.prepare(text).run(...(values.map((one) => (typeof one === 'boolean' ? Number(one) : one)) as string[]));
      return;
    }
    let at = 0;
    await this.#postgres!.query(
      text.replace(/\?/g, () => `$${++at}`),
      [...values],
    );
  }

  /** Columns without a value are null. */
  async insert(table: string, ...rows: readonly Values[]): Promise<void> {
    for (const row of rows) {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      await this.run(`insert into ${quoted(table)} (${names.map(quoted).join(', ')}) values (${marks})`, Object.values(row));
    }
  }

  async update(table: string, id: string, values: Values): Promise<void> {
    const set = Object.keys(values).map((name) => `${quoted(name)} = ?`);
    await this.run(`update ${quoted(table)} set ${set.join(', ')} where id = ?`, [...Object.values(values), id]);
  }

  async domain(id: string, more: Values = {}): Promise<void> {
    await this.insert('project', {
      id,
      name: id,
      extra: '{}',
      description: '',
      enabled: true,
      domain_id: ROOT,
      parent_id: null,
      is_domain: true,
      ...more,
    });
  }

  async project(id: string, domain: string, more: Values = {}): Promise<void> {
    await this.insert('project', {
      id,
      name: id,
      extra: '{}',
      description: '',
      enabled: true,
      domain_id: domain,
      parent_id: domain,
      is_domain: false,
      ...more,
    });
  }

  async role(id: string, name: string, more: Values = {}): Promise<void> {
    await this.insert('role', { id, name, extra: '{}', domain_id: '<<null>>', ...more });
  }

  /** With the hashes of their passwords, the oldest first. */
  async user(id: string, name: string, domain: string, hashes: readonly string[] = [], more: Values = {}): Promise<void> {
    const local = ++this.#numbers;
    await this.insert('user', { id, extra: '{}', enabled: true, created_at: '2024-03-01 12:00:00', domain_id: domain, ...more });
    await this.insert('local_user', { id: local, user_id: id, domain_id: domain, name });
    for (const [at, password_hash] of hashes.entries())
      await this.insert('password', {
        id: ++this.#numbers,
        local_user_id: local,
        self_service: false,
        password_hash,
        created_at_int: 1_709_294_400_000_000 + at,
        created_at: '2024-03-01 12:00:00',
      });
  }

  async assign(type: string, actor_id: string, target_id: string, role_id: string, inherited = false): Promise<void> {
    const table = type.endsWith('System') ? 'system_assignment' : 'assignment';
    await this.insert(table, { type, actor_id, target_id, role_id, inherited });
  }

  async stop(): Promise<void> {
    this.#sqlite?.close();
    await this.#postgres?.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
