// SCIM schemas as JSON Schema, for the OpenAPI document and for checking our own replies.
import { type Schema as JsonSchema, t } from '../../../../platform/http/index.ts';
import type { Attribute, ResourceType } from './attribute.ts';
import { commonAttributes } from './definitions.ts';

const simple: Readonly<Record<Exclude<Attribute['type'], 'complex'>, string>> = {
  string: 'string',
  boolean: 'boolean',
  decimal: 'number',
  integer: 'integer',
  dateTime: 'string',
  reference: 'string',
  binary: 'string',
};

function schemaOf(attribute: Attribute): JsonSchema {
  const one =
    attribute.type === 'complex'
      ? { type: 'object', properties: propertiesOf(attribute.subAttributes ?? []), additionalProperties: false }
      : { type: simple[attribute.type] };
  const documentation = { ...one, description: attribute.description };
  return attribute.multiValued ? { type: 'array', items: documentation } : documentation;
}

const propertiesOf = (attributes: readonly Attribute[]): Record<string, JsonSchema> =>
  Object.fromEntries(attributes.map((attribute) => [attribute.name, schemaOf(attribute)]));

/** A resource in a reply; it never contains a password. */
export function resourceSchema(type: ResourceType): JsonSchema {
  const shown = [...commonAttributes, ...type.core.attributes].filter(({ returned }) => returned !== 'never');
  const extensions = type.extensions.map(({ id, attributes }) => [
    id,
    { type: 'object', properties: propertiesOf(attributes), additionalProperties: false },
  ]);
  const schema = {
    type: 'object',
    required: ['schemas', 'id'],
    properties: { ...propertiesOf(shown), ...Object.fromEntries(extensions) },
    additionalProperties: false,
  };
  t.name({ [`Scim${type.name}`]: schema });
  return schema;
}

/** `name`: what is listed, as in ScimUserList. */
export function listSchema(name: string, items: JsonSchema): JsonSchema {
  const schema = t.object(
    { schemas: t.array(t.string()), Resources: t.array(items), itemsPerPage: t.integer() },
    { totalResults: t.integer(), startIndex: t.integer(), nextCursor: t.string() },
  );
  t.name({ [`Scim${name}List`]: schema });
  return schema;
}

/** Bodies are read by the SCIM schema, which has its own errors; here a body only has to be an object. */
export const Message = t.open({});
