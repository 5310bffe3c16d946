// Rows that cannot be read any more: a disk that lies, or somebody at the database. One of them hides no other.
import type { Log } from '../../platform/log/index.ts';

/** Undefined, and a line in the log, for what was damaged. */
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

/** An object with these texts in it. */
export function readObject<T>(text: string, ...texts: readonly (keyof T & string)[]): T {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || texts.some((name) => typeof value[name] !== 'string')) throw new DamagedRowError('unexpected content');
  return value as T;
}

/** A list of texts, or of objects with these texts in them. */
export function readList<T>(text: string, ...texts: readonly (keyof T & string)[]): T[] {
  const values: unknown = JSON.parse(text);
  const isOne = (value: unknown): boolean =>
    texts.length === 0 ? typeof value === 'string' : isObject(value) && texts.every((name) => typeof value[name] === 'string');
  if (!Array.isArray(values) || !values.every(isOne)) throw new DamagedRowError('unexpected content');
  return values as T[];
}
