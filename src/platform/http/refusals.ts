// Refusals outside any route: a method the path does not have, and bytes that are not an HTTP request.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Fault, fault } from '../faults/index.ts';
import { STATUS_CODES } from '../node-http.ts';

interface RoutePattern {
  readonly method: string;
  readonly path: string;
  readonly spec?: { readonly withoutHead?: boolean };
}

const patternOf = ({ path }: RoutePattern): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

/** Finds the methods of a path, for OPTIONS and for 405 with its Allow header; none for an unknown path. `withOptions`: OPTIONS is one of them. */
export function createMethodFinder(routes: readonly RoutePattern[], withOptions: boolean): (url: string) => string[] {
  /** Made when they are needed first: few services are ever asked. */
  let patterns: readonly { readonly route: RoutePattern; readonly pattern: RegExp }[] | undefined;
  return (url) => {
    patterns ??= routes.map((route) => ({ route, pattern: patternOf(route) }));
    const path = url.split('?', 1)[0]!.replace(/(.)\/$/, '$1');
    const methods = new Set<string>();
    for (const { route, pattern } of patterns) {
      if (!pattern.test(path)) continue;
      methods.add(route.method);
      if (route.method === 'GET' && !route.spec?.withoutHead) methods.add('HEAD');
    }
    if (withOptions && methods.size > 0) methods.add('OPTIONS');
    return [...methods].sort();
  };
}

/** How long a refused client may continue to send. Closing the connection earlier could lose the answer before the client reads it. */
export const LINGER_MS = 1_000;

function faultOf({ code }: NodeJS.ErrnoException): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return fault('request.headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('request.timeout');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return fault('request.too_large');
  return fault('request.unreadable');
}

/** An error in the format of the service: headers by name, and text. */
export interface Refusal {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
}

/** Writes the answer to the socket, since there is no request object, and closes it. */
function endWith(socket: Socket, { status }: Fault, { headers, text }: Refusal): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (const [name, value] of Object.entries(headers)) for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  lines.push(`Content-Length: ${Buffer.byteLength(text)}`, 'Connection: close', '', text);
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.destroy());
  socket.end(lines.join('\r\n'));
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Refuses what the HTTP parser cannot read, in the same format as other errors. */
export function refuseUnreadable(server: Server, refuse: (fault: Fault, address: string | undefined) => Refusal): void {
  /** The parser reports an error again for every further chunk. */
  const refused = new WeakSet<Socket>();
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket as Socket)) return;
    // Node's own handler uses the same field to see whether an answer was begun. A second answer would be read as part of the first.
    const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    refused.add(socket as Socket);
    // The rest of that answer may still be queued and must be sent first.
    if (current?.headersSent) return void setImmediate(() => (socket as Socket).destroySoon());
    const refusal = faultOf(error);
    endWith(socket as Socket, refusal, refuse(refusal, (socket as Socket).remoteAddress));
  });
  // CONNECT is not supported. Without a listener the connection would be closed without an answer.
  server.on('connect', (_request, socket) => {
    const refusal = fault('route.method_not_allowed', undefined, { headers: { Allow: '' } });
    endWith(socket as Socket, refusal, refuse(refusal, (socket as Socket).remoteAddress));
  });
  // Unknown expectations may be ignored (RFC 9110, 10.1.1). Node would answer them with an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
