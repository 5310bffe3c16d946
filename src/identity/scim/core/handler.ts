// One kind of resource on the rows of the base API: what both APIs call.
import type { Caller, Facts, IdentityTarget } from '../../access/index.ts';
import { fail } from '../../faults.ts';
import type { Resource, ResourceType } from './attribute.ts';
import type { Operation } from './patch.ts';
import { type Projection, project } from './projection.ts';
import type { Rows, Stored, Table } from './scim.store.ts';

/** Who asks, where from, and within which domain. */
export interface Context {
  readonly caller: Caller;
  /** Where the resources of this API are, as in `https://id.example.org/scim/v2`. */
  readonly base: string;
  /** The one domain that is visible; undefined for all of them. */
  readonly domainId: string | undefined;
}

/** What a resource becomes. `merge` keeps what it does not name, as clients of Keyrock expect of PUT. */
export type Revision =
  | { readonly kind: 'replace' | 'merge'; readonly input: Resource }
  | { readonly kind: 'patch'; readonly operations: readonly Operation[] };

/** What Keyrock keeps outside the schema. */
export interface Extras {
  readonly id?: string | undefined;
  readonly domainId?: string | undefined;
  readonly defaultProjectId?: string | undefined;
}

/** Throws unless the row is as the client expects it to be. */
export type Precondition = (row: Versioned) => void;

export interface Versioned {
  readonly version: number;
}

export interface Handler<T extends Table = Table> {
  readonly type: ResourceType;
  readonly table: T;
  /** One of them, within sight. */
  target(context: Context, id: string): Promise<IdentityTarget<Stored[T]>>;
  render(context: Context, rows: readonly Rows[T][], wants: Projection['wants']): Promise<Resource[]>;
  create(context: Context, domainId: string, input: Resource, extras?: Extras): Promise<Rows[T]>;
  revise(context: Context, row: Stored[T], revision: Revision, expect?: Precondition, extras?: Extras): Promise<Rows[T]>;
  remove(context: Context, row: Stored[T], expect?: Precondition): Promise<void>;
}

export const versionOf = ({ version }: Versioned): string => `W/"${version}"`;

interface Dated extends Versioned {
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export const metaOf = ({ name, endpoint }: ResourceType, base: string, row: Dated) => ({
  resourceType: name,
  created: new Date(row.created_at * 1000).toISOString(),
  lastModified: new Date(row.updated_at).toISOString(),
  location: `${base}${endpoint}/${row.id}`,
  version: versionOf(row),
});

/**
 * A thing by its row, when that is within what is visible: its domain, or every one. One that is not is asked about as any other of
 * the domain: whoever may not do this there is refused before they learn whether it exists.
 */
export function targetWithin<R extends { readonly domain_id: string | null }>(
  { domainId }: Context,
  row: R | undefined,
  factsOf: (row: R) => Facts,
  missing: () => never,
  known: Facts = {},
): IdentityTarget<R> {
  const seen = row && (domainId === undefined || row.domain_id === domainId) ? row : undefined;
  return { facts: seen ? factsOf(seen) : { ...known, domainId: domainId ?? null }, get: () => seen ?? missing() };
}

/** A name of the base API: not empty, and no longer than its column is meant for. */
export function readName(resource: Resource, attribute: string): string {
  const value = resource[attribute];
  if (typeof value !== 'string' || value.trim() === '') fail('scim.invalid_value', { name: attribute, why: 'it is required' });
  if (value.length > 255) fail('scim.invalid_value', { name: attribute, why: 'it is longer than 255 characters' });
  return value;
}

export const externalIdOf = ({ externalId }: Resource): string | null => (typeof externalId === 'string' ? externalId : null);

/** Resources, with the attributes that are asked for. */
export async function shownOf<T extends Table>(
  handler: Handler<T>,
  context: Context,
  rows: readonly Rows[T][],
  projection: Projection | undefined,
): Promise<Resource[]> {
  const resources = await handler.render(context, rows, projection ? (key) => projection.wants(key) : () => true);
  return projection ? resources.map((resource) => project(handler.type, resource, projection)) : resources;
}
