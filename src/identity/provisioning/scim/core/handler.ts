// The interface of a resource type, on the rows of the base API. Both SCIM APIs call it.
import type { Caller, Facts, IdentityTarget } from '../../../access/rules/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Resource, ResourceType } from './attribute.ts';
import type { PatchOperation } from './patch.ts';
import { type Projection, project } from './projection.ts';
import type { Rows, ScimTable, StoredRows } from './scim.store.ts';

/** The caller, the base URL, and the visible domain. */
export interface ScimContext {
  readonly caller: Caller;
  /** The base URL of this API, for example `https://id.example.org/scim/v2`. */
  readonly base: string;
  /** The only visible domain; undefined when all are visible. */
  readonly domainId: string | undefined;
}

/** A change of a resource. `merge` keeps attributes it does not name: clients of Keyrock expect this of PUT. */
export type Revision =
  | { readonly kind: 'replace' | 'merge'; readonly input: Resource }
  | { readonly kind: 'patch'; readonly operations: readonly PatchOperation[] };

/** Values of Keyrock that are outside the schema. */
export interface Extras {
  readonly id?: string | undefined;
  readonly domainId?: string | undefined;
  readonly defaultProjectId?: string | undefined;
}

/** Throws unless the row has the version the client expects. */
export type Precondition = (row: VersionedRow) => void;

export interface VersionedRow {
  readonly version: number;
}

export interface ResourceHandler<T extends ScimTable = ScimTable> {
  readonly type: ResourceType;
  readonly table: T;
  /** A resource by its id, if it is visible. */
  target(context: ScimContext, id: string): Promise<IdentityTarget<StoredRows[T]>>;
  render(context: ScimContext, rows: readonly Rows[T][], wants: Projection['wants']): Promise<Resource[]>;
  create(context: ScimContext, domainId: string, input: Resource, extras?: Extras): Promise<Rows[T]>;
  revise(context: ScimContext, row: StoredRows[T], revision: Revision, expect?: Precondition, extras?: Extras): Promise<Rows[T]>;
  remove(context: ScimContext, row: StoredRows[T], expect?: Precondition): Promise<void>;
}

export const versionOf = ({ version }: VersionedRow): string => `W/"${version}"`;

interface DatedRow extends VersionedRow {
  readonly id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export const metaOf = ({ name, endpoint }: ResourceType, base: string, row: DatedRow) => ({
  resourceType: name,
  created: new Date(row.created_at * 1000).toISOString(),
  lastModified: new Date(row.updated_at).toISOString(),
  location: `${base}${endpoint}/${row.id}`,
  version: versionOf(row),
});

/**
 * The target for a row, if it is in the visible domain. Otherwise the target has the facts of that domain: a caller without
 * permission there is refused before they learn whether the resource exists.
 */
export function targetWithin<R extends { readonly domain_id: string | null }>(
  { domainId }: ScimContext,
  row: R | undefined,
  factsOf: (row: R) => Facts,
  missing: () => never,
  known: Facts = {},
): IdentityTarget<R> {
  const visible = row && (domainId === undefined || row.domain_id === domainId) ? row : undefined;
  return { facts: visible ? factsOf(visible) : { ...known, domainId: domainId ?? null }, get: () => visible ?? missing() };
}

/** A name of the base API: 1 to 255 characters. */
export function readName(resource: Resource, attribute: string): string {
  const value = resource[attribute];
  if (typeof value !== 'string' || value.trim() === '') fail('scim.invalid_value', { name: attribute, why: 'it is required' });
  if (value.length > 255) fail('scim.invalid_value', { name: attribute, why: 'it is longer than 255 characters' });
  return value;
}

export const externalIdOf = ({ externalId }: Resource): string | null => (typeof externalId === 'string' ? externalId : null);

/** Renders rows with the requested attributes. */
export async function renderResources<T extends ScimTable>(
  handler: ResourceHandler<T>,
  context: ScimContext,
  rows: readonly Rows[T][],
  projection: Projection | undefined,
): Promise<Resource[]> {
  const resources = await handler.render(context, rows, projection ? (key) => projection.wants(key) : () => true);
  return projection ? resources.map((resource) => project(handler.type, resource, projection)) : resources;
}
