// People: with a name and a password here, from another provider, or from a directory.
import type { RecordOf } from '../../../identity/provisioning/import/index.ts';
import type { Readers, Unreadable } from '../../source.ts';
import { flag, pages, type Row, type SqlSource, secondsOf, textOf } from '../../sql/index.ts';
import { damaged, extraOf, isEnabled, optionsOf, rowsOf } from './rows.ts';
import { timeOf } from './times.ts';

const COLUMNS = ['id', 'extra', 'enabled', 'default_project_id', 'created_at', 'last_active_at', 'domain_id'];

const OPTIONS = {
  1000: 'ignore_change_password_upon_first_use',
  1001: 'ignore_password_expiry',
  1002: 'ignore_lockout_failure_attempts',
  1003: 'lock_password',
  1004: 'ignore_user_inactivity',
  MFAR: 'multi_factor_auth_rules',
  MFAE: 'multi_factor_auth_enabled',
};

const passwordOf = (row: Row) => {
  const hash = textOf(row.password_hash);
  if (hash === undefined || hash === '') return [];
  const expires = timeOf(row.expires_at_int, row.expires_at);
  return [
    {
      hash,
      created_at: timeOf(row.created_at_int, row.created_at) ?? 0,
      ...(expires === undefined ? {} : { expires_at: expires }),
      self_service: flag(row.self_service),
    },
  ];
};

interface Beside {
  readonly locals: ReadonlyMap<string, readonly Row[]>;
  readonly nonlocals: ReadonlyMap<string, readonly Row[]>;
  readonly federated: ReadonlyMap<string, readonly Row[]>;
  readonly options: ReadonlyMap<string, readonly Row[]>;
  readonly passwords: ReadonlyMap<string, readonly Row[]>;
}

function userOf(row: Row, beside: Beside): RecordOf<'user'> | Unreadable | undefined {
  const extra = extraOf(row);
  const id = String(row.id);
  if (!extra) return damaged('user', id);
  const local = beside.locals.get(id)?.[0];
  // Those of a directory come with the directory of their domain.
  if (!local && beside.nonlocals.has(id)) return undefined;
  // Keystone shows the id of those who came without a name.
  const name = textOf(local?.name) ?? textOf(beside.federated.get(id)?.[0]?.display_name) ?? id;
  const passwords = local ? (beside.passwords.get(String(local.id)) ?? []) : [];
  const [created, active] = [secondsOf(row.created_at), secondsOf(row.last_active_at)];
  const project = textOf(row.default_project_id);
  return {
    key: id,
    id,
    name: name === '' ? id : name,
    domain: String(row.domain_id),
    enabled: isEnabled(row.enabled),
    ...(project ? { default_project: project } : {}),
    options: optionsOf(beside.options.get(id), OPTIONS),
    attributes: extra,
    ...(created === undefined ? {} : { created_at: created }),
    ...(active === undefined ? {} : { last_active_at: active }),
    passwords: passwords.flatMap(passwordOf),
  };
}

export function userReaders(source: SqlSource): Readers {
  return {
    async *user() {
      for await (const rows of pages(source, { table: 'user', columns: COLUMNS, key: ['id'] })) {
        const ids = rows.map(({ id }) => id);
        const locals = await rowsOf(source, 'local_user', 'user_id', ids);
        const localIds = [...locals.values()].flatMap((some) => some.map(({ id }) => id));
        const beside: Beside = {
          locals,
          nonlocals: await rowsOf(source, 'nonlocal_user', 'user_id', ids),
          federated: await rowsOf(source, 'federated_user', 'user_id', ids, ['id']),
          options: await rowsOf(source, 'user_option', 'user_id', ids),
          passwords: await rowsOf(source, 'password', 'local_user_id', localIds, ['created_at_int', 'id']),
        };
        for (const row of rows) {
          const user = userOf(row, beside);
          if (user) yield user;
        }
      }
    },
  };
}
