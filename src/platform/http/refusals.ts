// Refusals outside any route: a path with other methods, and bytes that are no HTTP request.
import type { Socket } from 'node:net';
import { Fault, platformFaults } from '../faults/index.ts';
import type { Face } from './server.ts';

interface Pattern {
  readonly method: string;
  readonly path: string;
}

/** The methods of a known path, for 405 and its Allow header; empty for an unknown path. Only the cold path of a 404 pays for it. */
export function allowedMethods(routes: readonly Pattern[], url: string): string[] {
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

const BY_NODE_CODE: Readonly<Record<string, keyof typeof platformFaults>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

export function onUnreadableRequest(face: Face) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const code = BY_NODE_CODE[error.code ?? ''] ?? 'request.malformed_url';
    const fault = new Fault(code, platformFaults[code], { why: 'it is not HTTP' });
    const body = JSON.stringify(face(fault, '', '').body);
    const head = `HTTP/1.1 ${fault.status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
    socket.end(`${head}\r\n\r\n${body}`);
  };
}
