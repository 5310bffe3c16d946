// Serves an App over HTTP. The only place, with its neighbours here, that knows the web framework.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify';
import { isUnavailable } from '../database/index.ts';
import { Fault, fault } from '../faults/index.ts';
import type { Log } from '../log/index.ts';
import type { RequestTimes } from '../metrics/index.ts';
import { Answer, type App, type Call, type Query, type Route } from './app.ts';
import { checkUrl, parseJson } from './json.ts';
import { allowedMethods, onUnreadableRequest } from './refusals.ts';
import type { Schema } from './schema.ts';
import { serialize, validate, violation } from './validate.ts';

/** How a family of routes shows its errors. */
export type Face = (fault: Fault, base: string) => { body: unknown; headers?: Record<string, string> };

export interface ServerOptions<Caller> {
  readonly app: App<Caller>;
  readonly face: Face;
  /** Who sends this request; throws a Fault when nobody may be served. Synchronous where it can be: it is on every request. */
  authenticate(headers: FastifyRequest['headers'], requestId: string): Caller | Promise<Caller>;
  /** Headers every answer carries. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestIdHeader: string;
  newRequestId(): string;
  readonly log: Log;
  readonly times: RequestTimes;
  readonly publicUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly bodyLimit: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Tests: an answer that breaks its own schema or status is a failure. */
  readonly checkReplies?: boolean;
}

export interface Server {
  /** Resolves to the address it listens on. */
  listen(host: string, port: number): Promise<string>;
  /** Stops accepting, lets what runs finish within the time, then closes. */
  close(graceMs: number): Promise<void>;
}

const REQUEST_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
const MAX_PARAM = 1024;
const IDLE_MS = 50;

/** Text goes out as it is; left to itself the framework would add a charset to the content type, which JSON does not have. */
const asIs = (text: unknown): string => text as string;

function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isUnavailable(error)) return fault('server.unavailable', undefined, { headers: { 'Retry-After': '1' } });
  const { code, statusCode } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fault('request.too_large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fault('request.media_type');
  if (statusCode !== undefined && statusCode < 500) return fault('request.malformed_url', { why: 'it cannot be read' });
  return fault('server.unexpected');
}

export function createServer<Caller>(options: ServerOptions<Caller>): Server {
  const { app, face, log, times } = options;
  const baseOf = (request: FastifyRequest): string => options.publicUrl ?? `${request.protocol}://${request.host}`;

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const refusal = toFault(error);
    const { status, code, reason } = refusal;
    if (status >= 500) log.error({ request_id: request.id, code, err: error }, 'request failed');
    else if (reason) log.info({ request_id: request.id, code, reason }, 'request refused');
    const { body, headers } = face(refusal, baseOf(request));
    reply
      .code(status)
      .headers({ ...options.headers, [options.requestIdHeader]: request.id, ...headers, ...refusal.headers })
      .header('Content-Type', 'application/json')
      .serializer(asIs)
      .send(JSON.stringify(body));
  }

  const tls = options.tls && { https: { cert: readFileSync(options.tls.certFile), key: readFileSync(options.tls.keyFile) } };
  const server = Fastify({
    ...tls,
    logger: false,
    bodyLimit: options.bodyLimit,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: () => options.newRequestId(),
    requestIdHeader: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM },
    clientErrorHandler: onUnreadableRequest(face),
    frameworkErrors: refuse,
  } as FastifyServerOptions);

  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^application\/json\b/i, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.setErrorHandler(refuse);
  server.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(app.routes, request.url);
    const known = methods.length > 0;
    const headers = { Allow: methods.join(', ') };
    return refuse(known ? fault('route.method_not_allowed', undefined, { headers }) : fault('route.not_found'), request, reply);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    times.observe(request.method, route, reply.statusCode, reply.elapsedTime);
    // Reads that succeed are the bulk of the work and say nothing: one line each only when asked for.
    const level = reply.statusCode < 400 && (request.method === 'GET' || request.method === 'HEAD') ? 'debug' : 'info';
    // The pattern, not the address: paths and queries of this service can hold tokens and answers.
    if (log.isLevelEnabled(level)) {
      const entry = {
        request_id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        address: request.ip,
      };
      log[level](entry, 'request');
    }
    done();
  });

  const headNeedsRoute = new Set(app.routes.filter((route) => route.method === 'HEAD').map((route) => route.path));
  for (const route of app.routes) {
    server.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: route.method === 'GET' && !headNeedsRoute.has(route.path),
      handler: (request, reply) => handle(route, request, reply),
    });
  }

  async function handle(route: Route<Caller>, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { spec } = route;
    checkUrl(request.url);
    reply.headers(options.headers).header(options.requestIdHeader, request.id);
    let caller: Caller | Promise<Caller> | undefined;
    if (spec.access !== 'anyone') {
      caller = options.authenticate(request.headers, request.id);
      if (caller instanceof Promise) caller = await caller;
    }
    const call: Call<unknown> = {
      params: request.params,
      query: spec.query ? (validate(spec.query, request.query) as Query) : (request.query as Query),
      body: spec.body ? validate(spec.body, request.body ?? {}) : undefined,
      caller,
      headers: request.headers,
      base: baseOf(request),
      path: request.url.split('?', 1)[0]!,
      address: request.ip,
      requestId: request.id,
    };
    const result = await route.handler(call as never);
    send(route, reply, result instanceof Answer ? result : new Answer({ body: result }));
  }

  function send(route: Route<Caller>, reply: FastifyReply, answer: Answer): void {
    const status = answer.status ?? Number(Object.keys(route.spec.reply)[0]);
    const schema = route.spec.reply[status];
    if (options.checkReplies) checkReply(route, status, schema, answer);
    reply.code(status);
    if (schema) reply.header('Content-Type', 'application/json').serializer(asIs);
    reply.headers(answer.headers).send(answer.text ?? (schema ? serialize(schema, answer.body) : undefined));
  }

  return {
    async listen(host, port) {
      await server.listen({ host, port });
      const { address, port: actual, family } = server.server.address() as AddressInfo;
      return `${options.tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
    },
    async close(graceMs) {
      // A connection whose answer is under way turns idle later; nobody else would close it before its keep-alive ends.
      const idle = setInterval(() => server.server.closeIdleConnections(), IDLE_MS);
      const force = setTimeout(() => server.server.closeAllConnections(), graceMs);
      await server.close();
      clearInterval(idle);
      clearTimeout(force);
    },
  };
}

function checkReply(
  route: { method: string; path: string },
  status: number,
  schema: Schema | null | undefined,
  answer: Answer,
): void {
  const where = `${route.method} ${route.path} ${status}`;
  if (schema === undefined) throw new Error(`${where}: status not declared`);
  const body = answer.text === undefined ? answer.body : JSON.parse(answer.text);
  const broken = schema ? violation(schema, JSON.parse(JSON.stringify(body ?? null))) : undefined;
  if (broken) throw new Error(`${where}: answer breaks its schema: ${broken}`);
}
