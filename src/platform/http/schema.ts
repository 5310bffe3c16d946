// JSON Schemas with their TypeScript types, as plain objects. The same object validates requests, serializes answers and is part of the
// OpenAPI document.

export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  /** Never set: it only carries the type. */
  readonly __type?: T;
}

export type Static<S> = S extends Schema<infer T> ? T : never;

type Properties = Readonly<Record<string, Schema>>;
/** No properties at all. */
type NoProperties = Record<never, never>;
type Simplify<T> = { [K in keyof T]: T[K] };
type ObjectShape<R extends Properties, O extends Properties> = Simplify<
  { [K in keyof R]: Static<R[K]> } & { [K in keyof O]?: Static<O[K]> | undefined }
>;

interface Annotations {
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

interface StringRules extends Annotations {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

export const string = (rules: StringRules = {}): Schema<string> => ({ type: 'string', ...rules });
export const boolean = (notes: Annotations = {}): Schema<boolean> => ({ type: 'boolean', ...notes });
export const integer = (rules: Annotations & { minimum?: number; maximum?: number } = {}): Schema<number> => ({
  type: 'integer',
  ...rules,
});
export const unknown = (notes: Annotations = {}): Schema<unknown> => ({ ...notes });

export const nullable = <T>(schema: Schema<T>): Schema<T | null> => {
  const { enum: values } = schema;
  return { ...schema, type: [schema.type, 'null'].flat(), ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
};

export const oneOf = <const T extends string>(...values: readonly T[]): Schema<T> => ({ type: 'string', enum: values });

export const array = <T>(
  items: Schema<T>,
  rules: Annotations & { maxItems?: number; minItems?: number; uniqueItems?: boolean } = {},
): Schema<T[]> => ({
  type: 'array',
  items,
  ...rules,
});

export const record = <T>(values: Schema<T>, notes: Annotations = {}): Schema<Record<string, T>> => ({
  type: 'object',
  additionalProperties: values,
  ...notes,
});

/** Only the named properties: others are refused in requests and dropped from answers. */
export const object = <R extends Properties, O extends Properties = NoProperties>(
  required: R,
  optional: O = {} as O,
  notes: Annotations = {},
): Schema<ObjectShape<R, O>> => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
  ...notes,
});

/** The named properties are checked; others are allowed. */
export const open = <R extends Properties, O extends Properties = NoProperties>(
  required: R,
  optional: O = {} as O,
  notes: Annotations = {},
): Schema<ObjectShape<R, O> & { [other: string]: unknown }> =>
  ({ ...object(required, optional, notes), additionalProperties: true }) as never;

/** The fields of a change. One with nothing in it is refused, as Keystone does. */
export const changes = <T>(fields: Schema<T>): Schema<T> => ({ ...fields, minProperties: 1 });

/** A body or answer in an envelope: `{ "user": { ... } }`. Keystone's clients send other keys beside it; they are ignored. */
export const envelope = <K extends string, T>(key: K, schema: Schema<T>): Schema<{ [P in K]: T }> =>
  ({ type: 'object', required: [key], properties: { [key]: schema }, additionalProperties: true }) as never;

const names = new WeakMap<Schema, string>();

/** Names schemas in the OpenAPI document: `t.name({ User, UserList })`. A named schema is one component, wherever it is used. */
export function name(schemas: Readonly<Record<string, Schema>>): void {
  for (const [schemaName, schema] of Object.entries(schemas)) names.set(schema, schemaName);
}
export const nameOf = (schema: Schema): string | undefined => names.get(schema);
