// Rows that can no longer be read, because of a disk fault or a change in the database. The other rows stay readable.
import type { Log } from '../../platform/log/index.ts';

/** Returns undefined and logs a warning if the row is damaged. */
export type UnlessDamaged = <T>(kind: string, id: string, read: () => T) => T | undefined;

export const createUnlessDamaged =
  (log: Log): UnlessDamaged =>
  (kind, id, read) => {
    try {
      return read();
    } catch (error) {
      log.warn({ err: error, [kind]: id }, `a ${kind} cannot be read; it is shown as damaged`);
      return undefined;
    }
  };

class DamagedRowError extends Error {}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses an object and checks that these members are strings. */
export function readObject<T>(text: string, ...texts: readonly (keyof T & string)[]): T {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || texts.some((name) => typeof value[name] !== 'string')) throw new DamagedRowError('unexpected content');
  return value as T;
}

/** Parses a list of strings, or of objects with these string members. */
export function readList<T>(text: string, ...texts: readonly (keyof T & string)[]): T[] {
  const values: unknown = JSON.parse(text);
  const isOne = (value: unknown): boolean =>
    texts.length === 0 ? typeof value === 'string' : isObject(value) && texts.every((name) => typeof value[name] === 'string');
  if (!Array.isArray(values) || !values.every(isOne)) throw new DamagedRowError('unexpected content');
  return values as T[];
}
