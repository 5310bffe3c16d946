// How tests speak to a peer: JSON over HTTP, on a port beside the protocol's.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** `'POST /offers'`, `'GET /sessions/:id'`. */
export type ControlRoutes = Record<string, (about: any, id: string) => unknown>;

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Its address. What goes wrong is answered with 500 and the message. */
export async function control(routes: ControlRoutes): Promise<string> {
  const server = createServer(async (request, response) => {
    const [, noun, id = '', verb] = request.url!.split('/');
    const handler = routes[`${request.method} /${noun}${id && '/:id'}${verb ? `/${verb}` : ''}`];
    try {
      if (!handler) throw new Error(`no route for ${request.method} ${request.url}`);
      const result = await handler(JSON.parse((await text(request)) || '{}'), id);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result ?? {}));
    } catch (error) {
      response.writeHead(500, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: String(error) }));
    }
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** A port first, the listener later: peers must know their address before they are made. */
export async function open({
  host = '127.0.0.1',
  port,
  tls,
}: {
  host?: string;
  port?: number;
  tls?: { key: string; cert: string };
}) {
  const server = tls ? createSecureServer(tls) : createServer();
  const address = `${tls ? 'https' : 'http'}://${host}:${await listen(server, port)}`;
  return { address, serve: (listener: RequestListener) => void server.on('request', listener) };
}

/** The one line on the standard output; whatever else a peer has to say goes to the standard error (PEER_LOG=1 makes it talk). */
export function announce(facts: object): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error;
