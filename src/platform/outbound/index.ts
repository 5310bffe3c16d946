// The only HTTP client. Where it may go is checked when it connects, against the address it connects to; it follows no redirects,
// and takes neither long nor much.
import { lookup as resolve } from 'node:dns';
import type { RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { request as httpRequest } from '../node-http.ts';
import { isPublic } from './addresses.ts';

export class OutboundError extends Error {}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/** Refuses at the moment of connecting, so that a name that resolves differently the second time gains nothing. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const bad = addresses.find(({ address }) => !isPublic(address));
    const [first] = addresses;
    if (bad || !first) return callback(new OutboundError(`${hostname} is not a public address`), '', 0);
    return options.all
      ? (callback as unknown as (e: null, a: typeof addresses) => void)(null, addresses)
      : callback(null, first.address, first.family);
  });
};

/** `allow`: host or host:port that may be reached although plain http or not public. */
export function createOutbound(allow: readonly string[]): Outbound {
  const allowed = new Set(allow.map((entry) => entry.toLowerCase()));

  return ({ method, url: text, headers, body, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }) =>
    new Promise((done, fail) => {
      const url = new URL(text);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const excepted = allowed.has(host.toLowerCase()) || allowed.has(url.host.toLowerCase());
      if (url.protocol !== 'https:' && !(excepted && url.protocol === 'http:'))
        throw new OutboundError('only https may be called');
      if (url.username || url.password) throw new OutboundError('an address with credentials may not be called');
      // A literal address is never looked up, so it is checked here.
      if (!excepted && isIP(host) && !isPublic(host)) throw new OutboundError(`${host} is not a public address`);

      const options: RequestOptions = {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }) },
        signal: AbortSignal.timeout(timeoutMs),
        agent: false,
        ...(excepted ? {} : { lookup: publicLookup }),
      };
      const call = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) response.destroy(new OutboundError('the answer is too large'));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      call.on('error', fail);
      call.end(body);
    });
}
