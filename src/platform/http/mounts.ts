// Paths (`/openid/*`) that are handled by something other than routes of the App: code that handles Node's requests itself.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { withDeadline } from '../deadline.ts';
import type { ServerConnections } from './connections.ts';
import { type BaseUrls, disconnectSignal, FrameworkCall } from './exchange.ts';
import type { Replies } from './replies.ts';

/** A request and its response as Node's own objects. */
export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Address of the client, also behind trusted proxies. */
  readonly address: string;
  readonly requestId: string;
  /** Aborted when the client disconnects before it has its answer. */
  readonly signal: AbortSignal;
}

export interface Mount {
  readonly paths: readonly string[];
  handle(exchange: RawExchange): Promise<void>;
}

/** All methods: a mount refuses those it does not support itself, with Allow. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function registerMount(
  server: FastifyInstance,
  { paths, handle }: Mount,
  parts: {
    readonly replies: Replies;
    readonly connections: ServerConnections;
    readonly bases: BaseUrls;
    readonly requestIdHeader: string;
    /** Headers of every answer. */
    readonly headers: Readonly<Record<string, string>>;
  },
): void {
  const { replies, connections, bases, requestIdHeader } = parts;
  const headers = new Map(Object.entries(parts.headers));
  server.register(async (scope) => {
    // The mount reads the body itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const url of paths) {
      scope.route({
        method: METHODS,
        url,
        handler: async (request, reply) => {
          reply.hijack();
          const response = reply.raw;
          const call = new FrameworkCall(request, response, bases);
          response.setHeader(requestIdHeader, request.id);
          response.setHeaders(headers);
          connections.follow(response);
          let isRefused = false;
          response.once('finish', () => {
            if (!isRefused) replies.record(call, { path: url }, response.statusCode);
          });
          try {
            const { raw, address, requestId } = call;
            await withDeadline(() =>
              handle({
                request: raw,
                response,
                address,
                requestId,
                get signal() {
                  return disconnectSignal(response);
                },
              }),
            );
          } catch (error) {
            isRefused = true;
            replies.refuseOrEnd(error, call, { path: url, isMount: true });
          }
        },
      });
    }
  });
}
