// Serves an App over HTTP. Only this folder uses the web framework.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server as HttpServer, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import proxyAddress from '@fastify/proxy-addr';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import { fault } from '../faults/index.ts';
import { createServer as createHttpServer, createSecureServer } from '../node-http.ts';
import { addressesOf, isMissing, type ReservedPort } from '../reserved-port.ts';
import { isTracing, startRequestSpan } from '../tracing/index.ts';
import type { App, Route } from './app.ts';
import { acceptBodies, replaceEndedBody } from './bodies.ts';
import { ServerConnections } from './connections.ts';
import { BaseUrls, createSender, FrameworkCall, type IncomingCall, type TimedMessage } from './exchange.ts';
import { createMemoryAdapter, type MemoryCounts } from './memory-adapter.ts';
import { createMounts, type Mount, type MountedPaths, memoryReplies } from './mounts.ts';
import { otherNameRedirect, type PageAddress } from './page-address.ts';
import { createMethodFinder, refuseUnreadable } from './refusals.ts';
import { faultOfFramework, Replies, type ReplyOptions, type RouteName } from './replies.ts';
import { createSteps, type RequestAccess } from './steps.ts';

export interface ServerOptions<Caller> extends RequestAccess<Caller>, ReplyOptions {
  readonly app: Pick<App<Caller>, 'routes'>;
  readonly mounts?: readonly Mount[];
  /** Returns the canonical URL of a request: clients write some paths differently from the route. */
  canonicalUrl?(url: string): string;
  /**
   * OPTIONS is answered with the methods of a path, to everybody: they are in the published list of routes. Nothing is said about other
   * origins, so that browsers keep pages of others away, as they do from paths without OPTIONS.
   */
  readonly answersOptions?: boolean;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestIdHeader: string;
  /** The URL that clients use, if it is known; else the host of each request. */
  publicUrl?(): string | undefined;
  /** Pages work at one address only. A browser that opens one at another name of this machine is sent there. */
  readonly pages?: PageAddress;
  /** Clients reach it by https, so it sends HSTS (RFC 6797). */
  readonly secure?: boolean;
  readonly trustedProxies: readonly string[];
  /** `asksClients`: clients may show a certificate (mutual TLS). One that is not trusted is not refused here: who needs it looks at it. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly asksClients?: boolean } | undefined;
  /** Routes marked `fromMemory` bypass the framework, unless this is false. */
  readonly memoryAdapter?: boolean;
  /** For tests: an answer that violates its own schema or status is an error. */
  readonly checkReplies?: boolean;
  /** How long a request may take to arrive. */
  readonly requestMs?: number;
  /** How long a client may stop reading its answer. */
  readonly readingMs?: number;
  /** Connections at the same time; by default as many as the process has descriptors for. */
  readonly maxConnections?: number;
}

export interface Server {
  /** Counts of the memory adapter. */
  readonly fromMemory: Readonly<MemoryCounts>;
  /** Resolves to the address it listens on. */
  listen(host: string, port: number, reserved?: readonly ReservedPort[]): Promise<string>;
  /** Stops accepting connections, lets running requests finish within the time, then closes. */
  close(graceMs: number): Promise<void>;
}

const REQUEST_MS = 30_000;
const READING_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;
const MAX_PARAM = 1024;
/** How often Node checks for requests that take too long. */
const LOOK_MS = 1_000;
/** How the target of a request begins when it is a whole URL. */
const ORIGIN = /^https?:\/\/[^/?#]*\/?/i;
/** The steps of a request check it by the schemas (steps.ts). The framework gets none, and need not load its compilers. */
const noCompiler = (): never => {
  throw new Error('the framework has no schemas');
};
const HSTS = { 'Strict-Transport-Security': 'max-age=31536000' };

function openNodeServer(
  { tls, requestMs = REQUEST_MS }: Pick<ServerOptions<never>, 'tls' | 'requestMs'>,
  listener: RequestListener,
): HttpServer {
  const options = {
    optimizeEmptyRequests: true,
    // We refuse such requests ourselves, because Node's answer would be empty.
    requireHostHeader: false,
    requestTimeout: requestMs,
    // Must not be longer than requestTimeout.
    headersTimeout: requestMs,
    connectionsCheckingInterval: Math.min(LOOK_MS, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  if (!tls) return createHttpServer(options, listener);
  const { certFile, keyFile, asksClients = false } = tls;
  const certificates = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  return createSecureServer({ ...options, ...certificates, requestCert: asksClients, rejectUnauthorized: false }, listener);
}

function redirectOtherNames(server: FastifyInstance, pages: PageAddress, replies: Replies, bases: BaseUrls): void {
  server.addHook('onRequest', (request, reply, next) => {
    const location = otherNameRedirect(request.raw, pages);
    if (location === undefined) return next();
    reply.hijack();
    replies.redirect(new FrameworkCall(request, reply.raw, bases), NO_ROUTE, location);
  });
}

/** Refuses paths and methods that no route has. Answers OPTIONS, if the service does that. */
function registerUnknown(
  server: FastifyInstance,
  { app: { routes }, answersOptions = false }: Pick<ServerOptions<never>, 'app' | 'answersOptions'>,
  mounts: MountedPaths,
  replies: Replies,
  bases: BaseUrls,
): void {
  const methodsOf = createMethodFinder(routes, answersOptions);
  server.register(async (scope) => {
    // Before the body is read: an unknown path is refused whatever the body is.
    scope.addHook('onRequest', (request, reply) => {
      const methods = methodsOf(request.url);
      const mounted = methods.length === 0 ? mounts.at(request.url) : undefined;
      if (mounted !== undefined) return void mounts.serve(mounted, request, reply);
      const allow = { Allow: methods.join(', ') };
      reply.hijack();
      const call = new FrameworkCall(request, reply.raw, bases);
      if (methods.length === 0) replies.refuseOrEnd(fault('route.not_found'), call, NO_ROUTE);
      else if (answersOptions && request.method === 'OPTIONS') replies.sendBare(call, { ...NO_ROUTE, onlyReads: true }, allow);
      else replies.refuseOrEnd(fault('route.method_not_allowed', undefined, { headers: allow }), call, NO_ROUTE);
    });
    scope.setNotFoundHandler(() => undefined);
  });
}

function registerRoutes<Caller>(
  server: FastifyInstance,
  routes: readonly Route<Caller>[],
  serve: (route: Route<Caller>, request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const headNeedsRoute = new Set(routes.filter((route) => route.method === 'HEAD').map((route) => route.path));
  for (const route of routes) {
    const { method, path, spec } = route;
    const hasHead = method === 'GET' && !spec.withoutHead && !headNeedsRoute.has(path);
    server.route({
      // One route for both: another one for HEAD, as the framework would add, costs as much at the start.
      method: hasHead ? ['GET', 'HEAD'] : method,
      url: path,
      exposeHeadRoute: false,
      ...(spec.form || spec.jwt ? { config: { form: spec.form === true, jwt: spec.jwt === true } } : {}),
      ...(spec.bodyLimit ? { bodyLimit: spec.bodyLimit } : {}),
      ...(method === 'GET' || method === 'HEAD' ? {} : { preParsing: replaceEndedBody }),
      handler: (request, reply) => {
        reply.hijack();
        serve(route, request, reply);
      },
    });
  }
}

/** Tells browsers that scripts of every origin may call these routes (CORS). */
function answerPreflights(server: FastifyInstance, routes: readonly Route<never>[], replies: Replies, bases: BaseUrls): void {
  const open = routes.filter(({ spec }) => spec.forEveryOrigin);
  for (const path of new Set(open.map((route) => route.path))) {
    const methods = open.filter((route) => route.path === path).map(({ method }) => method);
    const allowed = {
      Allow: [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', '),
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': 'Accept, Authorization, Content-Type, DPoP',
      'Access-Control-Max-Age': '3600',
    };
    server.route({
      method: 'OPTIONS',
      url: path,
      handler: (request, reply) => {
        reply.hijack();
        replies.sendBare(new FrameworkCall(request, reply.raw, bases), { path, onlyReads: true, forEveryOrigin: true }, allowed);
      },
    });
  }
}

const NO_ROUTE = { path: 'none' };

/** The name of the route at a path, before one of its methods is known. */
const nameOf = (routes: readonly Route<never>[], path: string = NO_ROUTE.path): RouteName => ({
  path,
  forEveryOrigin: routes.some((route) => route.path === path && route.spec.forEveryOrigin),
});

export function createServer<Caller>(options: ServerOptions<Caller>): Server {
  const { requestIdHeader, trustedProxies, canonicalUrl } = options;
  const { routes } = options.app;
  const hsts = options.secure ? HSTS : {};
  const headers = { ...options.headers, ...hsts };
  const bases = new BaseUrls(options.publicUrl ?? (() => undefined));
  const { readingMs = READING_MS } = options;
  const sending = { requestIdHeader, readingMs, isClosing: () => connections.closing };
  const write = createSender(headers, sending);
  const replies = new Replies(options, bases, write);
  const connections = new ServerConnections({
    limit: options.maxConnections,
    onFull: () => options.log.warn('too many connections; idle ones are closed'),
  });
  const answer = createSteps(options, options);

  /** Answers or refuses one request of a route, and never throws. Returns whether it was done synchronously. */
  function serve(route: Route<Caller>, call: IncomingCall): boolean {
    const { onlyReads, forEveryOrigin } = route.spec;
    const name: RouteName = { path: route.path, onlyReads, forEveryOrigin };
    const refuse = (error: unknown): void => replies.refuseOrEnd(error, call, name);
    try {
      const outgoing = answer(route, call);
      if (outgoing instanceof Promise) {
        outgoing.then((late) => replies.send(call, name, late)).catch(refuse);
        return false;
      }
      replies.send(call, name, outgoing);
    } catch (error) {
      refuse(error);
    }
    return true;
  }

  /** For every request: requires a Host header (RFC 9112, 3.2), and removes scheme and host (3.2.2). */
  function handle(next: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    if (!request.socket.writable) return;
    if (!request.url!.startsWith('/')) request.url = request.url!.replace(ORIGIN, '/');
    if (request.headers.host === undefined && request.httpVersionMinor > 0) {
      const refusal = fault('request.no_host');
      const { id, ...bare } = replies.refuseUnread(refusal, request.socket.remoteAddress);
      write(response, id, { status: refusal.status, ...bare, last: true });
    } else if (isTracing()) {
      const span = startRequestSpan(options.times.service, request.method!, request.headers)!;
      (request as TimedMessage).span = span;
      span.run(() => next(request, response));
    } else next(request, response);
  }
  const receive =
    (next: RequestListener): RequestListener =>
    (request, response) => {
      (request as TimedMessage).arrivedAt = performance.now();
      const before = connections.begin(response);
      if (before) before.once('close', () => handle(next, request, response));
      else handle(next, request, response);
    };

  let fromMemory: MemoryCounts = { hits: 0, misses: 0 };
  /** Behind proxies that forward the host only the framework can determine the public URL. */
  const isAdapted = options.memoryAdapter !== false && (trustedProxies.length === 0 || options.publicUrl?.() !== undefined);
  function adapted(framework: RequestListener): RequestListener {
    if (!isAdapted) return framework;
    const trust = trustedProxies.length > 0 ? proxyAddress.compile([...trustedProxies]) : undefined;
    const adapter = { bases, trust, maxParamLength: MAX_PARAM, newRequestId: options.newRequestId };
    const memoryPaths = (options.mounts ?? []).flatMap(({ fromMemory: path }) => path ?? []);
    const parts = { routes, serve, framework, memoryPaths, ...memoryReplies(replies, createSender(hsts, sending)) };
    const { listener, counts } = createMemoryAdapter(parts, adapter);
    fromMemory = counts;
    return listener;
  }

  let listener: RequestListener;
  /** For each server (one per address). Called after the framework has set its own handlers, because some are replaced. */
  function setUpServer(node: HttpServer): HttpServer {
    connections.add(node);
    refuseUnreadable(node, (refusal, address) => {
      const { id, headers: own, text } = replies.refuseUnread(refusal, address);
      return { headers: { ...headers, 'Content-Type': 'application/json', ...own, [requestIdHeader]: id }, text };
    });
    return node;
  }

  const server = Fastify({
    serverFactory: (framework: RequestListener) => {
      listener = receive(adapted(framework));
      return openNodeServer(options, listener);
    },
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    bodyLimit: options.bodyLimit,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    ...(canonicalUrl ? { rewriteUrl: (request: { url?: string }) => canonicalUrl(request.url ?? '/') } : {}),
    genReqId: () => options.newRequestId(),
    requestIdHeader: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM },
    frameworkErrors: (error, request, reply) =>
      replies.refuseOrEnd(faultOfFramework(error), new FrameworkCall(request, reply.raw, bases), NO_ROUTE),
  } as FastifyServerOptions) as unknown as FastifyInstance;

  setUpServer(server.server);

  acceptBodies(server);
  server.setErrorHandler((error, request, reply) => {
    reply.hijack();
    const name = nameOf(routes, request.routeOptions.url);
    replies.refuseOrEnd(faultOfFramework(error), new FrameworkCall(request, reply.raw, bases), name);
  });
  if (options.pages) redirectOtherNames(server, options.pages, replies, bases);
  const mounts = createMounts(options.mounts ?? [], { replies, connections, bases, requestIdHeader, headers: hsts });
  registerUnknown(server, options, mounts, replies, bases);
  registerRoutes(server, routes, (route, request, reply) => serve(route, new FrameworkCall(request, reply.raw, bases)));
  answerPreflights(server, routes, replies, bases);
  mounts.register(server);

  return {
    get fromMemory() {
      return fromMemory;
    },
    async listen(host, port, reserved) {
      const another = (): HttpServer => setUpServer(openNodeServer(options, listener));
      if (reserved) {
        await server.ready();
        for (const [index, one] of reserved.entries()) await one.giveTo(index === 0 ? server.server : another());
      } else {
        const [first, ...others] = addressesOf(host);
        await server.listen({ host: first!, port });
        const { port: actual } = server.server.address() as AddressInfo;
        for (const other of others)
          await once(another().listen({ host: other, port: actual }), 'listening').catch((error: unknown) => {
            if (!isMissing(other, error)) throw error;
          });
      }
      const { address, port: actual, family } = server.server.address() as AddressInfo;
      const name = host === 'localhost' ? host : family === 'IPv6' ? `[${address}]` : address;
      bases.listening = `${options.tls ? 'https' : 'http'}://${name}:${actual}`;
      return bases.listening;
    },
    async close(graceMs) {
      await connections.close(graceMs);
      await server.close();
    },
  };
}
