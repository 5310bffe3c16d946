// Questions that are asked thousands of times a second do not go through the framework: receiving a request there costs more than
// an answer from memory. Only what succeeds is handled here. Whatever is refused, and whatever needs more of the request than there
// is here, goes the usual way as if nothing had been tried: routes of this lane only ask.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { andThen } from '../soon.ts';
import type { Call, Query, Route } from './app.ts';
import type { TimedMessage } from './exchange.ts';
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
  readonly route: Route<Caller>;
  readonly success: number;
  readonly asked: Asked;
}

interface Lane<Caller> {
  readonly route: Route<Caller>;
  readonly success: number;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** What every path of it begins with: cheaper to compare than the pattern. */
  readonly start: string;
}

function laneOf<Caller>(route: Route<Caller>): Lane<Caller> {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const source = route.path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '([^/]+)');
  const success = Number(Object.keys(route.spec.reply)[0]);
  return { route, success, names, pattern: new RegExp(`^${source}$`), start: route.path.split(':', 1)[0]! };
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

export function openFastLane<Caller>(server: Server, lane: FastLane<Caller>): void {
  const lanes = lane.routes.filter(({ spec }) => spec.fast).map(laneOf);
  const exact = new Map(
    lanes
      .filter(({ names }) => names.length === 0)
      .map(({ route, success }): [string, Found<Caller>] => [route.path, { route, success, asked: NOTHING }]),
  );
  const [usual] = server.listeners('request') as [RequestListener];

  /** The route that is meant and what its address says; undefined for all that is not for this lane. */
  function find(url: string): Found<Caller> | undefined {
    const plain = exact.get(url);
    if (plain) return plain;
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    for (const { route, success, names, pattern, start } of lanes) {
      if (!path.startsWith(start)) continue;
      const found = pattern.exec(path);
      const params = found && !url.includes('%00') ? paramsOf(names, found) : undefined;
      if (params) return { route, success, asked: { params, query: at < 0 ? NO_QUERY : (parse(url.slice(at + 1)) as Query) } };
    }
    return undefined;
  }

  function answer(
    { route, success, asked }: Found<Caller>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> | undefined {
    const requestId = lane.newRequestId();
    const { access, query } = route.spec;
    if (query) validate(query, asked.query);
    const { headers } = request;
    const known = access === 'anyone' ? (undefined as Caller) : lane.authenticate(headers, requestId, access, 'GET');
    return andThen(known, (caller) =>
      andThen(route.handler(new LaneCall(headers, asked, caller, requestId, lane.baseOf) as never), (result: unknown) =>
        lane.send(route, success, response, requestId, result, performance.now() - (request as TimedMessage).arrivedAt),
      ),
    ) as Promise<void> | undefined;
  }

  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const goUsual = (): void => {
      if (!response.headersSent) usual(request, response);
    };
    try {
      const found = request.method === 'GET' && server.listening && lane.isOpen() ? find(request.url!) : undefined;
      if (found) answer(found, request, response)?.catch(goUsual);
      else usual(request, response);
    } catch {
      goUsual();
    }
  });
}
