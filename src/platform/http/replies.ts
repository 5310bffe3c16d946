// How answers and refusals leave: written, counted in the metrics, and logged where they say something.
import type { FastifyError } from 'fastify';
import { Fault, fault } from '../faults/index.ts';
import type { Log } from '../log/index.ts';
import type { RequestTimes } from '../metrics/index.ts';
import type { Bases, IncomingCall, Outgoing, Send } from './exchange.ts';
import { outageOf } from './outage.ts';
import type { Refusal } from './refusals.ts';

/** How a family of routes shows its errors. */
export type ErrorFormat = (fault: Fault, base: string, requestId: string) => { body: unknown; headers?: Record<string, string> };

export interface ReplyOptions {
  /** The error format of a path: routes below one prefix show their errors alike, also for paths that do not exist. */
  errorFormatOf(path: string): ErrorFormat;
  newRequestId(): string;
  readonly log: Log;
  readonly times: RequestTimes;
  readonly bodyLimit: number;
}

/** What is counted and logged of an address: the pattern of its route. Paths and queries of this service can hold tokens and answers. */
export interface RouteName {
  readonly path: string;
  /** A question: its answers are not worth a line of the log each. */
  readonly asks?: boolean | undefined;
}

function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const outage = outageOf(error);
  if (outage) return outage;
  const { code, statusCode } = (error ?? {}) as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fault('request.too_large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fault('request.media_type');
  if (statusCode !== undefined && statusCode < 500) return fault('request.malformed_url', { why: 'it cannot be read' });
  return fault('server.unexpected');
}

export class Replies {
  readonly #options: ReplyOptions;
  readonly #bases: Bases;
  readonly #write: Send;

  constructor(options: ReplyOptions, bases: Bases, write: Send) {
    this.#options = options;
    this.#bases = bases;
    this.#write = write;
  }

  send(call: IncomingCall, route: RouteName, outgoing: Outgoing): void {
    this.#write(call.response, call.requestId, outgoing);
    this.account(call, route, outgoing.status);
  }

  refuse(error: unknown, call: IncomingCall, route: RouteName): void {
    const { log, errorFormatOf, bodyLimit } = this.#options;
    const refusal = toFault(error);
    const { status, code, reason } = refusal;
    const request_id = call.requestId;
    // Somebody else's failure is no error of ours, and where we were when we heard of it says nothing.
    if (status >= 500 && error instanceof Fault) log.warn({ request_id, code, reason }, 'request failed');
    else if (status >= 500) log.error({ request_id, code, err: error }, 'request failed');
    else if (reason) log.info({ request_id, code, reason }, 'request refused');
    const { body, headers } = errorFormatOf(call.url)(refusal, call.base, request_id);
    // More is on its way than anybody will read.
    const { 'transfer-encoding': chunked, 'content-length': length } = call.headers;
    const isLong = status === 413 || chunked !== undefined || Number(length) > bodyLimit;
    const last = isLong && !call.raw.complete;
    this.send(call, route, { status, headers: { ...headers, ...refusal.headers }, text: JSON.stringify(body), last });
  }

  /** The last resort: whatever goes wrong with an answer ends its request, and not the process. */
  refuseOrEnd(error: unknown, call: IncomingCall, route: RouteName): void {
    try {
      if (!call.response.headersSent) {
        this.refuse(error, call, route);
        return;
      }
      this.#options.log.error({ request_id: call.requestId, err: error }, 'answer failed');
    } catch (failure) {
      this.#options.log.error({ request_id: call.requestId, err: failure }, 'refusal failed');
    }
    call.response.destroy();
  }

  /** A refusal where there is no request that could be read. */
  refuseBare(refusal: Fault, address: string | undefined): Refusal & { readonly id: string } {
    const { log, times, errorFormatOf, newRequestId } = this.#options;
    const { status, code } = refusal;
    const id = newRequestId();
    const { body, headers } = errorFormatOf('/')(refusal, this.#bases.own, id);
    times.observe('none', 'none', status, 0);
    log.info({ request_id: id, code, status, address }, 'request refused');
    return { id, headers: { ...headers, ...refusal.headers }, text: JSON.stringify(body) };
  }

  /** Counts an answer, and logs it unless it is one of the many that say nothing. */
  account(call: IncomingCall, { path: route, asks = false }: RouteName, status: number): void {
    const { log, times } = this.#options;
    const { method, milliseconds } = call;
    times.observe(method, route, status, milliseconds);
    // Reads that succeed are the bulk of the work: one line each only when asked for.
    const level = status < 400 && (asks || method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const ms = Math.round(milliseconds);
    log[level]({ request_id: call.requestId, method, route, status, ms, address: call.address }, 'request');
  }
}
