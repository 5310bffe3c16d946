// Who acts for whom: EC2 keys and other credentials, application credentials with their access rules, trusts.
import type { RecordOf } from '../../../identity/provisioning/import/index.ts';
import { type Readers, Unreadable } from '../../source.ts';
import { flag, type Row, type SqlSource, textOf } from '../../sql/index.ts';
import type { OpenCredential } from './credential-keys.ts';
import { damaged, eachRow, extraOf, nothingBeside, rowsOf } from './rows.ts';
import { timeOf } from './times.ts';

const end = (micros: unknown, time?: unknown): { expires_at?: number } => {
  const found = timeOf(micros, time);
  return found === undefined ? {} : { expires_at: found };
};

export function delegationReaders(source: SqlSource, openCredential: OpenCredential): Readers {
  const idsOf = (rows: readonly Row[], column = 'id'): unknown[] => rows.map((row) => row[column]);

  async function rulesOf(rows: readonly Row[]): Promise<Map<string, Row[]>> {
    const named = await rowsOf(
      source,
      'application_credential_access_rule',
      'application_credential_id',
      idsOf(rows, 'internal_id'),
    );
    const ids = [...named.values()].flatMap((some) => idsOf(some, 'access_rule_id'));
    const rules = await rowsOf(source, 'access_rule', 'id', [...new Set(ids.map(String))]);
    return new Map(
      [...named].map(([id, some]) => [id, some.flatMap(({ access_rule_id }) => rules.get(String(access_rule_id)) ?? [])]),
    );
  }

  function applicationCredentialOf(
    row: Row,
    roles: readonly Row[] = [],
    rules: readonly Row[] = [],
  ): RecordOf<'application_credential'> | Unreadable {
    const id = String(row.id);
    const [project, description] = [textOf(row.project_id), textOf(row.description)];
    if (project === undefined)
      return new Unreadable(`application credential ${id}`, 'it is for no project, which is not served here');
    return {
      key: id,
      id,
      user: String(row.user_id),
      project,
      name: String(row.name),
      secret_hash: String(row.secret_hash),
      roles: roles.map(({ role_id }) => String(role_id)),
      ...(description === undefined ? {} : { description }),
      unrestricted: flag(row.unrestricted),
      ...end(row.expires_at),
      access_rules: rules.map((rule) => ({
        ...(textOf(rule.external_id) === undefined ? {} : { id: String(rule.external_id) }),
        service: String(rule.service),
        path: String(rule.path),
        method: String(rule.method),
      })),
    };
  }

  function trustOf(row: Row, roles: readonly Row[] = []): RecordOf<'trust'> | Unreadable {
    const extra = extraOf(row);
    const id = String(row.id);
    if (!extra) return damaged('trust', id);
    const [project, above, uses] = [textOf(row.project_id), textOf(row.redelegated_trust_id), textOf(row.remaining_uses)];
    return {
      key: id,
      id,
      trustor: String(row.trustor_user_id),
      trustee: String(row.trustee_user_id),
      ...(project === undefined ? {} : { project }),
      impersonation: flag(row.impersonation),
      ...end(row.expires_at_int, row.expires_at),
      ...(uses === undefined ? {} : { remaining_uses: Number(uses) }),
      ...(above === undefined ? {} : { redelegated_trust: above }),
      redelegation_count: Number(textOf(row.redelegation_count) ?? 0),
      roles: roles.map(({ role_id }) => String(role_id)),
      extra,
    };
  }

  return {
    credential: () =>
      eachRow(
        source,
        { table: 'credential', columns: ['user_id', 'project_id', 'type', 'extra', 'encrypted_blob'], key: ['id'] },
        nothingBeside,
        (row): RecordOf<'credential'> | Unreadable => {
          const extra = extraOf(row);
          const [id, project] = [String(row.id), textOf(row.project_id)];
          if (!extra) return damaged('credential', id);
          const blob = openCredential(textOf(row.encrypted_blob) ?? '');
          if (blob === undefined)
            return new Unreadable(`credential ${id}`, 'none of the keys opens it: --credential-keys names their folder');
          return { key: id, id, user: String(row.user_id), ...(project ? { project } : {}), type: String(row.type), blob, extra };
        },
      ),

    application_credential: () =>
      eachRow(
        source,
        {
          table: 'application_credential',
          columns: ['id', 'name', 'secret_hash', 'description', 'user_id', 'project_id', 'expires_at', 'unrestricted'],
          key: ['internal_id'],
        },
        async (rows) => ({
          roles: await rowsOf(source, 'application_credential_role', 'application_credential_id', idsOf(rows, 'internal_id')),
          rules: await rulesOf(rows),
        }),
        (row, { roles, rules }) =>
          applicationCredentialOf(row, roles.get(String(row.internal_id)), rules.get(String(row.internal_id))),
      ),

    // One that was passed on comes after the one that it is of; what was deleted stays in the table.
    async *trust() {
      const columns = [
        'trustor_user_id',
        'trustee_user_id',
        'project_id',
        'impersonation',
        'expires_at',
        'expires_at_int',
        'remaining_uses',
        'extra',
        'redelegated_trust_id',
        'redelegation_count',
      ];
      for (const passedOn of ['is null', 'is not null'])
        yield* eachRow(
          source,
          { table: 'trust', columns, key: ['id'], where: `deleted_at is null and redelegated_trust_id ${passedOn}` },
          (rows) => rowsOf(source, 'trust_role', 'trust_id', idsOf(rows)),
          (row, roles) => trustOf(row, roles.get(String(row.id))),
        );
    },
  };
}
