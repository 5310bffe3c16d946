// What a database error means, whichever database said it.

interface DatabaseError {
  readonly code?: unknown;
  readonly errcode?: unknown;
  readonly message?: unknown;
}

const SQLITE_UNIQUE = [2067, 1555];
const SQLITE_FOREIGN_KEY = 787;

/** A taken name or key. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as DatabaseError;
  return code === '23505' || SQLITE_UNIQUE.includes(errcode as number);
}

/** A row that points at one which is gone, or is pointed at. */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as DatabaseError;
  return code === '23503' || errcode === SQLITE_FOREIGN_KEY;
}

/** Two transactions met; the loser may simply run again. */
export function isRetryable(error: unknown): boolean {
  const { code } = (error ?? {}) as DatabaseError;
  return code === '40001' || code === '40P01';
}

const SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH']);
/** PostgreSQL's classes: connection exception, insufficient resources, and the server shutting down or starting. */
const SQLSTATES = /^(08|53|57P)/;

/** The database is away, or too busy to answer in time: the caller may try again. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = (error ?? {}) as DatabaseError;
  if (typeof code === 'string' && (SYSTEM_CODES.has(code) || SQLSTATES.test(code))) return true;
  return (
    typeof message === 'string' &&
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error/.test(
      message,
    )
  );
}
