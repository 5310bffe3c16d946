// Checks an answer against the OpenAPI document: internal errors, missing answers, errors in the wrong format.
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { dereferenced } from '../support/openapi.ts';
import type { JsonSchema } from './values.ts';
import type { WireOutcome, WireResponse } from './wire.ts';

export interface FuzzOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  /** By media type. */
  readonly bodies: Readonly<Record<string, JsonSchema>>;
  /** Names of its security schemes in the document; empty if no authentication is needed. */
  readonly security: readonly string[];
  readonly replies: ReadonlySet<number>;
  /** Every status that the document lists for it. */
  readonly statuses: ReadonlySet<number>;
  readonly errors: ErrorSchemas;
}

/** Schemas of errors by media type. */
export type ErrorSchemas = Readonly<Record<string, JsonSchema>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, any>>>>;
  readonly components: { readonly responses: Readonly<Record<string, any>> };
}

const formatOf = (response: any): ErrorSchemas =>
  Object.fromEntries(Object.entries(response.content as Record<string, any>).map(([type, { schema }]) => [type, schema]));

/** Refusals have the format of errors. Other answers, such as the receipt of a login, have a schema of their own. */
const isRefusal = (response: any, error: any): boolean =>
  response.content !== undefined && isDeepStrictEqual(formatOf(response), formatOf(error));

export function operationsOf(printed: unknown): { operations: readonly FuzzOperation[]; errors: ErrorSchemas } {
  const document = dereferenced(printed as Document);
  const errors = formatOf(document.components.responses.Error);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { parameters = [], requestBody, responses, security = [] }]): FuzzOperation => ({
        method: method.toUpperCase(),
        path,
        parameters,
        bodies: requestBody ? formatOf(requestBody) : {},
        security: security.flatMap((one: object) => Object.keys(one)),
        replies: new Set(
          Object.entries<any>(responses)
            .filter(([status, response]) => status !== 'default' && !isRefusal(response, responses.default))
            .map(([status]) => Number(status)),
        ),
        statuses: new Set(Object.keys(responses).map(Number)),
        errors: formatOf(responses.default),
      }),
    ),
  );
  return { operations, errors };
}

export interface Expectations {
  /** Error schemas of the operation, if the request is for one. */
  readonly operation?: FuzzOperation | undefined;
  /** Error formats outside of operations. */
  readonly formats: readonly ErrorSchemas[];
  /** Documented failures of other services. */
  isDocumented(answer: WireResponse): boolean;
  /** The connection may be closed without an answer, because the bytes are not a request. */
  readonly mayBeSilent?: boolean;
}

/** Refusals that are about the operation, and not about the request as such. */
const STATED = new Set([401, 403, 409, 410, 412, 422]);

const ajv = new Ajv2020({ strict: false });
/** Internal file paths, which must not appear in answers. */
const INSIDES = /node:internal|node_modules|\.ts:\d+|SQLITE_|SqliteError|\bat \w+ \(/;

function matchesFormat(answer: WireResponse, format: ErrorSchemas): boolean {
  const type = answer.headers['content-type'] ?? '';
  const schema = Object.entries(format).find(([name]) => type === name || type.startsWith(`${name};`))?.[1];
  if (schema === undefined) return false;
  if (!/json/.test(type)) return answer.body !== '';
  try {
    return ajv.validate(schema, JSON.parse(answer.body));
  } catch {
    return false;
  }
}

/** If an error body contains a status, it must be the right one. */
function repeatsItsStatus({ status, body }: WireResponse): boolean {
  const value = JSON.parse(body) as { error?: { code?: unknown }; status?: unknown };
  const said = value.error?.code ?? value.status;
  return said === undefined || Number(said) === status;
}

export function faultOf(outcome: WireOutcome, method: string, expected: Expectations): string | undefined {
  if (outcome === 'late') return 'no whole answer before the deadline';
  if (outcome === 'silent') return expected.mayBeSilent ? undefined : 'the connection was closed without an answer';
  if (outcome === 'not HTTP') return 'the answer is not HTTP';
  const { status, headers, body } = outcome;
  if (status >= 500 && !expected.operation?.replies.has(status) && !expected.isDocumented(outcome))
    return `failed with ${status}`;
  if (INSIDES.test(body)) return 'shows its insides';
  if (status < 400) {
    if (expected.operation && !expected.operation.replies.has(status) && status !== 200 && status !== 204)
      return `status ${status} is not documented`;
    if (/json/.test(headers['content-type'] ?? '') && body !== '' && !isJson(body)) return 'its JSON cannot be parsed';
    return undefined;
  }
  if (expected.operation && STATED.has(status) && !expected.operation.statuses.has(status))
    return `the refusal ${status} is not documented`;
  // The server cannot know the method of an unreadable request.
  const unreadable = status === 431 || (status === 400 && expected.operation === undefined);
  if (method === 'HEAD' && body === '') return undefined;
  if (method === 'HEAD' && !unreadable) return 'an answer to HEAD has a body';
  if (expected.operation?.replies.has(status)) return undefined;
  const formats = [...(expected.operation ? [expected.operation.errors] : []), ...expected.formats];
  if (!formats.some((format) => matchesFormat(outcome, format)))
    return `an error in no format of this service (${headers['content-type']})`;
  return /json/.test(headers['content-type'] ?? '') && !repeatsItsStatus(outcome) ? 'its body tells another status' : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
