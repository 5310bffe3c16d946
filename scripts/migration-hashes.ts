// SHA-256 of every released migration. Existing databases have already applied them, so an edit would make databases differ.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';

export const HASHES = 'scripts/migration-hashes.json';

export type MigrationHashes = Readonly<Record<string, string>>;

export function hashedMigrations(): MigrationHashes {
  const files = globSync('src/*/migrations/*.sql').sort();
  return Object.fromEntries(files.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]));
}

/** Compares the migrations with the recorded hashes. */
export function migrationFaults(known: MigrationHashes, found: MigrationHashes): string[] {
  const gone = Object.keys(known).filter((path) => !(path in found));
  return [
    ...gone.map((path) => `${path} is gone; databases have it, so it stays`),
    ...Object.entries(found).flatMap(([path, hash]) => {
      if (!(path in known)) return [`${path} is new; npm run migrations writes it down`];
      return known[path] === hash ? [] : [`${path} was edited; databases have it already: undo that, and write a new migration`];
    }),
  ];
}

export const currentMigrationFaults = (): string[] =>
  migrationFaults(JSON.parse(readFileSync(HASHES, 'utf8')) as MigrationHashes, hashedMigrations());
