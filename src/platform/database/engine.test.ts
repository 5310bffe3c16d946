// A server that speaks the protocol, but on which what we rely on does not hold: PostgreSQL with other functions of the same name.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { ConfigError } from '../config/index.ts';
import { refuseOtherEngines } from './engine.ts';

const CASES: readonly (readonly [string, string, RegExp])[] = [
  ['is another product', `version() returns text return 'CockroachDB CCL v25.1'`, /it is CockroachDB, which was never tried/],
  ['locks nothing', `pg_advisory_xact_lock(bigint) returns int return 1`, /its advisory locks lock nothing/],
  [
    'sees what is running',
    `pg_visible_in_snapshot(xid8, pg_snapshot) returns boolean return true`,
    /do not say which transactions are running/,
  ],
  [
    'never sees the end',
    `pg_visible_in_snapshot(xid8, pg_snapshot) returns boolean return false`,
    /which transactions have ended/,
  ],
];

describe('A server that is not PostgreSQL (PostgreSQL)', () => {
  for (const [what, definition, expected] of CASES)
    it(`is refused if it ${what}`, async () => {
      const url = await (await sharedPostgres()).createDatabase();
      const newClient = () => new pg.Client(url);
      await refuseOtherEngines(newClient, 'THE_SETTING');
      const client = newClient();
      await client.connect();
      await client.query(`create function public.${definition}`);
      await client.query(`alter database ${client.database} set search_path = public, pg_catalog`);
      await client.end();
      await assert.rejects(refuseOtherEngines(newClient, 'THE_SETTING'), (error: Error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, expected);
        assert.match(error.message, /^THE_SETTING: this server is not suitable/);
        return true;
      });
    });
});
