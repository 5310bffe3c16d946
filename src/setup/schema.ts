// The format of a set-up file, from the kinds that it has. The same schema validates a file, and is printed as a JSON Schema for editors.
import { type Schema, t } from '../platform/http/index.ts';
import { definitionOf, type Entry, FILE_LISTS, type List, type Lists, reservedNames } from './kinds/index.ts';
import type { Kind } from './model.ts';

export const SCHEMA_ID = 'urn:gatehouse:setup:1';

type Schemas = Record<string, Schema>;
const notes = (description: string | undefined) => (description === undefined ? {} : { description });

/** Attributes of one's own, beyond the fields that the service knows. They must not replace those. */
const attributesWithout = (names: readonly string[]): Schema => ({
  type: 'object',
  additionalProperties: true,
  propertyNames: { not: { enum: reservedNames(names) } },
  description: 'Further attributes by their names. The service stores and returns them.',
});

function entrySchema(kind: Kind): Schema {
  const { schema, required, optional, about, fields = {}, reserved, further, lists = {} } = definitionOf(kind);
  if (schema) return schema;
  const fieldsThat = (isRequired: boolean): Schemas =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) =>
        field.schema && (field.isRequired ?? false) === isRequired ? [[name, field.schema]] : [],
      ),
    );
  const attributes = reserved ? { attributes: attributesWithout(reserved) } : {};
  return t.object(
    { ...required, ...fieldsThat(true) },
    { ...optional, ...fieldsThat(false), ...attributes, ...further, ...listSchemas(lists) },
    notes(about),
  );
}

/** Organizations are below organizations. */
const itemSchema = (kind: Kind): Schema => (kind === 'organization' ? { $ref: `#/$defs/${kind}` } : entrySchema(kind));
const listSchema = ({ kind, about, isOne }: List): Schema => (isOne ? itemSchema(kind) : t.array(itemSchema(kind), notes(about)));

function listSchemas(lists: Lists): Schemas {
  return Object.fromEntries(
    Object.entries(lists).map(([name, one]) => [
      name,
      'kind' in one ? listSchema(one) : t.object({}, listSchemas(one.lists), notes(one.about)),
    ]),
  );
}

export interface SetupFile {
  readonly version: 1;
  readonly domains?: readonly (Entry & { readonly name: string })[];
  readonly roles?: readonly Entry[];
  readonly [list: string]: unknown;
}

export const SetupSchema = {
  $id: SCHEMA_ID,
  title: 'Set-up of a Gatehouse identity service',
  ...t.object(
    { version: { type: 'integer', const: 1, description: 'The version of this format.' } },
    {
      ...listSchemas(FILE_LISTS),
      limits: {
        not: {},
        description: 'Not supported: a list of limits has only those of the project or domain that the token is for.',
      },
    },
  ),
  $defs: { organization: entrySchema('organization') },
} as Schema<SetupFile>;

/** For editors. */
export const setupJsonSchema = (): Record<string, unknown> => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...SetupSchema,
});
