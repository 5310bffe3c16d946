// What the documentation says of /v3/OS-SCIM. Handlers read bodies by the SCIM schema, so none of this validates anything.
import { type Documentation, type Schema as JsonSchema, t } from '../../../platform/http/index.ts';
import type { ResourceType } from '../core/attribute.ts';
import { groupType } from '../core/definitions.ts';
import { operations, projected, searched } from '../core/documentation.ts';
import { MAX_COUNT } from '../core/requests.ts';

const domain = { domain_id: 'Only in this domain. Those who administer one domain are always in that.' };
const enabled = 'Only those that are active, or not.';

export const listed = (type: ResourceType): Documentation => ({
  query: {
    ...searched(MAX_COUNT),
    ...domain,
    name: 'Only the one of this name.',
    ...(type === groupType ? {} : { enabled }),
  },
});

export const SHOWN: Documentation = { query: { ...projected, ...domain } };
export const REMOVED: Documentation = { query: domain };
export const LISTED_ROLES: Documentation = { query: { domain_id: 'Only those of this domain.' } };

const taken = (type: ResourceType, { properties }: JsonSchema, required: readonly string[]): JsonSchema => {
  const hidden = type.core.attributes.filter(({ returned }) => returned === 'never');
  const { meta: _, ...rest } = properties as Record<string, JsonSchema>;
  return {
    type: 'object',
    required,
    properties: {
      ...rest,
      domain_id: t.string({ description: 'The domain; also in the extension.' }),
      ...Object.fromEntries(hidden.map(({ name, description }) => [name, t.string({ description })])),
    },
    additionalProperties: true,
  };
};

/** `One` is what answers have. */
export const created = (type: ResourceType, One: JsonSchema): Documentation => ({
  ...SHOWN,
  body: taken(
    type,
    One,
    type.core.attributes.filter(({ required }) => required).map(({ name }) => name),
  ),
});
export const updated = (type: ResourceType, One: JsonSchema): Documentation => ({ ...SHOWN, body: taken(type, One, []) });
/** What is to be, or the operations of a patch. */
export const changed = (type: ResourceType, One: JsonSchema): Documentation => {
  const body = taken(type, One, []);
  return { ...SHOWN, body: { ...body, properties: { ...(body.properties as object), Operations: operations } } };
};
