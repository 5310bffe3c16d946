// The OpenAPI 3.1 document of an App. Its schemas are JSON Schema already, so this only arranges them.
import type { Method, Route } from './app.ts';
import type { Schema } from './schema.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly securitySchemes: Readonly<Record<string, unknown>>;
  /** Which of them a route takes, by its `access`: any one will do. */
  securityOf(access: string | undefined): readonly string[];
  readonly error: Schema;
  /** Media type of errors, where it is not application/json. */
  readonly errorType?: string;
}

const TEXT: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 204: 'No content', 300: 'Multiple choices' };

const json = (schema: Schema, type = 'application/json') => ({ content: { [type]: { schema } } });

function parameters(path: string, query: Schema | undefined): unknown[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
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
      schema,
    })),
  ];
}

function operation({ method, path, spec }: Route<unknown>, securityOf: OpenApiOptions['securityOf']): Record<string, unknown> {
  const listed = parameters(path, spec.query);
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[/:.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: spec.summary,
    tags: [spec.tag],
    ...(spec.policy ? { 'x-policy': spec.policy } : {}),
    ...(spec.access === 'anyone' ? { security: [] } : { security: securityOf(spec.access).map((name) => ({ [name]: [] })) }),
    ...(listed.length > 0 ? { parameters: listed } : {}),
    ...(spec.body ? { requestBody: { required: true, ...json(spec.body) } } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(spec.reply).map(([status, schema]) => [
          status,
          { description: TEXT[Number(status)] ?? status, ...(schema ? json(schema) : {}) },
        ]),
      ),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

export function openApi(routes: readonly Route<never>[], options: OpenApiOptions): unknown {
  const paths: Record<string, Partial<Record<Lowercase<Method>, unknown>>> = {};
  for (const route of routes as readonly Route<unknown>[]) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase() as Lowercase<Method>] = operation(route, options.securityOf);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: options.securitySchemes,
      responses: { Error: { description: 'Refused; the message says why', ...json(options.error, options.errorType) } },
    },
  };
}
