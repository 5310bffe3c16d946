// Parameters and bodies of an operation.
import type { Documentation, DocumentedRoute, Schema } from '../../src/platform/http/index.ts';
import type { Components } from './components.ts';

export type Texts = Readonly<Record<string, string>>;

const exampleOf = (value: unknown) => (value === undefined ? {} : { example: value });

/** Pages have no example: they are for people. */
export const content = (schema: unknown, example: unknown, type = 'application/json', others: readonly string[] = []) => ({
  content: Object.fromEntries(
    [type, ...others].map((one) => [
      one,
      one === type || one === 'application/x-www-form-urlencoded'
        ? { schema, ...exampleOf(example) }
        : { schema: textOf(one, schema) },
    ]),
  ),
});

/** Schemas describe JSON. Other types are text. */
const textOf = (type: string, schema: unknown): unknown =>
  /json/.test(type) ? {} : /^text\//.test(type) ? { type: 'string' } : schema;

/** `user_id` is the id of a user. */
function pathText(name: string, texts: Texts): string {
  const noun = name.replace(/_id$/, '').replaceAll('_', ' ');
  return texts[name] ?? `The id of the ${noun}.`;
}

function documented(location: 'query' | 'header', all: Texts = {}, required: readonly string[] = []) {
  return Object.entries(all).map(([name, description]) => ({
    name,
    in: location,
    required: required.includes(name),
    description,
    schema: { type: 'string' },
  }));
}

export function parameters({ path, spec }: DocumentedRoute, texts: Texts, components: Components): unknown[] {
  const { query, documentation = {} as Documentation } = spec;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: pathText(name!, texts),
    schema: { type: 'string' },
  }));
  const properties = Object.entries((query?.properties ?? {}) as Record<string, Schema>);
  const required = (query?.required ?? []) as string[];
  return [
    ...inPath,
    ...properties.map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description ? { description } : {}),
      schema: components.use(schema),
    })),
    ...documented('query', documentation.query, documentation.required),
    ...documented('header', documentation.headers, documentation.required),
  ];
}

/** A missing body is read as an empty object. */
const mayBeMissing = ({ type, required, minProperties, anyOf, oneOf }: Schema): boolean =>
  type === 'object' && !(required as string[] | undefined)?.length && !minProperties && !anyOf && !oneOf;

/** A form has the same fields as the JSON body. */
export function requestBody(schema: Schema, example: unknown, { spec }: DocumentedRoute, components: Components) {
  const { documentation = {}, form } = spec;
  return {
    required: !mayBeMissing(schema),
    ...content(
      components.use(schema),
      example,
      documentation.bodyType ?? documentation.type,
      form ? ['application/x-www-form-urlencoded'] : [],
    ),
  };
}
