// Classifies database errors, the same way for SQLite and PostgreSQL.
import { OutOfTime } from '../deadline.ts';

interface DatabaseError {
  readonly code?: unknown;
  readonly errcode?: unknown;
  readonly message?: unknown;
}

const SQLITE_UNIQUE = [2067, 1555];
const SQLITE_FOREIGN_KEY = 787;

const fieldsOf = (error: unknown): DatabaseError => (error ?? {}) as DatabaseError;

/** A taken name or key. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = fieldsOf(error);
  return code === '23505' || SQLITE_UNIQUE.includes(errcode as number);
}

/** A row refers to one that does not exist, or is referred to by another. */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = fieldsOf(error);
  return code === '23503' || errcode === SQLITE_FOREIGN_KEY;
}

/** A named statement is not there, or is there already: a pooler gave the connection to others in between. */
export function isStatementNameLost(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return code === '26000' || code === '42P05';
}

/** The table changed after the statement was prepared: a newer version ran its migrations. */
export function isPlanOutdated(error: unknown): boolean {
  const { code, message } = fieldsOf(error);
  return code === '0A000' && typeof message === 'string' && message.includes('cached plan');
}

/** Two transactions conflicted, or a prepared statement is of no use any more. The transaction that failed can be repeated. */
export function isRetryable(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return code === '40001' || code === '40P01' || isStatementNameLost(error) || isPlanOutdated(error);
}

/** The database was not queried: it is known to be unreachable, or there is no connection. */
export class DatabaseUnavailable extends Error {}

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Connection exception, too many connections, and the server shutting down or starting. */
const UNREACHABLE = /^(08|53300|57P)/;
const NO_NEW_CONNECTIONS = /not currently accepting connections/;
const UNREACHABLE_TEXTS =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed/;

/** The database cannot be reached. Retrying immediately is pointless. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const { code, message } = fieldsOf(error);
  if (typeof code === 'string' && (SYSTEM_CODES.has(code) || UNREACHABLE.test(code))) return true;
  return typeof message === 'string' && (UNREACHABLE_TEXTS.test(message) || NO_NEW_CONNECTIONS.test(message));
}

/** The server refuses another connection. Those that are open go on. */
export function isConnectionRefused(error: unknown): boolean {
  const { code, message } = fieldsOf(error);
  return code === '53300' || (typeof message === 'string' && NO_NEW_CONNECTIONS.test(message));
}

/** A standby server, a read-only session, a full disk. */
const UNWRITABLE = new Set(['25006', '53100', 'ENOSPC', 'EDQUOT', 'EROFS']);
/** SQLite: read-only, I/O error, disk full. The lower byte is the primary code; the rest is detail. */
const SQLITE_UNWRITABLE = new Set([8, 10, 13]);

/** The database answers but stores nothing. Reads still work. */
export function isUnwritable(error: unknown): boolean {
  const { code, errcode } = fieldsOf(error);
  return UNWRITABLE.has(code as string) || (typeof errcode === 'number' && SQLITE_UNWRITABLE.has(errcode & 0xff));
}

/** Another transaction held the lock for too long. */
export const isLockTimeout = (error: unknown): boolean => fieldsOf(error).code === '55P03';

/** The statement took longer than the server was told to let it. */
export const isStatementTimeout = (error: unknown): boolean => fieldsOf(error).code === '57014';

/** Out of some other resource, or a statement or a lock took too long. */
const BUSY = /^(53|57014$|55P03$)/;
/** SQLite: busy, locked, cannot be opened. */
const SQLITE_BUSY = new Set([5, 6, 14]);

/** The database is unreachable, too busy to answer in time, or stores nothing; or the request waited too long for whatever it was. The caller may try again. */
export function isUnavailable(error: unknown): boolean {
  const { code, errcode } = fieldsOf(error);
  if (error instanceof OutOfTime || isUnreachable(error) || isUnwritable(error)) return true;
  if (isStatementNameLost(error) || isPlanOutdated(error)) return true;
  return (typeof code === 'string' && BUSY.test(code)) || (typeof errcode === 'number' && SQLITE_BUSY.has(errcode & 0xff));
}
