// Domains and projects. A domain is a project, below the one above all domains.
import type { RecordOf } from '../../../identity/provisioning/import/index.ts';
import type { Readers, Unreadable } from '../../source.ts';
import { flag, pages, type Row, type SqlSource, textOf } from '../../sql/index.ts';
import { damaged, extraOf, IMMUTABLE, isEnabled, optionsOf, ROOT, rowsOf } from './rows.ts';

const COLUMNS = ['id', 'name', 'extra', 'description', 'enabled', 'domain_id', 'parent_id', 'is_domain'];
/** More than any setting of Keystone allows. */
const DEEPEST = 50;

export function placeReaders(source: SqlSource): Readers {
  async function* read(where: string, values: readonly unknown[], join = ''): AsyncGenerator<RecordOf<'project'> | Unreadable> {
    for await (const rows of pages(source, { table: 'project', columns: COLUMNS, key: ['id'], where, values, join })) {
      const ids = rows.map(({ id }) => id);
      const tags = await rowsOf(source, 'project_tag', 'project_id', ids, ['name']);
      const options = await rowsOf(source, 'project_option', 'project_id', ids);
      for (const row of rows) yield placeOf(row, tags.get(String(row.id)), options.get(String(row.id)));
    }
  }

  function placeOf(row: Row, tags: readonly Row[] = [], options: readonly Row[] = []): RecordOf<'project'> | Unreadable {
    const extra = extraOf(row);
    const id = String(row.id);
    if (!extra) return damaged(flag(row.is_domain) ? 'domain' : 'project', id);
    const [domain, parent] = [String(row.domain_id), textOf(row.parent_id)];
    return {
      key: id,
      id,
      name: String(row.name),
      domain,
      ...(parent === undefined || parent === domain ? {} : { parent }),
      enabled: isEnabled(row.enabled),
      description: textOf(row.description) ?? '',
      tags: tags.map(({ name }) => String(name)),
      options: optionsOf(options, IMMUTABLE),
      extra,
    };
  }

  /** What is so deep, each project after those above it. */
  function atDepth(depth: number) {
    const q = source.quoted;
    const joins = Array.from({ length: depth }, (_, at) => {
      const below = at === 0 ? q('project') : `above${at}`;
      return `join ${q('project')} above${at + 1} on above${at + 1}.id = ${below}.parent_id`;
    });
    const where = `${q('project')}.is_domain = ? and above${depth}.is_domain = ?`;
    const [no, yes] = source.dialect === 'postgres' ? ['f', 't'] : [0, 1];
    return read(where, [no, yes], joins.join(' '));
  }

  return {
    async *domain() {
      const yes = source.dialect === 'postgres' ? 't' : 1;
      for await (const one of read(`${source.quoted('project')}.is_domain = ? and ${source.quoted('project')}.id <> ?`, [
        yes,
        ROOT,
      ])) {
        if (!('key' in one)) yield one;
        else {
          const { domain: _, parent: __, ...domain } = one;
          yield domain;
        }
      }
    },
    async *project() {
      for (let depth = 1; depth <= DEEPEST; depth++) {
        let count = 0;
        for await (const one of atDepth(depth)) {
          count++;
          yield one;
        }
        if (count === 0) return;
      }
    },
  };
}
