// Resources store unknown attributes ("extra"), and options that clients set and unset.

import { t } from '../../../platform/http/index.ts';

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

/** Not only objects: clients may have stored an attribute of this name. */
export const Extra = t.unknown({ description: 'In the answer to a change: the attributes of your own once more, as an object.' });

/** As Keystone answers a change of a user, project or domain: their other attributes once more, together. */
export const withExtra = <T extends object>(
  row: { readonly extra: string },
  shown: T,
): T & { extra: Record<string, unknown> } => ({
  ...shown,
  extra: parseJson(row.extra),
});

/** The members of a stored object, as text to be followed by others. */
export const membersOf = (stored: string): string => (stored.length > 2 ? `${stored.slice(1, -1)},` : '');

export const bit = (value: boolean): number => (value ? 1 : 0);
