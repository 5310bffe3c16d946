// Builds the OpenAPI 3.1 document of an App. Its schemas already are JSON Schema.
import type { DocumentedRoute, Method } from '../../src/platform/http/index.ts';
import { Components } from './components.ts';
import { content, parameters, requestBody, type Texts } from './parts.ts';
import { isForAnyone, type RefusalOptions, Refusals } from './refusals.ts';

export type { ErrorFamily } from './refusals.ts';

/** Real requests and answers of an operation. */
export interface Examples {
  readonly request?: unknown;
  /** By status. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

export interface OpenApiOptions extends RefusalOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The address of the service. */
  readonly server: string;
  /** Tags in their order, with what they are about. */
  readonly tags: Readonly<Record<string, string>>;
  readonly securitySchemes: Readonly<Record<string, unknown>>;
  /** The security schemes a route accepts, by its `access`. Any one of them is enough. */
  securityOf(access: string | undefined): readonly string[];
  /** How the requests of a route authenticate that it checks itself, in words; undefined for its own callers. */
  howToAuthenticate?(access: string): string | undefined;
  /** Who may call a route, in words, by its rule. */
  whoMay(rule: string): string;
  /** Texts of path parameters by name. */
  readonly parameters: Texts;
  /** By the id of the operation. */
  readonly examples: Readonly<Record<string, Examples>>;
}

/** Texts of success statuses. */
const TEXT: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted: the work continues.',
  204: 'Done; the answer has no body.',
  300: 'Multiple choices: the versions of the API.',
  302: 'Found: the address to go to is in Location.',
  303: 'See other: the address to go to is in Location.',
  304: 'Not modified: the client has the current version.',
  401: 'More is needed to log in; the receipt stands for what was right.',
  503: 'The service is not ready.',
};

const headersOf = (all: Readonly<Record<string, string>>) => ({
  headers: Object.fromEntries(
    Object.entries(all).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  ),
});

interface Context {
  readonly options: OpenApiOptions;
  readonly components: Components;
  readonly refusals: Refusals;
}

/** Success statuses. The receipt of a login and the state of a probe are answers with a schema, too. */
function answers({ spec }: DocumentedRoute, examples: Examples, components: Components): Record<string, unknown> {
  const { documentation = {} } = spec;
  const { replyHeaders, type, otherTypes } = documentation;
  return Object.fromEntries(
    Object.entries(spec.reply).map(([status, schema]) => [
      status,
      {
        description: TEXT[Number(status)] ?? status,
        ...(replyHeaders ? headersOf(replyHeaders) : {}),
        ...(schema ? content(components.use(schema), examples.answers?.[status], type, otherTypes) : {}),
      },
    ]),
  );
}

function accessTextOf({ access, rule }: DocumentedRoute['spec'], { whoMay, howToAuthenticate }: OpenApiOptions) {
  if (rule !== undefined && rule !== 'anyone') return whoMay(rule);
  if (access !== undefined) return howToAuthenticate?.(access);
  return rule && 'No token is needed.';
}

const descriptionOf = ({ spec }: DocumentedRoute, options: OpenApiOptions): string =>
  [spec.description, accessTextOf(spec, options)].filter((text) => text !== undefined).join('\n\n') || spec.summary;

function operation(route: DocumentedRoute, { options, components, refusals }: Context): Record<string, unknown> {
  const { spec } = route;
  const { id, documentation = {}, rule } = spec;
  const examples = documentation.example ?? options.examples[id] ?? {};
  const all = parameters(route, options.parameters, components);
  const body = documentation.body ?? spec.body;
  const succeeds = answers(route, examples, components);
  return {
    operationId: id,
    summary: spec.summary,
    description: descriptionOf(route, options),
    tags: [spec.tag],
    ...(rule === undefined || rule === 'anyone' ? {} : { 'x-policy': rule }),
    security: isForAnyone(spec) ? [] : options.securityOf(spec.access).map((name) => ({ [name]: [] })),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body ? { requestBody: requestBody(body, examples.request, route, components) } : {}),
    responses: { ...succeeds, ...refusals.of(route, id, new Set(Object.keys(succeeds))) },
  };
}

const byName = (one: readonly [string, unknown], other: readonly [string, unknown]): number => (one[0] < other[0] ? -1 : 1);

export function openApi(routes: readonly DocumentedRoute[], options: OpenApiOptions): Record<string, unknown> {
  const components = new Components();
  const context = { options, components, refusals: new Refusals(options, components) };
  const paths: Record<string, Partial<Record<Lowercase<Method>, unknown>>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase() as Lowercase<Method>] = operation(route, context);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      contact: { name: 'Whoever runs this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.server, description: 'This service' }],
    tags: Object.entries(options.tags).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).sort(byName)),
    components: {
      securitySchemes: options.securitySchemes,
      responses: context.refusals.toJson(),
      schemas: components.toJson(),
    },
  };
}
