// One request and its answer. Answers bypass the framework, because its processing (lower-casing headers, looking for serializers, hooks
// and streams) costs as much as receiving the request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { FastifyRequest } from 'fastify';
import type { RequestSpan } from '../tracing/index.ts';
import type { Call, Query } from './app.ts';
import { LINGER_MS } from './refusals.ts';

/** A request with its time of arrival, and its span while traces are on. */
export type TimedMessage = IncomingMessage & { arrivedAt: number; span?: RequestSpan };

/** A request as a handler sees it. Expensive properties that few handlers use are computed on access. */
export abstract class IncomingCall implements Call<unknown> {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly params: unknown;
  query: Query;
  body: unknown;
  caller: unknown;
  target: unknown;

  constructor(raw: IncomingMessage, response: ServerResponse, requestId: string, parameters: { params: unknown; query: Query }) {
    this.raw = raw;
    this.response = response;
    this.requestId = requestId;
    this.params = parameters.params;
    this.query = parameters.query;
  }
  abstract readonly address: string;
  abstract readonly base: string;
  /** The URL in its canonical form, as the routes have it. */
  abstract readonly url: string;

  get headers(): IncomingMessage['headers'] {
    return this.raw.headers;
  }
  get method(): string {
    return this.raw.method!;
  }
  get path(): string {
    return this.url.split('?', 1)[0]!;
  }
  get signal(): AbortSignal {
    return disconnectSignal(this.response);
  }
  /** Time since its arrival. */
  get milliseconds(): number {
    return performance.now() - (this.raw as TimedMessage).arrivedAt;
  }
}

/** A request received by the framework. */
export class FrameworkCall extends IncomingCall {
  readonly #request: FastifyRequest;
  readonly #bases: BaseUrls;

  constructor(request: FastifyRequest, response: ServerResponse, bases: BaseUrls) {
    super(request.raw, response, request.id, { params: request.params, query: request.query as Query });
    this.#request = request;
    this.#bases = bases;
    this.body = request.body;
  }
  get address(): string {
    return this.#request.ip;
  }
  get base(): string {
    return this.#bases.of(this.#request);
  }
  get url(): string {
    return this.#request.url;
  }
}

const signals = new WeakMap<ServerResponse, AbortSignal>();

/** Aborted when the client disconnects before it has its answer. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const known = signals.get(response);
  if (known) return known;
  const controller = new AbortController();
  signals.set(response, controller.signal);
  if (response.destroyed || response.socket?.destroyed) controller.abort();
  else
    response.once('close', () => {
      if (!response.writableFinished) controller.abort();
    });
  return controller.signal;
}

/** A name or an address, with an optional port. Any other `Host` is not repeated in an answer. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
export const isHost = (host: string | undefined): host is string => host !== undefined && HOST.test(host);

/** The URL of the service as clients know it: the public URL, else the host of the request, else the address of the server. */
export class BaseUrls {
  readonly #publicUrl: () => string | undefined;
  listening = '';

  constructor(publicUrl: () => string | undefined) {
    this.#publicUrl = publicUrl;
  }
  get own(): string {
    return this.#publicUrl() ?? this.listening;
  }
  of({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
    return this.#publicUrl() ?? (isHost(host) ? `${protocol}://${host}` : this.listening);
  }
}

/** A list of values is sent as several headers (Set-Cookie). */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined: no body at all. */
  readonly text: string | undefined;
  readonly bytes?: number | undefined;
  /** A body of unknown length, instead of the text. */
  readonly chunks?: AsyncIterable<string> | undefined;
  /** Closes the connection after this answer, although the client may still be sending. */
  readonly last?: boolean;
}

/** Default headers, which an answer may override. */
class DefaultHeaders {
  /** Names and values, alternating. */
  readonly list: readonly string[];
  readonly #headers: ReadonlyMap<string, string>;
  /** The defaults without a header, by its name. Answers of one kind always replace the same headers. */
  readonly #rests = new Map<string, DefaultHeaders>();

  constructor(headers: ReadonlyMap<string, string>) {
    this.#headers = headers;
    this.list = [...headers].flat();
  }

  without(name: string): DefaultHeaders {
    if (!this.#headers.has(name)) return this;
    const rest = this.#rests.get(name) ?? new DefaultHeaders(new Map([...this.#headers].filter(([other]) => other !== name)));
    this.#rests.set(name, rest);
    return rest;
  }
}

/** Ends a written answer once the client has stopped sending. Ending it earlier could lose the answer. */
function endLater(response: ServerResponse): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  response.req.once('end', end).once('close', end).resume();
}

/** A client that stops reading must not keep its answer in memory forever. Ends the connection after this time without progress. */
function limitReading(response: ServerResponse, limitMs: number): void {
  // Node counts any progress, and sets another limit when the answer is finished.
  if (response.writableLength > 0) response.setTimeout(limitMs);
}

export type Send = (response: ServerResponse, requestId: string, outgoing: OutgoingAnswer) => void;

/** Creates the function that sends answers; of an answer in chunks only the head. Headers of an answer replace the common ones. */
export function createSender(
  common: Readonly<Record<string, string>>,
  { requestIdHeader, readingMs, isClosing }: { requestIdHeader: string; readingMs: number; isClosing(): boolean },
): Send {
  const bodiless = new DefaultHeaders(new Map(Object.entries(common)));
  const withBody = new DefaultHeaders(new Map(Object.entries({ ...common, 'Content-Type': 'application/json' })));
  return (response, requestId, { status, headers, text, bytes, chunks, last }) => {
    if (last || isClosing()) response.shouldKeepAlive = false;
    let others = text === undefined && !chunks ? bodiless : withBody;
    const list = [requestIdHeader, requestId];
    for (const name in headers) {
      const value = headers[name]!;
      others = others.without(name);
      if (typeof value === 'string') list.push(name, value);
      else for (const one of value) list.push(name, one);
    }
    for (const part of others.list) list.push(part);
    if (chunks) {
      response.writeHead(status, list);
      response.setTimeout(readingMs);
      return;
    }
    if (text === undefined) {
      if (status !== 204 && status !== 304 && response.req.method !== 'HEAD') list.push('Content-Length', '0');
      response.writeHead(status, list);
      response.end();
      return;
    }
    const length = bytes ?? Buffer.byteLength(text);
    list.push('Content-Length', String(length));
    response.writeHead(status, list);
    if (last) {
      response.flushHeaders();
      response.write(text);
      endLater(response);
      return;
    }
    // If there are as many bytes as characters, the text is ASCII, which is much cheaper to copy than to encode.
    response.end(text, length === text.length ? 'latin1' : 'utf8');
    limitReading(response, readingMs);
  };
}
