// Serves an App over HTTP. The only place, with its neighbours here, that knows the web framework.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import { withBudget } from '../database/index.ts';
import { Fault, fault } from '../faults/index.ts';
import type { Log } from '../log/index.ts';
import type { RequestTimes } from '../metrics/index.ts';
import type { ReservedPort } from '../reserved-port.ts';
import { andThen, type Soon } from '../soon.ts';
import { Answer, type App, type Query, type Route } from './app.ts';
import { acceptBodies, bodyOrNothing } from './bodies.ts';
import { Connections } from './connections.ts';
import { Bases, createSender, goneSignal, IncomingCall, isHost, millisecondsOf, type Outgoing } from './exchange.ts';
import { openFastLane } from './fast-lane.ts';
import { checkUrl } from './json.ts';
import { outageOf } from './outage.ts';
import { allowedMethods, refuseUnreadable } from './refusals.ts';
import { serialize, validate, violation } from './validate.ts';

/** How a family of routes shows its errors. */
export type Face = (fault: Fault, base: string, requestId: string) => { body: unknown; headers?: Record<string, string> };

/** A request as Node has it, for programs that speak HTTP themselves. */
export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the client, behind trusted proxies too. */
  readonly address: string;
  readonly requestId: string;
  /** Aborted when the client goes before it has its answer. */
  readonly signal: AbortSignal;
}

/** Paths (`/openid/*`) that are answered by something else than routes of the App. */
export interface Mount {
  readonly paths: readonly string[];
  handle(exchange: RawExchange): Promise<void>;
}

export interface ServerOptions<Caller> {
  readonly app: App<Caller>;
  readonly mounts?: readonly Mount[];
  /** The address a request means: clients write some paths in other ways than the route. */
  canonicalUrl?(url: string): string;
  /** The face of a path: routes below one prefix show their errors alike, also for paths that do not exist. */
  faceOf(path: string): Face;
  /**
   * Who sends this request, by the method and the `access` of its route; throws a Fault when nobody may be served.
   * Synchronous where it can be: it is on every request.
   */
  authenticate(headers: FastifyRequest['headers'], requestId: string, access: string | undefined, method: string): Soon<Caller>;
  /** Headers every answer carries. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestIdHeader: string;
  newRequestId(): string;
  readonly log: Log;
  readonly times: RequestTimes;
  /** The address clients use, where it is known; else it is the one each request names. */
  publicUrl?(): string | undefined;
  /** Clients reach it by https, and are told to go on so (RFC 6797). */
  readonly secure?: boolean;
  readonly trustedProxies: readonly string[];
  readonly bodyLimit: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Tests: an answer that breaks its own schema or status is a failure. */
  readonly checkReplies?: boolean;
  /** How long a request may take to arrive. */
  readonly requestMs?: number;
}

export interface Server {
  /** Resolves to the address it listens on. */
  listen(host: string, port: number, reserved?: ReservedPort): Promise<string>;
  /** Stops accepting, lets what runs finish within the time, then closes. */
  close(graceMs: number): Promise<void>;
}

const REQUEST_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
const MAX_PARAM = 1024;
/** How often Node looks for requests that take too long. */
const LOOK_MS = 1_000;
const HSTS = { 'Strict-Transport-Security': 'max-age=31536000' };
/** All of them: what a mount does not take it refuses itself, with Allow. */
const RAW_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const outage = outageOf(error);
  if (outage) return outage;
  const { code, statusCode } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fault('request.too_large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fault('request.media_type');
  if (statusCode !== undefined && statusCode < 500) return fault('request.malformed_url', { why: 'it cannot be read' });
  return fault('server.unexpected');
}

export function createServer<Caller>(options: ServerOptions<Caller>): Server {
  const { app, faceOf, log, times, requestIdHeader, requestMs = REQUEST_MS } = options;
  const headers = { ...options.headers, ...(options.secure ? HSTS : {}) };
  const bases = new Bases(options.publicUrl ?? (() => undefined));
  const sendTo = createSender(headers, { requestIdHeader, isClosing: () => connections.closing });

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = toFault(error);
    const { status, code, reason } = refusal;
    // Somebody else's failure is no error of ours, and where we were when we heard of it says nothing.
    if (status >= 500 && error instanceof Fault) log.warn({ request_id: request.id, code, reason }, 'request failed');
    else if (status >= 500) log.error({ request_id: request.id, code, err: error }, 'request failed');
    else if (reason) log.info({ request_id: request.id, code, reason }, 'request refused');
    const { body, headers: own } = faceOf(request.url)(refusal, bases.of(request), request.id);
    const text = JSON.stringify(body);
    // More is on its way than anybody will read.
    const { 'transfer-encoding': chunked, 'content-length': length } = request.headers;
    const isLong = status === 413 || chunked !== undefined || Number(length) > options.bodyLimit;
    const last = isLong && !request.raw.complete;
    sendTo(reply.raw, request.id, { status, headers: { ...own, ...refusal.headers }, text, last });
    account(request, request.routeOptions.url ?? 'none', status);
  }

  /** Counts an answer, and logs it unless it is one of the many that say nothing. */
  function account(request: FastifyRequest, route: string, status: number, asks = false): void {
    const { method } = request;
    const milliseconds = millisecondsOf(request);
    times.observe(method, route, status, milliseconds);
    // Reads that succeed are the bulk of the work: one line each only when asked for.
    const level = status < 400 && (asks || method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    // The pattern, not the address: paths and queries of this service can hold tokens and answers.
    log[level]({ request_id: request.id, method, route, status, ms: Math.round(milliseconds), address: request.ip }, 'request');
  }

  /** A refusal where there is no request of the framework's. */
  function refuseBare(refusal: Fault, address: string | undefined) {
    const { status, code } = refusal;
    const id = options.newRequestId();
    const { body, headers: own } = faceOf('/')(refusal, bases.own, id);
    times.observe('none', 'none', status, 0);
    log.info({ request_id: id, code, status, address }, 'request refused');
    return { id, headers: { ...own, ...refusal.headers }, text: JSON.stringify(body) };
  }

  // That a request names its host is looked at below: Node would refuse it with an empty answer.
  const node = {
    optimizeEmptyRequests: true,
    requireHostHeader: false,
    // No longer than the whole request: Node would take the one for the other.
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.min(LOOK_MS, requestMs),
  };
  const tls = options.tls && { cert: readFileSync(options.tls.certFile), key: readFileSync(options.tls.keyFile) };
  const server = Fastify({
    ...(tls ? { https: { ...tls, ...node } } : { http: node }),
    logger: false,
    bodyLimit: options.bodyLimit,
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    ...(options.canonicalUrl ? { rewriteUrl: (request: { url?: string }) => options.canonicalUrl!(request.url ?? '/') } : {}),
    genReqId: () => options.newRequestId(),
    requestIdHeader: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM },
    frameworkErrors: refuse,
  } as FastifyServerOptions);

  const connections = new Connections(server.server);

  acceptBodies(server);
  server.setErrorHandler(refuse);
  server.register(async (scope) => {
    // Before anything is read: what there is not takes no body, whatever its form.
    scope.addHook('onRequest', (request, reply) => {
      const methods = allowedMethods(app.routes, request.url);
      const allow = { headers: { Allow: methods.join(', ') } };
      reply.hijack();
      refuse(methods.length > 0 ? fault('route.method_not_allowed', undefined, allow) : fault('route.not_found'), request, reply);
    });
    scope.setNotFoundHandler(() => undefined);
  });
  const headNeedsRoute = new Set(app.routes.filter((route) => route.method === 'HEAD').map((route) => route.path));
  for (const route of app.routes) {
    const success = Number(Object.keys(route.spec.reply)[0]);
    server.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: route.method === 'GET' && !headNeedsRoute.has(route.path),
      ...(route.spec.form ? { config: { form: true } } : {}),
      ...(route.spec.bodyLimit ? { bodyLimit: route.spec.bodyLimit } : {}),
      ...(route.method === 'GET' || route.method === 'HEAD' ? {} : { preParsing: bodyOrNothing }),
      handler: (request, reply) =>
        withBudget(() =>
          andThen(callerOf(route, request), (caller) =>
            andThen(handle(route, request, reply, caller), (result) => send(route, success, request, reply, result)),
          ),
        ),
    });
  }

  for (const { paths, handle: serve } of options.mounts ?? []) {
    server.register(async (scope) => {
      // The body is theirs to read.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      for (const url of paths) {
        scope.route({
          method: RAW_METHODS,
          url,
          handler: async (request, reply) => {
            reply.hijack();
            reply.raw.setHeader(requestIdHeader, request.id);
            if (options.secure) reply.raw.setHeaders(new Map(Object.entries(HSTS)));
            connections.follow(reply.raw);
            reply.raw.once('finish', () => account(request, url, reply.raw.statusCode));
            try {
              await withBudget(() =>
                serve({
                  request: request.raw,
                  response: reply.raw,
                  address: request.ip,
                  requestId: request.id,
                  get signal() {
                    return goneSignal(reply.raw);
                  },
                }),
              );
            } catch (error) {
              if (reply.raw.headersSent) reply.raw.destroy();
              else refuse(error, request, reply);
            }
          },
        });
      }
    });
  }

  function callerOf({ spec }: Route<Caller>, request: FastifyRequest): Soon<Caller | undefined> {
    checkUrl(request.url);
    return spec.access === 'anyone' ? undefined : options.authenticate(request.headers, request.id, spec.access, request.method);
  }

  function handle(
    { spec, handler }: Route<Caller>,
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller | undefined,
  ): unknown {
    const query = spec.query ? (validate(spec.query, request.query) as Query) : (request.query as Query);
    const body = spec.body ? validate(spec.body, request.body ?? {}) : undefined;
    return handler(new IncomingCall(request, reply.raw, bases, { query, body, caller }) as never);
  }

  function outgoingOf(route: Route<Caller>, success: number, result: unknown): Outgoing {
    const answer = result instanceof Answer ? result : new Answer({ body: result });
    const status = answer.status ?? success;
    if (options.checkReplies) checkReply(route, status, answer);
    return { status, headers: answer.headers, text: answer.text ?? textOf(route, status, answer), bytes: answer.bytes };
  }

  function send(route: Route<Caller>, success: number, request: FastifyRequest, reply: FastifyReply, result: unknown): void {
    const outgoing = outgoingOf(route, success, result);
    sendTo(reply.raw, request.id, outgoing);
    account(request, route.path, outgoing.status, route.spec.asks);
  }

  openFastLane<Caller>(server.server, {
    routes: app.routes,
    isOpen: () => !log.isLevelEnabled('debug') || options.checkReplies === true,
    newRequestId: options.newRequestId,
    // Behind proxies the address takes more to find out.
    baseOf: ({ host }) =>
      options.publicUrl?.() ??
      (options.trustedProxies.length === 0 && isHost(host) ? `${tls ? 'https' : 'http'}://${host}` : undefined),
    authenticate: options.authenticate,
    send(route, success, response, requestId, result, milliseconds) {
      const outgoing = outgoingOf(route, success, result);
      sendTo(response, requestId, outgoing);
      times.observe(route.method, route.path, outgoing.status, milliseconds);
    },
  });

  // Outermost: it is asked before a request goes either way.
  const [serve] = server.server.listeners('request') as [RequestListener];
  server.server.removeAllListeners('request');
  server.server.on('request', (request, response) => {
    if (request.headers.host !== undefined || request.httpVersionMinor === 0) return serve(request, response);
    const refusal = fault('request.no_host');
    const { id, ...answer } = refuseBare(refusal, request.socket.remoteAddress);
    sendTo(response, id, { status: refusal.status, ...answer, last: true });
  });
  refuseUnreadable(server.server, (refusal, address) => {
    const { id, headers: own, text } = refuseBare(refusal, address);
    return { headers: { ...headers, 'Content-Type': 'application/json', ...own, [requestIdHeader]: id }, text };
  });

  return {
    async listen(host, port, reserved) {
      if (reserved) {
        await server.ready();
        await reserved.giveTo(server.server);
      } else await server.listen({ host, port });
      const { address, port: actual, family } = server.server.address() as AddressInfo;
      bases.listening = `${options.tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
      return bases.listening;
    },
    async close(graceMs) {
      await connections.close(graceMs);
      await server.close();
    },
  };
}

function textOf({ spec }: Pick<Route<unknown>, 'spec'>, status: number, { body }: Answer): string | undefined {
  const schema = spec.reply[status];
  return schema ? serialize(schema, body) : undefined;
}

function checkReply(route: Pick<Route<unknown>, 'method' | 'path' | 'spec'>, status: number, answer: Answer): void {
  const schema = route.spec.reply[status];
  const where = `${route.method} ${route.path} ${status}`;
  if (schema === undefined) throw new Error(`${where}: status not declared`);
  const body = answer.text === undefined ? answer.body : JSON.parse(answer.text);
  const broken = schema ? violation(schema, JSON.parse(JSON.stringify(body ?? null))) : undefined;
  if (broken) throw new Error(`${where}: answer breaks its schema: ${broken}`);
}
