// Entities keep attributes we do not know ("extra"), and options that a client sets and unsets.

type Attributes = Readonly<Record<string, unknown>>;

/** What a client sent beyond the fields of the entity. `links` is ours; `id` was handled by whoever calls. */
export function extraOf(body: Attributes, known: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !known.includes(key) && key !== 'links' && key !== 'id'));
}

/** A partial change: what is named replaces, the rest stays. */
export function mergeExtra(kept: string, changes: Attributes): string {
  return JSON.stringify({ ...(JSON.parse(kept) as Attributes), ...changes });
}

/** Like extra, but null takes an option away. */
export function mergeOptions(kept: string, changes: Attributes | undefined): string {
  const merged = { ...(JSON.parse(kept) as Attributes), ...changes };
  return JSON.stringify(Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)));
}

export const parsed = <T extends Attributes = Record<string, unknown>>(text: string): T => JSON.parse(text) as T;

export const bit = (value: boolean): number => (value ? 1 : 0);
