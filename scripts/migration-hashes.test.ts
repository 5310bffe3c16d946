// Detects released migrations that were edited or removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentMigrationFaults, hashedMigrations, migrationFaults } from './migration-hashes.ts';

describe('Migrations that were released', () => {
  it('are all as they were written down', () => assert.deepEqual(currentMigrationFaults(), []));

  it('cannot be edited, taken away, or added without being written down', () => {
    const found = hashedMigrations();
    const [path = ''] = Object.keys(found);
    assert.match(migrationFaults(found, { ...found, [path]: 'another' }).join(), /001-core\.sql was edited/);
    const { [path]: hash, ...others } = found;
    assert.ok(hash);
    assert.match(migrationFaults(found, others).join(), /001-core\.sql is gone/);
    assert.match(migrationFaults(others, found).join(), /001-core\.sql is new; npm run migrations/);
  });
});
