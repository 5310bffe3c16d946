// Requests of both APIs: list parameters, versions, and projections.
import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from '../../../../platform/http/index.ts';
import { fail } from '../../../ground/faults.ts';
import { single } from '../../../ground/resource/index.ts';
import type { ResourceType } from './attribute.ts';
import { type Precondition, type VersionedRow, versionOf } from './handler.ts';
import type { ListRequest } from './list.ts';
import { type Projection, readProjection } from './projection.ts';

export const DEFAULT_COUNT = 100;
export const MAX_COUNT = 1000;

/** The parameters of a list, from a query or a search request (RFC 7644, 3.4.2 and 3.4.3). */
export type ListParameters = Readonly<Record<string, unknown>>;

/** Refuses a repeated parameter: it would be ambiguous. */
export function parametersOf(query: Query): ListParameters {
  for (const name in query) single(query, name);
  return query;
}

function textParameter(parameters: ListParameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined || value === null) return undefined;
  // A search request has a list of names; a query separates them by commas.
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',');
  return typeof value === 'string' ? value : fail('scim.invalid_value', { name, why: 'it must be a string' });
}

function integerParameter(parameters: ListParameters, name: 'startIndex' | 'count'): number | undefined {
  const value = parameters[name];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  if (name === 'count') fail('scim.invalid_count');
  fail('scim.invalid_value', { name, why: 'it must be a number' });
}

export function readProjectionOf(type: ResourceType, parameters: ListParameters): Projection | undefined {
  const attributes = textParameter(parameters, 'attributes');
  const excludedAttributes = textParameter(parameters, 'excludedAttributes');
  return attributes || excludedAttributes ? readProjection(type, { attributes, excludedAttributes }) : undefined;
}

export function readListRequest(parameters: ListParameters, defaultCount = DEFAULT_COUNT): ListRequest {
  const count = integerParameter(parameters, 'count') ?? defaultCount;
  return {
    filter: textParameter(parameters, 'filter') || undefined,
    // A number below the minimum counts as the minimum (RFC 7644, 3.4.2.4).
    startIndex: Math.max(1, integerParameter(parameters, 'startIndex') ?? 1),
    count: Math.min(MAX_COUNT, Math.max(0, count)),
    cursor: textParameter(parameters, 'cursor'),
    sortBy: textParameter(parameters, 'sortBy') || undefined,
    descending: textParameter(parameters, 'sortOrder')?.toLowerCase() === 'descending',
  };
}

function matchesVersion(header: string, row: VersionedRow): boolean {
  // Weak comparison: our versions are weak, and some clients drop the W/ prefix.
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(versionOf(row)));
}

/** If-Match, or the `version` of a bulk operation: prevents lost updates. */
export function preconditionOf(header: string | undefined): Precondition | undefined {
  if (header === undefined) return undefined;
  return (row) => {
    if (!matchesVersion(header, row)) fail('scim.changed');
  };
}

/** If-None-Match: the client already has this version. */
export const isNotModified = (headers: IncomingHttpHeaders, row: VersionedRow): boolean => {
  const header = headers['if-none-match'];
  return header !== undefined && matchesVersion(header, row);
};
