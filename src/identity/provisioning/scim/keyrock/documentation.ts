// The OpenAPI documentation of /v3/OS-SCIM. It validates nothing: handlers read bodies by the SCIM schema.
import { type Documentation, type Schema as JsonSchema, t } from '../../../../platform/http/index.ts';
import type { ResourceType } from '../core/attribute.ts';
import { groupType } from '../core/definitions.ts';
import { patchOperations, projectionParameters, searchParameters } from '../core/documentation.ts';
import { MAX_COUNT } from '../core/requests.ts';

const domain = {
  domain_id: 'Limits the request to this domain. An administrator of one domain is always limited to that domain.',
};
const enabled = 'Returns only active (true) or inactive (false) resources.';

export const listDocumentation = (type: ResourceType): Documentation => ({
  query: {
    ...searchParameters(MAX_COUNT),
    ...domain,
    name: 'Returns only the resource with this name.',
    ...(type === groupType ? {} : { enabled }),
  },
});

export const SHOW_DOCUMENTATION: Documentation = { query: { ...projectionParameters, ...domain } };
export const DELETE_DOCUMENTATION: Documentation = { query: domain };
export const LIST_ROLES_DOCUMENTATION: Documentation = { query: { domain_id: 'Returns only roles of this domain.' } };

/** Named, for example, NewKeyrockUser. */
function bodySchema(name: string, type: ResourceType, { properties }: JsonSchema, required: readonly string[]): JsonSchema {
  const hidden = type.core.attributes.filter(({ returned }) => returned === 'never');
  const { meta: _, ...rest } = properties as Record<string, JsonSchema>;
  const schema = {
    type: 'object',
    required,
    properties: {
      ...rest,
      domain_id: t.string({ description: 'The domain. May also be in the extension.' }),
      ...Object.fromEntries(hidden.map(({ name, description }) => [name, t.string({ description })])),
    },
    additionalProperties: true,
  };
  t.name({ [name]: schema });
  return schema;
}

/** `replySchema` is the schema of replies. */
export const createDocumentation = (type: ResourceType, replySchema: JsonSchema): Documentation => ({
  ...SHOW_DOCUMENTATION,
  body: bodySchema(
    `NewKeyrock${type.name}`,
    type,
    replySchema,
    type.core.attributes.filter(({ required }) => required).map(({ name }) => name),
  ),
});
export const updateDocumentation = (type: ResourceType, replySchema: JsonSchema): Documentation => ({
  ...SHOW_DOCUMENTATION,
  body: bodySchema(`Keyrock${type.name}Changes`, type, replySchema, []),
});
/** Attributes to set, or the operations of a patch. */
export const patchDocumentation = (type: ResourceType, replySchema: JsonSchema): Documentation => {
  const attributes = bodySchema(`Keyrock${type.name}Changes`, type, replySchema, []);
  const body = { ...attributes, properties: { ...(attributes.properties as object), Operations: patchOperations } };
  t.name({ [`Keyrock${type.name}Patch`]: body });
  return { ...SHOW_DOCUMENTATION, body };
};
