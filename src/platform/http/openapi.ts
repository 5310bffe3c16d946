// Builds the OpenAPI 3.1 document of an App. Its schemas already are JSON Schema.
import type { Documentation, Method, Route } from './app.ts';
import type { Schema } from './schema.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly securitySchemes: Readonly<Record<string, unknown>>;
  /** The security schemes a route accepts, by its `access`. Any one of them is enough. */
  securityOf(access: string | undefined): readonly string[];
  readonly error: Schema;
  /** Media type of errors, if it is not application/json. */
  readonly errorType?: string;
}

/** The documented part of a route. Routes of mounts have no rule, unless it is `anyone`. */
export interface DocumentedRoute extends Pick<Route<never>, 'method' | 'path'> {
  readonly spec: Omit<Route<never>['spec'], 'rule'> & { readonly rule?: string };
}

const TEXT: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  300: 'Multiple choices',
  302: 'Found',
  303: 'See other',
  304: 'Not modified',
  401: 'Unauthorized',
  503: 'Service unavailable',
};

const content = (schema: Schema, type = 'application/json', others: readonly string[] = []) => ({
  content: Object.fromEntries([type, ...others].map((one) => [one, { schema }])),
});
const refusal = (schema: Schema, type?: string) => ({ description: 'Refused; the message says why', ...content(schema, type) });

function parameters(path: string, query: Schema | undefined, documentation: Documentation): unknown[] {
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
    ...documentedParameters('query', documentation.query, documentation.required),
    ...documentedParameters('header', documentation.headers, documentation.required),
  ];
}

const documentedParameters = (
  location: 'query' | 'header',
  all: Readonly<Record<string, string>> = {},
  required: readonly string[] = [],
) =>
  Object.entries(all).map(([name, description]) => ({
    name,
    in: location,
    required: required.includes(name),
    description,
    schema: { type: 'string' },
  }));

const headersOf = (all: Readonly<Record<string, string>>) => ({
  headers: Object.fromEntries(
    Object.entries(all).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  ),
});

/** A missing body is read as an empty object. */
const mayBeMissing = ({ type, required, minProperties, anyOf, oneOf }: Schema): boolean =>
  type === 'object' && !(required as string[] | undefined)?.length && !minProperties && !anyOf && !oneOf;

/** A form has the same fields as the JSON body. */
const bodyOf = (schema: Schema, type: string | undefined, form: boolean | undefined) => ({
  required: !mayBeMissing(schema),
  ...content(schema, type, form ? ['application/x-www-form-urlencoded'] : []),
});

function operation({ method, path, spec }: DocumentedRoute, securityOf: OpenApiOptions['securityOf']): Record<string, unknown> {
  const { documentation = {}, rule } = spec;
  const allParameters = parameters(path, spec.query, documentation);
  const body = documentation.body ?? spec.body;
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[/:.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: spec.summary,
    tags: [spec.tag],
    ...(rule === undefined || rule === 'anyone' ? {} : { 'x-policy': rule }),
    ...(rule === 'anyone' ? { security: [] } : { security: securityOf(spec.access).map((name) => ({ [name]: [] })) }),
    ...(allParameters.length > 0 ? { parameters: allParameters } : {}),
    ...(body ? { requestBody: bodyOf(body, documentation.bodyType ?? documentation.type, spec.form) } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(spec.reply).map(([status, schema]) => [
          status,
          {
            description: TEXT[Number(status)] ?? status,
            ...(documentation.replyHeaders ? headersOf(documentation.replyHeaders) : {}),
            ...(schema ? content(schema, documentation.type, documentation.otherTypes) : {}),
          },
        ]),
      ),
      default: documentation.error ? refusal(documentation.error, documentation.type) : { $ref: '#/components/responses/Error' },
    },
  };
}

export function openApi(routes: readonly DocumentedRoute[], options: OpenApiOptions): unknown {
  const paths: Record<string, Partial<Record<Lowercase<Method>, unknown>>> = {};
  for (const route of routes) {
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
      responses: { Error: refusal(options.error, options.errorType) },
    },
  };
}
