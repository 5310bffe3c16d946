// Sends answers and refusals, counts them in the metrics, and logs them.
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyError } from 'fastify';
import { Fault, fault } from '../faults/index.ts';
import type { Log } from '../log/index.ts';
import type { RequestTimes } from '../metrics/index.ts';
import type { BaseUrls, IncomingCall, OutgoingAnswer, Send, TimedMessage } from './exchange.ts';
import { outageOf } from './outage.ts';
import type { Refusal } from './refusals.ts';

/** The error format of a group of routes. */
export type ErrorFormat<Body extends ErrorBody = ErrorBody> = (
  fault: Fault,
  base: string,
  requestId: string,
) => Body & { headers?: Record<string, string> };

/** A value for JSON, or the text of a page. */
type ErrorBody = { body: unknown } | { text: string };
const textOf = (error: ErrorBody): string => ('text' in error ? error.text : JSON.stringify(error.body));

export interface ReplyOptions {
  /** The error format of a path. Routes below one prefix share a format, which also applies to paths that do not exist. */
  errorFormatOf(path: string, headers: IncomingHttpHeaders): ErrorFormat;
  newRequestId(): string;
  readonly log: Log;
  readonly times: RequestTimes;
  readonly bodyLimit: number;
  /**
   * Told of every answer after it was sent. `route` is the pattern of its path, or `none`. Called for each request, also those that are
   * answered from memory: it must be quick.
   */
  onAnswer?(call: AnsweredCall, route: string, status: number, refusal: Fault | undefined): void;
}

export type AnsweredCall = Pick<IncomingCall, 'method' | 'headers' | 'url' | 'requestId' | 'milliseconds'>;

/** What metrics and log contain of a URL: the pattern of its route. Paths and queries may contain tokens. */
export interface RouteName {
  /** `none` if no route has the path. */
  readonly path: string;
  /** It only reads, so successful answers are logged at debug level. */
  readonly onlyReads?: boolean | undefined;
  /** Scripts of every origin may read the answer. */
  readonly forEveryOrigin?: boolean | undefined;
  /** A mount may serve the request as one to another address, whose error format it then has. */
  readonly isMount?: boolean;
}

const toFault = (error: unknown): Fault => (error instanceof Fault ? error : (outageOf(error) ?? fault('server.unexpected')));

/** The fault for an error of the framework, which occurs before a handler is called. Errors of handlers are never those of clients. */
export function faultOfFramework(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code, statusCode } = (error ?? {}) as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fault('request.too_large');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fault('request.media_type');
  return statusCode !== undefined && statusCode < 500 ? fault('request.malformed_url', { why: 'it cannot be read' }) : error;
}

/** What scripts of other origins may read (CORS). */
const READABLE = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'WWW-Authenticate' };

export class Replies {
  readonly #options: ReplyOptions;
  readonly #bases: BaseUrls;
  readonly #write: Send;

  constructor(options: ReplyOptions, bases: BaseUrls, write: Send) {
    this.#options = options;
    this.#bases = bases;
    this.#write = write;
  }

  send(call: IncomingCall, route: RouteName, answer: OutgoingAnswer, refusal?: Fault): void {
    const outgoing = route.forEveryOrigin ? { ...answer, headers: { ...answer.headers, ...READABLE } } : answer;
    this.#write(call.response, call.requestId, outgoing);
    if (outgoing.chunks) this.#sendChunks(call, outgoing.chunks);
    this.record(call, route, outgoing.status);
    this.#options.onAnswer?.(call, route.path, outgoing.status, refusal);
  }

  /** Makes no more than the client reads. One that disconnects ends the work. */
  #sendChunks({ method, response, requestId }: IncomingCall, chunks: AsyncIterable<string>): void {
    if (method === 'HEAD') return void response.end();
    pipeline(Readable.from(chunks), response).catch((err: NodeJS.ErrnoException) => {
      if (err.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#options.log.error({ request_id: requestId, err }, 'answer failed');
    });
  }

  refuse(error: unknown, call: IncomingCall, route: RouteName): void {
    const { log, errorFormatOf } = this.#options;
    const refusal = toFault(error);
    const { status, code, reason } = refusal;
    const request_id = call.requestId;
    // A fault with status 5xx is the failure of another service. It is no error of ours, and its stack trace is useless.
    if (status >= 500 && error instanceof Fault) log.warn({ request_id, code, reason }, 'request failed');
    else if (status >= 500) log.error({ request_id, code, err: error }, 'request failed');
    else if (reason) log.info({ request_id, code, reason }, 'request refused');
    // Not the path of the request, where characters of the route may be percent-encoded.
    const path = route.path.startsWith('/') && !route.isMount ? route.path : call.url;
    const answer = errorFormatOf(path, call.headers)(refusal, call.base, request_id);
    const last = this.#isSendingMore(call, status === 413);
    this.send(call, route, { status, headers: { ...answer.headers, ...refusal.headers }, text: textOf(answer), last }, refusal);
  }

  /** The client is still sending a body that will not be read. */
  #isSendingMore({ headers, raw }: IncomingCall, isTooLong = false): boolean {
    const { 'transfer-encoding': chunked, 'content-length': length } = headers;
    return (isTooLong || chunked !== undefined || Number(length) > this.#options.bodyLimit) && !raw.complete;
  }

  /** 200 without a body, whatever the client sent. */
  sendBare(call: IncomingCall, route: RouteName, headers: Readonly<Record<string, string>>): void {
    this.send(call, route, { status: 200, headers, text: undefined, last: this.#isSendingMore(call) });
  }

  /** Nothing was done, and nothing may be remembered: another start may have another address. */
  redirect(call: IncomingCall, route: RouteName, location: string): void {
    const headers = { Location: location, 'Cache-Control': 'no-store' };
    this.send(call, route, { status: 302, headers, text: undefined, last: this.#isSendingMore(call) });
  }

  /** The last resort: a failure to answer must end only its request, not the process. */
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

  /** A refusal if the request could not be read. */
  refuseUnread(refusal: Fault, address: string | undefined): Refusal & { readonly id: string } {
    const { log, times, errorFormatOf, newRequestId } = this.#options;
    const { status, code } = refusal;
    const id = newRequestId();
    const answer = errorFormatOf('/', {})(refusal, this.#bases.own, id);
    times.observe('none', 'none', status, 0);
    log.info({ request_id: id, code, status, address }, 'request refused');
    return { id, headers: { ...answer.headers, ...refusal.headers }, text: textOf(answer) };
  }

  /** Counts an answer and logs it. */
  record(call: IncomingCall, { path: route, onlyReads = false }: RouteName, status: number): void {
    const { log, times } = this.#options;
    const { method, milliseconds } = call;
    times.observe(method, route, status, milliseconds);
    (call.raw as TimedMessage).span?.end(route, status);
    // Successful reads are the bulk of the requests, so they are logged only at debug.
    const level = status < 400 && (onlyReads || method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const ms = Math.round(milliseconds);
    log[level]({ request_id: call.requestId, method, route, status, ms, address: call.address }, 'request');
  }
}
