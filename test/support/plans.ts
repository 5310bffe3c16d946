// How a database reads: the plans of queries.
import { CompiledQuery, type KyselyPlugin } from 'kysely';
import type { Database } from '../../src/identity/ground/database/index.ts';

/** The plans of all queries that some work asks for. */
export async function plansOf(db: Database, work: (db: Database) => Promise<unknown>): Promise<string[]> {
  const queries: CompiledQuery[] = [];
  const capture: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      queries.push(db.read.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work({ ...db, read: db.read.withPlugin(capture), lists: db.lists.withPlugin(capture) });
  const explain = db.dialect === 'sqlite' ? 'explain query plan' : 'explain';
  return Promise.all(
    queries.map(async (query) => {
      const { rows } = await db.read.executeQuery(CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]));
      return rows.map((row) => Object.values(row as object).join(' ')).join('\n');
    }),
  );
}
