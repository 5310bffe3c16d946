// Paths (`/openid/*`) that are handled by something other than routes of the App: code that handles Node's requests itself.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withDeadline } from '../deadline.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { ServerConnections } from './connections.ts';
import { type BaseUrls, disconnectSignal, FrameworkCall, type IncomingCall, type OutgoingAnswer, type Send } from './exchange.ts';
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

export type MemoryAnswer = Pick<OutgoingAnswer, 'status' | 'headers' | 'text'>;

/** A path of a mount whose usual GET requests are answered from memory, before the framework sees them: see memory-adapter.ts. */
export interface MemoryPath {
  readonly path: string;
  /** The path of the mount as it is registered, which log and metrics name. */
  readonly mount: string;
  /** Undefined for every request that is not simple: the mount answers it. The body is not read, and nothing is sent before. */
  answer(request: IncomingMessage): MaybePromise<MemoryAnswer | undefined>;
}

export interface Mount {
  readonly paths: readonly string[];
  readonly fromMemory?: MemoryPath;
  handle(exchange: RawExchange): Promise<void>;
}

/** `write`: without the headers that the answers of the API have in common. */
export const memoryReplies = (replies: Replies, write: Send) => ({
  send(call: IncomingCall, { mount }: MemoryPath, answer: MemoryAnswer): void {
    write(call.response, call.requestId, answer);
    replies.record(call, { path: mount }, answer.status);
  },
  refuse: (error: unknown, call: IncomingCall, { mount }: MemoryPath): void =>
    replies.refuseOrEnd(error, call, { path: mount, isMount: true }),
});

/** A mount refuses methods that it does not support itself, with Allow. The framework does not route others than these. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export interface MountDeps {
  readonly replies: Replies;
  readonly connections: ServerConnections;
  readonly bases: BaseUrls;
  readonly requestIdHeader: string;
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface MountedPaths {
  register(server: FastifyInstance): void;
  /** The path of a mount, as it is registered, that serves this URL. */
  at(url: string): string | undefined;
  /** Also for methods that the framework does not route. */
  serve(url: string, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

export function createMounts(mounts: readonly Mount[], deps: MountDeps): MountedPaths {
  const { replies, connections, bases, requestIdHeader } = deps;
  const headers = new Map(Object.entries(deps.headers));
  const byPath = new Map(mounts.flatMap((mount) => mount.paths.map((path) => [path, mount] as const)));

  async function serve(url: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
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
        byPath.get(url)!.handle({
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
  }

  return {
    serve,
    register(server) {
      server.register(async (scope) => {
        // The mount reads the body itself.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
        for (const url of byPath.keys())
          scope.route({ method: METHODS, url, handler: (request, reply) => serve(url, request, reply) });
      });
    },
    at(url) {
      const path = url.split('?', 1)[0]!.replace(/(.)\/$/, '$1');
      if (byPath.has(path)) return path;
      return [...byPath.keys()].find((one) => one.endsWith('*') && path.startsWith(one.slice(0, -1)));
    },
  };
}
