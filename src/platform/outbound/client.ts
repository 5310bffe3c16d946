// The only HTTP client. It checks the address at the moment it connects, follows no redirects, keeps no cookies or connections, sends no
// User-Agent, and limits time and size.
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { notCounted } from '../deadline.ts';
import { request as httpRequest } from '../node-http.ts';
import { inSpan, isTracing, traceHeaders } from '../tracing/index.ts';
import { OutboundError, outboundErrorOf } from './error.ts';
import { createGuard, type Lookup, type OutboundTarget } from './guard.ts';

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export type OutboundMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface OutboundRequest {
  readonly method: OutboundMethod;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A function is called once the connection is established, and nothing is sent before it returns. So a one-time value is not wasted
   * on a failed connection.
   */
  readonly body?: string | Uint8Array | (() => Promise<string | Uint8Array>);
  /** For the whole call: lookup, connecting, sending, waiting, reading. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Media types. A 2xx answer with another type is refused. */
  readonly accept?: readonly string[];
  readonly signal?: AbortSignal;
  /** What the call is for, as a metrics label: `did`, `status-list`. */
  readonly kind?: string;
}

export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>;

/** `ok`: there was an answer, with any status. */
export type OutboundOutcome = 'ok' | 'blocked' | 'timeout' | 'failed';

export interface OutboundOptions {
  readonly onRequest?: (kind: string, outcome: OutboundOutcome) => void;
  /**
   * While traces are on: whether a call has a span, and whether it carries the trace on (`traceparent`). By default it does. A wallet does not
   * tell issuers and verifiers, who could compare what they got.
   */
  readonly traces?: 'passed on' | 'kept' | 'none';
  /** For DNS lookup, connecting and TLS. */
  readonly connectTimeoutMs?: number;
  /** GET and POST, if not given. A service that manages what it made elsewhere deletes it, and a command that speaks to an API needs all of them. */
  readonly methods?: readonly OutboundMethod[];
  /** For tests. */
  readonly lookup?: Lookup;
}

const METHODS: readonly OutboundMethod[] = ['GET', 'POST'];

const CONNECT_TIMEOUT_MS = 3_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

/** Headers that the client sets itself, or that would identify the caller. Libraries set some of these unasked. */
const NOT_SENT = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** `allow`: host or host:port that may be called with plain http, on any port, or at a private address. Never metadata addresses. */
export function createOutbound(allow: readonly string[], options: OutboundOptions = {}): Outbound {
  const { onRequest, connectTimeoutMs = CONNECT_TIMEOUT_MS, methods = METHODS, lookup, traces = 'passed on' } = options;
  const guard = createGuard(allow, lookup);

  return async (request) => {
    let host = '';
    try {
      if (!methods.includes(request.method)) throw new OutboundError('blocked', `only ${methods.join(' and ')} are sent`);
      const target = guard(request.url);
      host = target.host;
      const answer = await notCounted(() =>
        traces === 'none' || !isTracing()
          ? send(request, target, connectTimeoutMs)
          : sendInSpan(request, target, connectTimeoutMs, traces === 'passed on'),
      );
      onRequest?.(request.kind ?? 'other', 'ok');
      return answer;
    } catch (error) {
      const fault = outboundErrorOf(error, host);
      onRequest?.(request.kind ?? 'other', fault.kind === 'too-large' ? 'failed' : fault.kind);
      throw fault;
    }
  };
}

/** The host, not the path: it may hold a secret, or name somebody. */
function sendInSpan(
  request: OutboundRequest,
  target: OutboundTarget,
  connectTimeoutMs: number,
  sendsTrace: boolean,
): Promise<OutboundAnswer> {
  const attributes = {
    'http.request.method': request.method,
    'server.address': target.host,
    'gatehouse.kind': request.kind ?? 'other',
  };
  return inSpan(request.method, { kind: 'client', attributes }, async (span) => {
    const traced = sendsTrace ? { ...request, headers: { ...request.headers, ...traceHeaders() } } : request;
    const answer = await send(traced, target, connectTimeoutMs);
    span?.setAttribute('http.response.status_code', answer.status);
    return answer;
  });
}

function headersOf({ headers = {}, body, accept }: OutboundRequest): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !NOT_SENT.has(name.toLowerCase()));
  const asks = accept && !own.some(([name]) => name.toLowerCase() === 'accept');
  return {
    ...Object.fromEntries(own),
    ...(asks ? { Accept: accept.join(', ') } : {}),
    'Accept-Encoding': 'identity',
    ...(body === undefined || typeof body === 'function' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
}

function open(request: OutboundRequest, { url, host, lookup }: OutboundTarget): ClientRequest {
  const options: RequestOptions = {
    method: request.method,
    headers: headersOf(request),
    // Every call gets a connection of its own, so that nothing carries over to the next.
    agent: false,
    lookup,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  // A trailing dot is not part of the name in a certificate. A literal address has no server name.
  if (url.protocol === 'https:')
    return httpsRequest(url, url.hostname.endsWith('.') ? { ...options, servername: host } : options);
  return httpRequest(url, options);
}

function send(request: OutboundRequest, target: OutboundTarget, connectTimeoutMs: number): Promise<OutboundAnswer> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal } = request;
  const { host, url } = target;
  return new Promise<OutboundAnswer>((done, fail) => {
    if (signal?.aborted) throw abortedBy(signal, host);
    // The lookup may run before this returns, so an abort in the meantime is checked below.
    const call = open(request, target);

    const settle = (): void => {
      clearTimeout(connecting);
      clearTimeout(all);
      signal?.removeEventListener('abort', onAbort);
    };
    const giveUp = (error: Error): void => {
      settle();
      fail(error);
      call.destroy();
    };
    const late = (what: string) => () => giveUp(new OutboundError('timeout', `${host} took too long to ${what}`));
    const onAbort = (): void => giveUp(abortedBy(signal!, host));
    const sendBody = (body: string | Uint8Array): void => {
      if (call.destroyed) return;
      call.setHeader('Content-Length', Buffer.byteLength(body));
      call.end(body);
    };

    // These limit the total time, not the silence: a server that sends a byte now and then must not hold us up.
    const connecting = setTimeout(late('connect'), Math.min(connectTimeoutMs, timeoutMs));
    const all = setTimeout(late('answer'), timeoutMs);
    signal?.addEventListener('abort', onAbort);

    call.on('error', giveUp);
    if (signal?.aborted) return onAbort();
    // For connections that end without an error from Node (for example after 101 Switching Protocols).
    const onClose = (): void => giveUp(new OutboundError('failed', `${host} closed the connection`));
    call.on('close', onClose);
    call.on('socket', (socket) =>
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        clearTimeout(connecting);
        if (typeof request.body === 'function') request.body().then(sendBody, giveUp);
      }),
    );
    call.on('response', (response) => {
      // From now on the end of the answer counts: its data may arrive after the connection has closed.
      call.off('close', onClose);
      response.on('close', onClose);
      response.on('error', giveUp);
      const fault = faultOf(response, request, maxBytes, host);
      if (fault) return giveUp(fault);
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) giveUp(tooLarge(host));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        settle();
        done({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    if (typeof request.body !== 'function') call.end(request.body);
  });
}

const tooLarge = (host: string): OutboundError => new OutboundError('too-large', `the answer of ${host} is too large`);

const abortedBy = ({ reason }: AbortSignal, host: string): OutboundError =>
  new OutboundError(
    (reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : 'failed',
    `calling ${host} was given up`,
    {
      cause: reason,
    },
  );

/** Why the status or headers of an answer make it unacceptable, if they do. */
function faultOf(
  { statusCode = 0, headers }: IncomingMessage,
  { accept }: OutboundRequest,
  maxBytes: number,
  host: string,
): OutboundError | undefined {
  const failed = (what: string): OutboundError => new OutboundError('failed', `the answer of ${host} ${what}`);
  if (statusCode < 200 || statusCode > 599) return failed('has no valid status');
  // We asked for identity. A compressed answer could expand without limit.
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) return failed('is encoded');
  if (!/^(chunked)?$/i.test(headers['transfer-encoding'] ?? '')) return failed('is encoded');
  if (Number(headers['content-length'] ?? 0) > maxBytes) return tooLarge(host);
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const isOther = statusCode < 300 && accept && !accept.includes(type.trim().toLowerCase());
  return isOther ? failed('is of another type') : undefined;
}
