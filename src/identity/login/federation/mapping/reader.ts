// Reads JSON of unknown shape. It collects all problems with their place; what cannot be read is undefined.
import { MAX_PROBLEMS, MAX_TEXT_LENGTH } from './limits.ts';

export interface MappingProblem {
  /** A path such as `rules.0.remote.1.any_one_of.2`. */
  readonly place: string;
  readonly why: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export class Reader {
  readonly problems: MappingProblem[] = [];

  note(place: string, why: string): undefined {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ place, why });
  }

  /** An object with all `required` properties, and no others than the `optional` ones. */
  object(value: unknown, place: string, required: readonly string[], optional: readonly string[] = []): JsonObject | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.note(place, 'must be an object');
    for (const key of required) if (!Object.hasOwn(value, key)) this.note(`${place}.${key}`, 'it is a required property');
    for (const key of Object.keys(value)) {
      if (!required.includes(key) && !optional.includes(key))
        this.note(`${place}.${key.slice(0, 100)}`, 'it is not a property of this object');
    }
    return value as JsonObject;
  }

  list(value: unknown, place: string): readonly unknown[] | undefined {
    return Array.isArray(value) ? value : this.note(place, 'must be a list');
  }

  text(value: unknown, place: string): string | undefined {
    if (typeof value !== 'string') return this.note(place, 'must be a string');
    if (!isStorable(value)) return this.note(place, 'it contains a NUL character or a lone surrogate');
    return value.length <= MAX_TEXT_LENGTH ? value : this.note(place, `it is longer than ${MAX_TEXT_LENGTH} characters`);
  }

  /** The elements of a list, without those that cannot be read. */
  each<T extends object | string>(value: unknown, place: string, read: (element: unknown, place: string) => T | undefined): T[] {
    return (this.list(value, place) ?? []).flatMap((element, index) => read(element, `${place}.${index}`) ?? []);
  }
}

/** PostgreSQL refuses NUL. A lone surrogate has no UTF-8 form: different names with one would be stored as the same name. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** An own property of the object, not an inherited one. */
export const property = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
