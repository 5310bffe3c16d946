// The OpenAPI documentation of /scim/v2. It validates nothing: handlers read bodies by the SCIM schema.
import { type Documentation, type Schema as JsonSchema, t } from '../../../../platform/http/index.ts';
import type { ResourceType } from '../core/attribute.ts';
import { commonAttributes } from '../core/definitions.ts';
import { patchOperations, projectionParameters, searchParameters } from '../core/documentation.ts';
import { resourceSchema } from '../core/openapi.ts';
import { DEFAULT_COUNT } from '../core/requests.ts';
import { SCIM_JSON, ScimError } from './error-format.ts';

const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const BULK_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

/** Common to all routes. */
export const SCIM_DOCUMENTATION = { type: SCIM_JSON, error: ScimError } as const satisfies Documentation;

const cursor = 'Pagination by cursor (RFC 9865): empty for the first page, then the nextCursor of the previous page.';
const searchQuery = searchParameters(DEFAULT_COUNT);
const version = { ETag: 'The version of the resource.' };
const contentLocation = { 'Content-Location': 'With 200: the URL of the resource.' };
const ifMatch = { 'If-Match': 'The expected version. 412 if the resource has another one.' };

export const LIST_DOCUMENTATION: Documentation = { ...SCIM_DOCUMENTATION, query: { ...searchQuery, cursor } };
export const SHOW_DOCUMENTATION: Documentation = {
  ...SCIM_DOCUMENTATION,
  query: projectionParameters,
  headers: { 'If-None-Match': 'The version the client has. 304 if it is current.' },
  replyHeaders: { ...version, ...contentLocation },
};
export const DELETE_DOCUMENTATION: Documentation = { ...SCIM_DOCUMENTATION, headers: ifMatch };

/** Every reply of `/Me` has the URL of the user resource. */
export const withUserLocation = (documentation: Documentation): Documentation => ({
  ...documentation,
  replyHeaders: { ...documentation.replyHeaders, Location: 'The URL of the user resource.' },
});

/** The writable attributes. Other attributes are accepted and ignored. */
export function writable(type: ResourceType): JsonSchema {
  const { properties, ...schema } = resourceSchema(type);
  const all = [...commonAttributes, ...type.core.attributes];
  const readOnly = all.filter(({ name, mutability }) => mutability === 'readOnly' && name !== 'schemas');
  const hidden = all.filter(({ returned }) => returned === 'never');
  const input = {
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
  t.name({ [`NewScim${type.name}`]: input });
  return input;
}

export const createDocumentation = (type: ResourceType): Documentation => ({
  ...SCIM_DOCUMENTATION,
  query: projectionParameters,
  body: writable(type),
  replyHeaders: { ...version, Location: 'The URL of the new resource.' },
});
export const replaceDocumentation = (type: ResourceType): Documentation => ({
  ...SCIM_DOCUMENTATION,
  query: projectionParameters,
  headers: ifMatch,
  body: writable(type),
  replyHeaders: { ...version, ...contentLocation },
});

const ScimPatch = t.open({ schemas: t.array(t.oneOf(PATCH)), Operations: patchOperations });
export const PATCH_DOCUMENTATION: Documentation = {
  ...SCIM_DOCUMENTATION,
  query: {
    attributes: `${projectionParameters.attributes} The reply is then 200.`,
    excludedAttributes: `${projectionParameters.excludedAttributes} The reply is then 200.`,
  },
  headers: ifMatch,
  body: ScimPatch,
  replyHeaders: { ...version, ...contentLocation },
};

const text = (description: string) => t.string({ description });
const names = (description: string) => t.array(t.string(), { description });
const search = {
  schemas: t.array(t.oneOf(SEARCH)),
  filter: text(searchQuery.filter),
  startIndex: t.integer({ description: searchQuery.startIndex }),
  count: t.integer({ description: searchQuery.count }),
  sortBy: text(searchQuery.sortBy),
  sortOrder: text(searchQuery.sortOrder),
  attributes: names('Returns only these attributes and those that are always returned.'),
  excludedAttributes: names('Returns all attributes except these.'),
};
const ScimSearch = t.open({}, { ...search, cursor: text(cursor) });
const ScimSearchAll = t.open({}, search);
export const SEARCH_DOCUMENTATION: Documentation = {
  ...SCIM_DOCUMENTATION,
  body: ScimSearch,
};
/** Resource types are searched one after the other; cursors do not support this. */
export const SEARCH_ALL_DOCUMENTATION: Documentation = { ...SCIM_DOCUMENTATION, body: ScimSearchAll };

const ScimBulk = t.open(
  {
    schemas: t.array(t.oneOf(BULK_REQUEST)),
    Operations: t.array(
      t.open(
        { method: t.oneOf('POST', 'PUT', 'PATCH', 'DELETE'), path: text('/Users, or /Users/{id}.') },
        {
          bulkId: text('Name by which other operations refer to the new resource, as bulkId:name. Required with POST.'),
          version: text('Like If-Match.'),
          data: t.open({}, {}, { description: 'The body of the single request.' }),
        },
      ),
      { minItems: 1, maxItems: 1000 },
    ),
  },
  { failOnErrors: t.integer({ description: 'Stops after this number of errors. 0 (default): never.' }) },
);
export const BULK_DOCUMENTATION: Documentation = { ...SCIM_DOCUMENTATION, body: ScimBulk };

t.name({ ScimPatch, ScimSearch, ScimSearchAll, ScimBulk });

/** RFC 7644, 4. */
export const DISCOVERY_LIST_DOCUMENTATION: Documentation = {
  ...SCIM_DOCUMENTATION,
  query: { filter: 'Refused with 403: these lists cannot be filtered.' },
};
