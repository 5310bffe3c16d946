// The control interface of a peer for tests: JSON over HTTP on a separate port.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** `'POST /offers'`, `'GET /sessions/:id'`. */
export type ControlRoutes = Record<string, (about: any, id: string) => unknown>;

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts the control server and returns its address. Errors are answered with 500 and the message. */
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

/** Opens the port first and adds the listener later, because peers need their address when they are created. */
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

/** Prints the only line on stdout. All other output goes to stderr (shown with PEER_LOG=1). */
export function announce(facts: object): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
  // Peers are killed in the end. Node would keep what it compiled only at an end of their own.
  flushCompileCache();
}

for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error;
