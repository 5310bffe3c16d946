// What ended tokens of Keystone that have not expired: they are good here, too, while both run.
import type { RecordOf } from '../../../identity/provisioning/import/index.ts';
import { type Readers, Unreadable } from '../../source.ts';
import { type SqlSource, secondsOf, textOf } from '../../sql/index.ts';
import { eachRow, nothingBeside } from './rows.ts';

const IDS = [
  'audit_id',
  'audit_chain_id',
  'user_id',
  'project_id',
  'domain_id',
  'role_id',
  'trust_id',
  'consumer_id',
  'access_token_id',
] as const;

export function revocationReaders(source: SqlSource): Readers {
  return {
    async *revocation() {
      // A copy that somebody made may be without it.
      if ((await source.columnsOf('revocation_event')).size === 0) return;
      yield* eachRow(
        source,
        { table: 'revocation_event', columns: [...IDS, 'issued_before'], key: ['id'] },
        nothingBeside,
        (row): RecordOf<'revocation'> | Unreadable => {
          const [key, before] = [String(row.id), secondsOf(row.issued_before)];
          if (before === undefined) return new Unreadable(`revocation ${key}`, 'it has no time');
          const ids = IDS.flatMap((name) => (textOf(row[name]) ? [[name, textOf(row[name])!] as const] : []));
          return { key, issued_before: before, ...Object.fromEntries(ids) };
        },
      );
    },
  };
}
