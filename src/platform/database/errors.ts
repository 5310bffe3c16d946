// What a database error means, whichever database said it.

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

/** A row that points at one which is gone, or is pointed at. */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = fieldsOf(error);
  return code === '23503' || errcode === SQLITE_FOREIGN_KEY;
}

/** Two transactions met; the loser may simply run again. */
export function isRetryable(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return code === '40001' || code === '40P01';
}

/** It was not asked, because it is known to be away, or the time for asking is over. */
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
const UNREACHABLE_TEXTS =
  /timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client has encountered a connection error|Client was closed/;

/** Nothing is heard of it: asking it again at once is no use. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  const { code, message } = fieldsOf(error);
  if (typeof code === 'string' && (SYSTEM_CODES.has(code) || UNREACHABLE.test(code))) return true;
  return typeof message === 'string' && UNREACHABLE_TEXTS.test(message);
}

/** A standby or a session that only reads, a full disk. */
const UNWRITABLE = new Set(['25006', '53100', 'ENOSPC', 'EDQUOT', 'EROFS']);
/** SQLite: read-only, input/output error, full. The lower byte is the kind, whatever the rest says. */
const SQLITE_UNWRITABLE = new Set([8, 10, 13]);

/** It answers, but stores nothing: what only reads goes on. */
export function isUnwritable(error: unknown): boolean {
  const { code, errcode } = fieldsOf(error);
  return UNWRITABLE.has(code as string) || (typeof errcode === 'number' && SQLITE_UNWRITABLE.has(errcode & 0xff));
}

/** Somebody else held what was to be locked for too long. */
export const isLockTimeout = (error: unknown): boolean => fieldsOf(error).code === '55P03';

/** Other resources that ran out, a statement or a lock that took too long. */
const BUSY = /^(53|57014$|55P03$)/;
/** SQLite: busy, locked, cannot be opened. */
const SQLITE_BUSY = new Set([5, 6, 14]);

/** The database is away, too busy to answer in time, or stores nothing: the caller may try again. */
export function isUnavailable(error: unknown): boolean {
  const { code, errcode } = fieldsOf(error);
  if (isUnreachable(error) || isUnwritable(error)) return true;
  return (typeof code === 'string' && BUSY.test(code)) || (typeof errcode === 'number' && SQLITE_BUSY.has(errcode & 0xff));
}
