// Groups, and who is in them. Memberships that providers gave for a time come again with the next login.
import type { RecordOf } from '../../../identity/provisioning/import/index.ts';
import type { Readers, Unreadable } from '../../source.ts';
import { type SqlSource, textOf } from '../../sql/index.ts';
import { damaged, eachRow, extraOf, nothingBeside } from './rows.ts';

export function groupReaders(source: SqlSource): Readers {
  return {
    group: () =>
      eachRow(
        source,
        { table: 'group', columns: ['id', 'domain_id', 'name', 'description', 'extra'], key: ['id'] },
        nothingBeside,
        (row): RecordOf<'group'> | Unreadable => {
          const extra = extraOf(row);
          const id = String(row.id);
          if (!extra) return damaged('group', id);
          return {
            key: id,
            id,
            name: String(row.name),
            domain: String(row.domain_id),
            description: textOf(row.description) ?? '',
            extra,
          };
        },
      ),

    membership: () =>
      eachRow(
        source,
        { table: 'user_group_membership', columns: [], key: ['group_id', 'user_id'] },
        nothingBeside,
        ({ group_id, user_id }) => ({ key: `${group_id} ${user_id}`, group: String(group_id), user: String(user_id) }),
      ),
  };
}
