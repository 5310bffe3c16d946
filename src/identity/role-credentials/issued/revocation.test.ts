// What it costs to find out from whom a change took a role.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { onDatabase } from '../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { withLongStatements } from '../../../platform/database/index.ts';
import { withDeadline } from '../../../platform/deadline.ts';
import { untrueOf } from './revocation.store.ts';

// PostgreSQL chooses by the number of rows.
onDatabase('SQLite', 'Revocation by a change', {}, (api) => {
  const db = usesDatabaseOf(api);

  it('looks through the grants of each holder, never through those of their organization, which may have many members', async () => {
    const everything = { everything: true, users: [], types: [], tags: [] };
    const selection = { applicationIds: ['application'], roles: 'all', organizations: 'all' } as const;
    const untrue = untrueOf(everything, 'type', selection, 0);
    const { rows } = await sql<{ detail: string }>`explain query plan select issued.id ${untrue}`.execute(db().read);
    const looks = rows.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH) grants\b/.test(detail));
    assert.ok(looks.length > 0);
    for (const look of looks) assert.match(look, /INDEX grants_by_(user|group)/);
  });
});

onDatabase('PostgreSQL', 'Revocation by a change', {}, (api) => {
  const db = usesDatabaseOf(api);

  it('may take longer than other statements of a request, if it is about many people', async () => {
    const { limits, after } = await withDeadline(() =>
      db().write(async (tx) => {
        const limit = async () =>
          (await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(tx)).rows[0]!.limit;
        const limits = [await limit(), await withLongStatements(db(), tx, limit)];
        // Longer than a request may wait for all of its statements.
        await withLongStatements(db(), tx, () => sql`select pg_sleep(6.5)`.execute(tx));
        return { limits, after: await limit() };
      }),
    );
    assert.deepEqual([...limits, after], ['4s', '25s', '25s']);
  });
});
