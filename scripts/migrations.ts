// `npm run migrations`: records the hashes of new migrations. From then on they must not be edited.
import { readFileSync, writeFileSync } from 'node:fs';
import { HASHES, hashedMigrations, type MigrationHashes, migrationFaults } from './migration-hashes.ts';

const known = JSON.parse(readFileSync(HASHES, 'utf8')) as MigrationHashes;
const found = hashedMigrations();
const edited = migrationFaults(known, found).filter((fault) => !fault.includes('is new'));
if (edited.length > 0) {
  console.error(edited.join('\n'));
  process.exit(1);
}
const added = Object.keys(found).filter((path) => !(path in known));
writeFileSync(HASHES, `${JSON.stringify(found, null, 2)}\n`);
console.log(added.length === 0 ? 'nothing new' : added.map((path) => `added ${path}`).join('\n'));
