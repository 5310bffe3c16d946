// An App is a list of routes: path, schemas, the access rule, the target of the rule, and the handler. The server enforces the rule
// before it calls the handler. The OpenAPI document is generated from the same list.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Schema, Static } from './schema.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown;

/** Query parameters as they arrived. A repeated parameter is a list. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Call<Caller, Params = unknown, Q = Query, Body = unknown> {
  readonly params: Params;
  readonly query: Q;
  readonly body: Body;
  /** Undefined if anyone may call. */
  readonly caller: Caller;
  readonly headers: IncomingHttpHeaders;
  /** The public URL of the service, without a trailing slash. */
  readonly base: string;
  /** The path of this request, without its query. */
  readonly path: string;
  readonly address: string;
  readonly requestId: string;
  /** Aborted when the client disconnects before it has its answer. */
  readonly signal: AbortSignal;
  /** As Node has it, for what belongs to the connection (client-certificate.ts). */
  readonly raw: IncomingMessage;
}

/** What a request is about. The rule is checked first, so that only permitted callers learn whether the thing exists. */
export interface Target<Facts, Thing> {
  /** The input of the rule. For a thing that does not exist: what is known without it. */
  readonly facts: Facts;
  /** Called after the rule has allowed the request. Throws if the thing does not exist. */
  get(): Thing;
}

/** An answer that needs more than a body: another status, headers, or JSON that is already text. */
export class Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly text: string | undefined;
  /** Length of the text in bytes, if it is known. */
  readonly bytes: number | undefined;
  /** Instead of a text: parts that are made while the client reads them. An error in the middle ends the connection. */
  readonly chunks: AsyncIterable<string> | undefined;

  constructor(init: {
    status?: number;
    headers?: Record<string, string | readonly string[]>;
    body?: unknown;
    text?: string;
    bytes?: number;
    chunks?: AsyncIterable<string>;
  }) {
    this.status = init.status;
    this.headers = init.headers ?? {};
    this.body = init.body;
    this.text = init.text;
    this.bytes = init.bytes;
    this.chunks = init.chunks;
  }
}

/** Only for the OpenAPI document: parameters and headers that the schemas of a route do not cover. */
export interface Documentation {
  /** Query parameters by name. Those in `required` are mandatory. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
  readonly replyHeaders?: Readonly<Record<string, string>>;
  /** Media type of bodies, if it is not application/json. */
  readonly type?: string;
  /** Media type of request bodies, if it differs from that of answers. */
  readonly bodyType?: string;
  /** Other media types of answers, for clients that ask for them (Accept). */
  readonly otherTypes?: readonly string[];
  /** Schema of the body, if the handler reads more than the validating schema says. */
  readonly body?: Schema;
  /** Schema of errors, if it is not the usual one; in the media type of answers. */
  readonly error?: Schema;
  /** A request and its answers by status, where they follow from the code. Those of other routes are recorded. */
  readonly example?: { readonly request?: unknown; readonly answers?: Readonly<Record<string, unknown>> };
  /** Codes of faults that the handler fails with. Those of other routes are in a list. */
  readonly refusals?: readonly string[];
}

export interface RouteSpec<Rule extends string, Q extends Schema | undefined, B extends Schema | undefined> {
  /** The name of the operation, which is that of a function in generated clients: never change one. */
  readonly id: string;
  readonly summary: string;
  /** What a developer has to know beyond the summary. */
  readonly description?: string;
  readonly tag: string;
  /** Name of the access rule. `anyone`: no token of the service is needed; nor anything else, unless there is an `access`. */
  readonly rule: Rule | 'anyone';
  /**
   * How callers authenticate, if not in the usual way. The service defines the values. With the rule `anyone`, the route checks it: its
   * target or its handler refuses who does not authenticate in this way.
   */
  readonly access?: string;
  readonly query?: Q;
  readonly body?: B;
  /** Called thousands of times a second and answered from memory: see memory-adapter.ts. */
  readonly fromMemory?: boolean;
  /** A POST that only reads. Like a GET, it is logged at debug level. */
  readonly onlyReads?: boolean;
  /** A GET that changes something, as old clients expect it. HEAD is refused there: whoever sends it expects that nothing happens. */
  readonly withoutHead?: boolean;
  /** Accepts a form (RFC 6749 requires it) as well as JSON. */
  readonly form?: boolean;
  /** Accepts a JWT or JWE (`application/jwt`) as well as JSON. The body is then `{ jwt }`. */
  readonly jwt?: boolean;
  /** Scripts of every origin may call it and read its answers, also refusals: it takes no cookies. */
  readonly forEveryOrigin?: boolean;
  /** Maximum body size, if it differs from that of other routes. */
  readonly bodyLimit?: number;
  readonly documentation?: Documentation;
  /** Success statuses and their bodies (`null`: empty). The first is the default one. */
  readonly reply: Readonly<Record<number, Schema | null>>;
}

export interface Route<Caller> {
  readonly method: Method;
  readonly path: string;
  readonly spec: RouteSpec<string, Schema | undefined, Schema | undefined>;
  readonly target: ((call: never) => MaybePromise<Target<unknown, unknown>>) | undefined;
  readonly handler: (call: Call<Caller, never, never, never> & { readonly target: never }) => unknown;
}

/** The documented part of a route. Routes of mounts have no rule, unless it is `anyone`. */
export interface DocumentedRoute extends Pick<Route<never>, 'method' | 'path'> {
  readonly spec: Omit<Route<never>['spec'], 'rule'> & { readonly rule?: string };
  readonly target?: unknown;
}

type CallOf<Caller, Path extends string, Q, B> = Call<
  Caller,
  PathParams<Path>,
  Q extends Schema ? Static<Q> : Query,
  B extends Schema ? Static<B> : undefined
>;

type RegisterRoute<Caller, Rule extends string, Facts> = <
  Path extends string,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
  Thing = undefined,
>(
  path: Path,
  spec: RouteSpec<Rule, Q, B> & { readonly target?: (call: CallOf<Caller, Path, Q, B>) => MaybePromise<Target<Facts, Thing>> },
  handler: (call: CallOf<Caller, Path, Q, B> & { readonly target: Thing }) => unknown,
) => void;

/** `Rule`: the names of the service's rules. `Facts`: their input. */
export interface App<Caller, Rule extends string = never, Facts = unknown> {
  readonly routes: readonly Route<Caller>[];
  readonly get: RegisterRoute<Caller, Rule, Facts>;
  readonly head: RegisterRoute<Caller, Rule, Facts>;
  readonly post: RegisterRoute<Caller, Rule, Facts>;
  readonly put: RegisterRoute<Caller, Rule, Facts>;
  readonly patch: RegisterRoute<Caller, Rule, Facts>;
  readonly delete: RegisterRoute<Caller, Rule, Facts>;
}

export function createApp<Caller, Rule extends string = never, Facts = unknown>(): App<Caller, Rule, Facts> {
  const routes: Route<Caller>[] = [];
  const register =
    (method: Method): RegisterRoute<Caller, Rule, Facts> =>
    (path, { target, ...spec }, handler) => {
      routes.push({
        method,
        path,
        spec,
        target: target as Route<Caller>['target'],
        handler: handler as Route<Caller>['handler'],
      });
    };
  return {
    routes,
    get: register('GET'),
    head: register('HEAD'),
    post: register('POST'),
    put: register('PUT'),
    patch: register('PATCH'),
    delete: register('DELETE'),
  };
}
