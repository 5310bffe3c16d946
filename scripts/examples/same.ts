// Whether a new recording of an operation says the same as the one before it. Recordings differ in what is random: ids, keys, signatures, and
// which items a list has, in which order.
import type { OperationExample } from './recorder.ts';

/** The fields, without their values; of a list, those of all its items. */
interface Shape {
  readonly [field: string]: Shape | undefined;
}

const union = (one: Shape = {}, other: Shape = {}): Shape =>
  Object.fromEntries(Object.keys({ ...one, ...other }).map((field) => [field, union(one[field], other[field])]));

/** Of an empty list nothing is known. */
function shapeOf(value: unknown): Shape | undefined {
  if (typeof value !== 'object' || value === null) return {};
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(shapeOf).reduce(union);
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, shapeOf(one)]));
}

const isSame = (before: Shape | undefined, now: Shape | undefined): boolean =>
  now === undefined ||
  (before !== undefined &&
    Object.keys({ ...before, ...now }).every((name) => name in before && name in now && isSame(before[name], now[name])));

/** Words that are random have a digit, or are long. */
const wordsOf = (value: unknown): string => JSON.stringify(value ?? null).replaceAll(/[\w+/=-]*\d[\w+/=-]*|[\w+/=-]{20,}/g, '#');

/** Requests are written by hand, so their words count. Of answers it is the fields. */
export const saysTheSame = (before: OperationExample, now: OperationExample): boolean =>
  wordsOf(before.request) === wordsOf(now.request) && isSame(shapeOf(before.answers ?? {}), shapeOf(now.answers ?? {}));
