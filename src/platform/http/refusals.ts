// Refusals outside any route: a path with other methods, and bytes that are no HTTP request.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Fault, fault } from '../faults/index.ts';
import { STATUS_CODES } from '../node-http.ts';

interface RoutePattern {
  readonly method: string;
  readonly path: string;
}

/** The methods of a known path, for 405 and its Allow header; empty for an unknown path. Only the cold path of a 404 pays for it. */
export function allowedMethods(routes: readonly RoutePattern[], url: string): string[] {
  const path = url.split('?', 1)[0]!.replace(/(.)\/$/, '$1');
  const methods = new Set<string>();
  for (const route of routes) {
    const pattern = route.path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
    if (!new RegExp(`^${pattern}$`).test(path)) continue;
    methods.add(route.method);
    if (route.method === 'GET') methods.add('HEAD');
  }
  return [...methods].sort();
}

/** How long a refused client may go on sending: ending the connection under it could take the answer away before it is read. */
export const LINGER_MS = 1_000;

function faultOf({ code }: NodeJS.ErrnoException): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return fault('request.headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('request.timeout');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return fault('request.too_large');
  return fault('request.unreadable');
}

/** An answer in the form of the service: its headers by name, and its text. */
export interface Refusal {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
}

/** Answers on the bare connection, since there is no request to answer, and ends it. */
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

/** Whatever the parser of HTTP does not make a request of is refused as everything else is. */
export function refuseUnreadable(server: Server, refuse: (fault: Fault, address: string | undefined) => Refusal): void {
  /** The parser complains once more about every piece that follows. */
  const refused = new WeakSet<Socket>();
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket as Socket)) return;
    // The same field tells Node's own handler that an answer has begun: another one in the middle of it would be read as a part of it.
    const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse | null };
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    refused.add(socket as Socket);
    // What is written of that answer is still in the queue, its body for one, and goes first.
    if (begun?.headersSent) return void setImmediate(() => (socket as Socket).destroySoon());
    const refusal = faultOf(error);
    endWith(socket as Socket, refusal, refuse(refusal, (socket as Socket).remoteAddress));
  });
  // Nobody tunnels through here. Without a listener the connection would end without a word.
  server.on('connect', (_request, socket) => {
    const refusal = fault('route.method_not_allowed', undefined, { headers: { Allow: '' } });
    endWith(socket as Socket, refusal, refuse(refusal, (socket as Socket).remoteAddress));
  });
  // Expectations we do not know of may be ignored (RFC 9110, 10.1.1); Node would answer them with an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
