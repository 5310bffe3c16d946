// Questions that are asked thousands of times a second do not go through the framework: receiving a request there costs more than
// an answer from memory. Only what succeeds is handled here. Whatever is refused, and whatever needs more of the request than there
// is here, goes the usual way as if nothing had been tried: routes of this lane only ask.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { parse } from 'fast-querystring';
import { andThen } from '../soon.ts';
import type { Call, Query, Route } from './app.ts';
import type { TimedMessage } from './exchange.ts';
import type { Schema } from './schema.ts';
import { validate } from './validate.ts';

const MAX_PARAM = 1024;
const NO_QUERY: Query = Object.freeze({});

/** What a handler of this lane may look at; anything else is for the usual way. */
class LaneCall<Caller> implements Call<Caller, Readonly<Record<string, string>>, Query, undefined> {
  readonly body = undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: IncomingMessage['headers'];
  readonly caller: Caller;
  readonly requestId: string;
  readonly #baseOf: FastLane<Caller>['baseOf'];

  constructor(
    headers: IncomingMessage['headers'],
    { params, query }: Asked,
    caller: Caller,
    requestId: string,
    baseOf: FastLane<Caller>['baseOf'],
  ) {
    this.headers = headers;
    this.params = params;
    this.query = query;
    this.caller = caller;
    this.requestId = requestId;
    this.#baseOf = baseOf;
  }
  get base(): string {
    const base = this.#baseOf(this.headers);
    if (base === undefined) throw new Error('not in the fast lane');
    return base;
  }
  get path(): never {
    throw new Error('not in the fast lane');
  }
  get address(): never {
    throw new Error('not in the fast lane');
  }
  get signal(): never {
    throw new Error('not in the fast lane');
  }
}

interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
}

const NOTHING: Asked = { params: {}, query: NO_QUERY };

export interface FastLane<Caller> {
  readonly routes: readonly Route<Caller>[];
  /** Off while every request is to be logged. */
  isOpen(): boolean;
  newRequestId(): string;
  /** The public address of the service; undefined when only the usual way can tell. */
  baseOf(headers: IncomingMessage['headers']): string | undefined;
  authenticate(
    headers: IncomingMessage['headers'],
    requestId: string,
    access: string | undefined,
    method: string,
  ): Caller | Promise<Caller>;
  /** `success`: the status of an answer that says none. */
  send(
    route: Route<Caller>,
    success: number,
    response: ServerResponse,
    requestId: string,
    result: unknown,
    milliseconds: number,
  ): void;
}

interface Found<Caller> {
  readonly lane: Lane<Caller>;
  readonly asked: Asked;
}

/** What there is to know about a route, in objects of one shape: routes are written in many. */
interface Lane<Caller> {
  readonly route: Route<Caller>;
  readonly handler: Route<Caller>['handler'];
  readonly access: string | undefined;
  readonly query: Schema | undefined;
  readonly success: number;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** What every path of it begins with: cheaper to compare than the pattern. */
  readonly start: string;
}

function laneOf<Caller>(route: Route<Caller>): Lane<Caller> {
  const { path, spec, handler } = route;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const source = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '([^/]+)');
  return {
    route,
    handler,
    access: spec.access,
    query: spec.query,
    success: Number(Object.keys(spec.reply)[0]),
    names,
    pattern: new RegExp(`^${source}$`),
    start: path.split(':', 1)[0]!,
  };
}

function paramsOf(names: readonly string[], values: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const value = decodeURIComponent(values[at + 1]!);
    if (value.length > MAX_PARAM) return undefined;
    params[name] = value;
  }
  return params;
}

/** By the same parser as the usual way, so that an address means the same in both. */
const queryOf = (url: string, at: number): Query => (at < 0 ? NO_QUERY : parse(url.slice(at + 1)));

export function openFastLane<Caller>(server: Server, service: FastLane<Caller>): void {
  const lanes = service.routes.filter(({ spec }) => spec.fast).map(laneOf);
  const exact = new Map(
    lanes
      .filter(({ names }) => names.length === 0)
      .map((lane): [string, Found<Caller>] => [lane.route.path, { lane, asked: NOTHING }]),
  );
  const [usual] = server.listeners('request') as [RequestListener];

  /** The route that is meant and what its address says; undefined for all that is not for this lane. */
  function find(url: string): Found<Caller> | undefined {
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    const plain = exact.get(path);
    if (plain && at < 0) return plain;
    if (url.includes('%00')) return undefined;
    if (plain) return { lane: plain.lane, asked: { params: NOTHING.params, query: queryOf(url, at) } };
    for (const lane of lanes) {
      const found = path.startsWith(lane.start) ? lane.pattern.exec(path) : null;
      const params = found ? paramsOf(lane.names, found) : undefined;
      if (params) return { lane, asked: { params, query: queryOf(url, at) } };
    }
    return undefined;
  }

  function answer(
    { lane: { route, handler, access, query, success }, asked }: Found<Caller>,
    { headers }: IncomingMessage,
    response: ServerResponse,
    arrivedAt: number,
  ): Promise<void> | undefined {
    const requestId = service.newRequestId();
    if (query) validate(query, asked.query);
    const known = access === 'anyone' ? (undefined as Caller) : service.authenticate(headers, requestId, access, 'GET');
    return andThen(known, (caller) =>
      andThen(handler(new LaneCall(headers, asked, caller, requestId, service.baseOf) as never), (result: unknown) =>
        service.send(route, success, response, requestId, result, performance.now() - arrivedAt),
      ),
    ) as Promise<void> | undefined;
  }

  function goUsual(request: IncomingMessage, response: ServerResponse, arrivedAt: number): void {
    if (response.headersSent) return;
    (request as TimedMessage).arrivedAt = arrivedAt;
    usual(request, response);
  }

  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const arrivedAt = performance.now();
    try {
      const found = request.method === 'GET' && server.listening && service.isOpen() ? find(request.url!) : undefined;
      if (found) return void answer(found, request, response, arrivedAt)?.catch(() => goUsual(request, response, arrivedAt));
    } catch {
      // Refused, or not readable here.
    }
    goUsual(request, response, arrivedAt);
  });
}
