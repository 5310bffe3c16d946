// The order of a list: RFC 7644, 3.4.2.3.
import type { Attribute, AttributePath, Resource, ResourceType } from './attribute.ts';
import { findAttributePath, findSubAttribute } from './lookup.ts';

type Sortable = string | number | undefined;

/** Sorts by an attribute; resources without it are last, or first when descending. An unknown attribute is ignored. */
export function sortResources<T extends Resource>(
  type: ResourceType,
  resources: readonly T[],
  sortBy: string | undefined,
  sortOrder?: string,
): readonly T[] {
  const attributePath = sortBy === undefined ? undefined : findAttributePath(type, sortBy.trim());
  if (!attributePath || isSecret(attributePath)) return resources;
  const sign = sortOrder?.toLowerCase() === 'descending' ? -1 : 1;
  return resources
    .map((resource) => ({ resource, key: keyOf(resource, attributePath) }))
    .sort((a, b) => sign * compare(a.key, b.key))
    .map(({ resource }) => resource);
}

/** Sorting by a hidden attribute would reveal its values. */
function isSecret({ attributes }: AttributePath): boolean {
  return attributes.some(({ returned }) => returned === 'never');
}

function keyOf(resource: Resource, { keys, attributes }: AttributePath): Sortable {
  const found = keys.reduce<unknown>((value, key) => part(preferred(value), key), resource);
  const attribute = attributes.at(-1)!;
  const value = preferred(found);
  if (attribute.type !== 'complex') return sortable(attribute, value);
  const sub = findSubAttribute(attribute, 'value');
  return sub && sortable(sub, part(value, sub.name));
}

function part(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Resource)[key] : undefined;
}

/** The primary value, or the first. */
function preferred(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.find((element) => part(element, 'primary') === true) ?? value[0];
}

function sortable({ type, caseExact }: Attribute, value: unknown): Sortable {
  if (typeof value === 'boolean' || typeof value === 'number') return Number(value);
  if (typeof value !== 'string') return undefined;
  if (type === 'dateTime') return Date.parse(value);
  return caseExact ? value : value.toLowerCase();
}

function compare(a: Sortable, b: Sortable): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a < b ? -1 : Number(a > b);
}
