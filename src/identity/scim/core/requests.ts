// What the requests of both APIs have in common: lists by query or by message, versions, and what an answer shows.
import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from '../../../platform/http/index.ts';
import { fail } from '../../faults.ts';
import { single } from '../../resource/index.ts';
import type { ResourceType } from './attribute.ts';
import { type Precondition, type Versioned, versionOf } from './handler.ts';
import type { ListRequest } from './list.ts';
import { type Projection, readProjection } from './projection.ts';

export const DEFAULT_COUNT = 100;
export const MAX_COUNT = 1000;

/** The parameters of a list, whether they came in a query or in a message (RFC 7644, 3.4.2 and 3.4.3). */
export type Asked = Readonly<Record<string, unknown>>;

/** A parameter that is repeated is refused, since nobody could say which counts. */
export function askedByQuery(query: Query): Asked {
  for (const name in query) single(query, name);
  return query;
}

function text(asked: Asked, name: string): string | undefined {
  const value = asked[name];
  if (value === undefined || value === null) return undefined;
  // A message has lists of names where a query has commas.
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',');
  return typeof value === 'string' ? value : fail('scim.invalid_value', { name, why: 'it must be a string' });
}

function whole(asked: Asked, name: 'startIndex' | 'count'): number | undefined {
  const value = asked[name];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  if (name === 'count') fail('scim.invalid_count');
  fail('scim.invalid_value', { name, why: 'it must be a number' });
}

export function readProjectionOf(type: ResourceType, asked: Asked): Projection | undefined {
  const attributes = text(asked, 'attributes');
  const excludedAttributes = text(asked, 'excludedAttributes');
  return attributes || excludedAttributes ? readProjection(type, { attributes, excludedAttributes }) : undefined;
}

export function readListRequest(asked: Asked, defaultCount = DEFAULT_COUNT): ListRequest {
  const count = whole(asked, 'count') ?? defaultCount;
  return {
    filter: text(asked, 'filter') || undefined,
    // Too small a number counts as the smallest there is (RFC 7644, 3.4.2.4).
    startIndex: Math.max(1, whole(asked, 'startIndex') ?? 1),
    count: Math.min(MAX_COUNT, Math.max(0, count)),
    cursor: text(asked, 'cursor'),
    sortBy: text(asked, 'sortBy') || undefined,
    descending: text(asked, 'sortOrder')?.toLowerCase() === 'descending',
  };
}

function names(header: string, row: Versioned): boolean {
  // Weak comparison: our versions are weak, and some clients drop the mark.
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(versionOf(row)));
}

/** If-Match, or the `version` of a bulk operation: nobody overwrites what they have not seen. */
export function expecting(header: string | undefined): Precondition | undefined {
  if (header === undefined) return undefined;
  return (row) => {
    if (!names(header, row)) fail('scim.changed');
  };
}

/** If-None-Match: the client has this version already. */
export const isKnown = (headers: IncomingHttpHeaders, row: Versioned): boolean => {
  const header = headers['if-none-match'];
  return header !== undefined && names(header, row);
};
