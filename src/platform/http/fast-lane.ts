// Questions that memory answers at once do not go through the framework: receiving a request there costs more than the answer.
// Only the plain case is handled here. Whatever is not (no token, a bad one, something to be read first, a query, an error) goes
// the usual way, as if nothing had been tried: routes of this lane only ask.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Answer, type Call, type Query, type Route } from './app.ts';
import type { TimedMessage } from './exchange.ts';

const NO_QUERY: Query = Object.freeze({});

/** What a handler of this lane may look at; anything else is for the usual way. */
class LaneCall<Caller> implements Call<Caller, Record<string, never>, Query, undefined> {
  readonly params = {};
  readonly query = NO_QUERY;
  readonly body = undefined;
  readonly headers: IncomingMessage['headers'];
  readonly caller: Caller;
  readonly requestId: string;

  constructor(headers: IncomingMessage['headers'], caller: Caller, requestId: string) {
    this.headers = headers;
    this.caller = caller;
    this.requestId = requestId;
  }
  get base(): never {
    throw new Error('not in the fast lane');
  }
  get path(): never {
    throw new Error('not in the fast lane');
  }
  get address(): never {
    throw new Error('not in the fast lane');
  }
}

export interface FastLane<Caller> {
  readonly routes: readonly Route<Caller>[];
  /** Off while every request is to be logged. */
  isOpen(): boolean;
  newRequestId(): string;
  authenticate(headers: IncomingMessage['headers'], requestId: string, access: string | undefined): unknown;
  send(route: Route<Caller>, response: ServerResponse, requestId: string, answer: Answer, milliseconds: number): void;
}

export function openFastLane<Caller>(server: Server, lane: FastLane<Caller>): void {
  const routes = new Map(lane.routes.filter(({ spec }) => spec.fast).map((route) => [route.path, route]));
  const [usual] = server.listeners('request') as [RequestListener];

  function answer(route: Route<Caller>, request: IncomingMessage, response: ServerResponse): boolean {
    let result: unknown;
    const requestId = lane.newRequestId();
    try {
      const caller = lane.authenticate(request.headers, requestId, route.spec.access);
      if (caller instanceof Promise) {
        caller.catch(() => {});
        return false;
      }
      result = route.handler(new LaneCall(request.headers, caller as Caller, requestId) as never);
    } catch {
      return false;
    }
    if (result instanceof Promise) result.catch(() => {});
    if (!(result instanceof Answer)) return false;
    lane.send(route, response, requestId, result, performance.now() - (request as TimedMessage).arrivedAt);
    return true;
  }

  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const route = request.method === 'GET' && server.listening ? routes.get(request.url ?? '') : undefined;
    if (!route || !lane.isOpen() || !answer(route, request, response)) usual(request, response);
  });
}
