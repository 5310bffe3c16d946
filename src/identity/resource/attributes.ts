// Resources store unknown attributes ("extra"), and options that clients set and unset.

type Attributes = Readonly<Record<string, unknown>>;

/** Attributes in a body that are not known fields. `links` is ours; the caller handles `id`. */
export function extraOf(body: Attributes, known: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !known.includes(key) && key !== 'links' && key !== 'id'));
}

/** Merges changed attributes into the stored ones. */
export function mergeExtra(stored: string, changes: Attributes): string {
  return JSON.stringify({ ...(JSON.parse(stored) as Attributes), ...changes });
}

/** Like mergeExtra, but null removes an option. */
export function mergeOptions(stored: string, changes: Attributes | undefined): string {
  const merged = { ...(JSON.parse(stored) as Attributes), ...changes };
  return JSON.stringify(Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)));
}

export const parseJson = <T extends Attributes = Record<string, unknown>>(text: string): T => JSON.parse(text) as T;

/** The members of a stored object, as text to be followed by others. */
export const membersOf = (stored: string): string => (stored.length > 2 ? `${stored.slice(1, -1)},` : '');

export const bit = (value: boolean): number => (value ? 1 : 0);
