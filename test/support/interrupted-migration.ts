// A process that opens a database and kills itself (kill -9) before its n-th statement: `FILE_OR_URL MIGRATIONS N`.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { openDatabase } from '../../src/platform/database/index.ts';

const [where = '', migrations = '', at = ''] = process.argv.slice(2);
let left = Number(at);

function next(): void {
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
}

/** Calls `next` before a method of a class. */
function counting(prototype: object, name: string): void {
  const original = Reflect.get(prototype, name) as (...args: unknown[]) => unknown;
  Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
    next();
    return original.apply(this, args);
  });
}

const statement: StatementSync = new DatabaseSync(':memory:').prepare('select 1');
counting(DatabaseSync.prototype, 'exec');
for (const name of ['run', 'get', 'all']) counting(Object.getPrototypeOf(statement), name);
const databaseUrl = where.startsWith('postgres:') ? where : undefined;
if (databaseUrl) counting((await import('pg')).default.Client.prototype, 'query');
const db = await openDatabase(where, migrations, { databaseUrl, poolSize: 2, namedStatements: true });
// Only statements that open the database are counted, not those that close it.
left = Number.POSITIVE_INFINITY;
await db.close();
