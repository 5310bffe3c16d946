// A few requests come thousands of times a second and are answered from memory. Receiving them through the framework costs more than
// answering them, so these routes are matched here, before the framework. Only the routing differs: the steps, refusals, log lines and
// metrics are the same as for other requests. Everything that is not simple goes to the framework.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import { parse } from 'fast-querystring';
import { withDeadline } from '../deadline.ts';
import type { Query, Route } from './app.ts';
import { type BaseUrls, IncomingCall } from './exchange.ts';
import type { MemoryAnswer, MemoryPath } from './mounts.ts';

const NO_QUERY: Query = Object.freeze({});
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** A request that bypasses the framework. */
class DirectCall extends IncomingCall {
  readonly #adapter: AdapterOptions;

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    parameters: { params: Readonly<Record<string, string>>; query: Query },
    adapter: AdapterOptions,
  ) {
    super(raw, response, adapter.newRequestId(), parameters);
    this.#adapter = adapter;
  }
  get address(): string {
    return this.#adapter.trust ? proxyAddress(this.raw, this.#adapter.trust) : (this.raw.socket.remoteAddress ?? '');
  }
  get base(): string {
    const { encrypted } = this.raw.socket as Socket & { encrypted?: boolean };
    return this.#adapter.bases.of({ protocol: encrypted ? 'https' : 'http', host: this.raw.headers.host ?? '' });
  }
  get url(): string {
    return this.raw.url!;
  }
}

export interface AdapterOptions {
  readonly bases: BaseUrls;
  readonly maxParamLength: number;
  /** Which addresses are trusted proxies. */
  readonly trust: ((address: string, hop: number) => boolean) | undefined;
  newRequestId(): string;
}

/** How often the answer was available immediately, and how often something had to be read first. */
export interface MemoryCounts {
  hits: number;
  misses: number;
}

interface DirectRoute<Caller> {
  readonly route: Route<Caller>;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** The fixed beginning of its paths: cheaper to compare than the pattern. */
  readonly start: string;
}

function directRoute<Caller>(route: Route<Caller>): DirectRoute<Caller> {
  const { path } = route;
  const source = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '([^/]+)');
  return {
    route,
    names: [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!),
    pattern: new RegExp(`^${source}$`),
    start: path.split(':', 1)[0]!,
  };
}

/** Undefined if one is percent-encoded, or longer than any id. */
function paramsOf(names: readonly string[], values: readonly string[], maxLength: number): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const value = values[at + 1]!;
    if (value.includes('%') || value.length > maxLength) return undefined;
    params[name] = value;
  }
  return params;
}

/** Uses the framework's own parser, so that both read a query in the same way. */
const queryOf = (url: string, at: number): Query => (at < 0 ? NO_QUERY : parse(url.slice(at + 1)));

interface AdapterParts<Caller> {
  readonly routes: readonly Route<Caller>[];
  /** Answers or refuses by itself, and returns whether it is done already: a request that was begun there is never handed over. */
  serve(route: Route<Caller>, call: IncomingCall): boolean;
  readonly memoryPaths: readonly MemoryPath[];
  /** Sends the answer of such a path. */
  send(call: IncomingCall, memory: MemoryPath, answer: MemoryAnswer): void;
  refuse(error: unknown, call: IncomingCall, memory: MemoryPath): void;
  readonly framework: RequestListener;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Answers routes marked `fromMemory`, and the paths of mounts that are, and hands everything else to the framework. */
export function createMemoryAdapter<Caller>(
  { routes, serve, memoryPaths, send, refuse, framework }: AdapterParts<Caller>,
  options: AdapterOptions,
): { readonly listener: RequestListener; readonly counts: MemoryCounts } {
  const direct = routes.filter(({ method, spec }) => method === 'GET' && spec.fromMemory).map(directRoute);
  const exact = new Map(direct.filter(({ names }) => names.length === 0).map(({ route }) => [route.path, route]));
  const patterns = direct.filter(({ names }) => names.length > 0);
  const counts: MemoryCounts = { hits: 0, misses: 0 };

  /** Undefined for every URL that is not simple. */
  function find(url: string): { route: Route<Caller>; params: Readonly<Record<string, string>>; query: Query } | undefined {
    if (url.includes('#')) return undefined;
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    const plain = exact.get(path);
    if (plain) return { route: plain, params: NO_PARAMS, query: queryOf(url, at) };
    for (const { route, start, pattern, names } of patterns) {
      const found = path.startsWith(start) ? pattern.exec(path) : null;
      const params = found ? paramsOf(names, found, options.maxParamLength) : undefined;
      if (params) return { route, params, query: queryOf(url, at) };
    }
    return undefined;
  }

  const mounted = new Map(memoryPaths.map((one) => [one.path, one]));

  function answerMounted(memory: MemoryPath, request: IncomingMessage, response: ServerResponse): void {
    const finish = (answer: MemoryAnswer | undefined, isImmediate: boolean): void => {
      if (!answer) {
        framework(request, response);
        return;
      }
      send(new DirectCall(request, response, { params: NO_PARAMS, query: NO_QUERY }, options), memory, answer);
      if (isImmediate) counts.hits++;
      else counts.misses++;
    };
    const fail = (error: unknown): void =>
      refuse(error, new DirectCall(request, response, { params: NO_PARAMS, query: NO_QUERY }, options), memory);
    try {
      const answer = withDeadline(() => memory.answer(request));
      if (answer instanceof Promise) answer.then((late) => finish(late, false)).catch(fail);
      else finish(answer, true);
    } catch (error) {
      fail(error);
    }
  }

  return {
    counts,
    listener(request, response) {
      const memory = request.method === 'GET' ? mounted.get(request.url!) : undefined;
      if (memory && !hasBody(request)) return answerMounted(memory, request, response);
      const found = request.method === 'GET' ? find(request.url!) : undefined;
      if (!found) return framework(request, response);
      if (serve(found.route, new DirectCall(request, response, found, options))) counts.hits++;
      else counts.misses++;
    },
  };
}
