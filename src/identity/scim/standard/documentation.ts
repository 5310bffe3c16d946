// What the documentation says of /scim/v2. Handlers read bodies by the SCIM schema, so none of this validates anything.
import { type Documentation, type Schema as JsonSchema, t } from '../../../platform/http/index.ts';
import type { ResourceType } from '../core/attribute.ts';
import { commonAttributes } from '../core/definitions.ts';
import { operations, projected, searched } from '../core/documentation.ts';
import { resourceSchema } from '../core/openapi.ts';
import { DEFAULT_COUNT } from '../core/requests.ts';
import { SCIM_JSON, ScimError } from './error-format.ts';

const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const BULK_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

/** Of every route. */
export const SCIM = { type: SCIM_JSON, error: ScimError } as const satisfies Documentation;

const cursor = 'Pages by cursor (RFC 9865): empty for the first, then the nextCursor of the page before.';
const asked = searched(DEFAULT_COUNT);
const version = { ETag: 'The version of the resource.' };
const place = { 'Content-Location': 'Of 200: where the resource is.' };
const ifMatch = { 'If-Match': 'Only if this is still its version; 412 if not.' };

export const LISTED: Documentation = { ...SCIM, query: { ...asked, cursor } };
export const SHOWN: Documentation = {
  ...SCIM,
  query: projected,
  headers: { 'If-None-Match': 'The version the client has; 304 if it is still that.' },
  replyHeaders: { ...version, ...place },
};
export const REMOVED: Documentation = { ...SCIM, headers: ifMatch };

/** `/Me` says in every answer where the resource itself is. */
export const aliased = (documentation: Documentation): Documentation => ({
  ...documentation,
  replyHeaders: { ...documentation.replyHeaders, Location: 'Where the user is by their id.' },
});

/** What a client may write of a resource; the rest it may send, and it is ignored. */
export function writable(type: ResourceType): JsonSchema {
  const { properties, ...schema } = resourceSchema(type);
  const all = [...commonAttributes, ...type.core.attributes];
  const readOnly = all.filter(({ name, mutability }) => mutability === 'readOnly' && name !== 'schemas');
  const hidden = all.filter(({ returned }) => returned === 'never');
  return {
    ...schema,
    required: type.core.attributes.filter(({ required }) => required).map(({ name }) => name),
    properties: {
      ...Object.fromEntries(
        Object.entries(properties as Record<string, JsonSchema>).filter(([key]) => !readOnly.some(({ name }) => name === key)),
      ),
      ...Object.fromEntries(hidden.map(({ name, description }) => [name, t.string({ description })])),
    },
    additionalProperties: true,
  };
}

export const created = (type: ResourceType): Documentation => ({
  ...SCIM,
  query: projected,
  body: writable(type),
  replyHeaders: { ...version, Location: 'Where the resource is from now on.' },
});
export const replaced = (type: ResourceType): Documentation => ({
  ...SCIM,
  query: projected,
  headers: ifMatch,
  body: writable(type),
  replyHeaders: { ...version, ...place },
});

export const CHANGED: Documentation = {
  ...SCIM,
  query: {
    attributes: `${projected.attributes} With it the answer is 200.`,
    excludedAttributes: `${projected.excludedAttributes} With it the answer is 200.`,
  },
  headers: ifMatch,
  body: t.open({ schemas: t.array(t.oneOf(PATCH)), Operations: operations }),
  replyHeaders: { ...version, ...place },
};

const text = (description: string) => t.string({ description });
const names = (description: string) => t.array(t.string(), { description });
const search = {
  schemas: t.array(t.oneOf(SEARCH)),
  filter: text(asked.filter),
  startIndex: t.integer({ description: asked.startIndex }),
  count: t.integer({ description: asked.count }),
  sortBy: text(asked.sortBy),
  sortOrder: text(asked.sortOrder),
  attributes: names('Show only these, and what is always shown.'),
  excludedAttributes: names('Show everything but these.'),
};
export const SEARCHED: Documentation = { ...SCIM, body: t.open({}, { ...search, cursor: text(cursor) }) };
/** Kinds are searched one after another, which no cursor can say. */
export const SEARCHED_ALL: Documentation = { ...SCIM, body: t.open({}, search) };

export const BULK_DESCRIBED: Documentation = {
  ...SCIM,
  body: t.open(
    {
      schemas: t.array(t.oneOf(BULK_REQUEST)),
      Operations: t.array(
        t.open(
          { method: t.oneOf('POST', 'PUT', 'PATCH', 'DELETE'), path: text('As /Users, or /Users/ and an id.') },
          {
            bulkId: text('What later operations call it by, as bulkId:this. Required with POST.'),
            version: text('As If-Match.'),
            data: t.open({}, {}, { description: 'What the body of the request would be.' }),
          },
        ),
        { minItems: 1, maxItems: 1000 },
      ),
    },
    { failOnErrors: t.integer({ description: 'Stop after so many errors; never when it is 0 or not given.' }) },
  ),
};

/** RFC 7644, 4. */
export const WHOLE: Documentation = { ...SCIM, query: { filter: 'Refused with 403: these lists are always whole.' } };
