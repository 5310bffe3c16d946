// The connections of a server, at every address it listens on, and what becomes of them when it stops: the port closes, whoever is still connected is told with
// the next answer (`Connection: close`), and nobody is waited for beyond the limit.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';

const LOOK_MS = 50;
/** Of the time there is, how much a connection that nobody uses just now stays open: a request may be on its way. */
const IDLE_SHARE = 0.1;

export class Connections {
  readonly #servers = new Set<Server>();
  readonly #sockets = new Set<Socket>();
  /** Answers that somebody else writes. */
  readonly #responses = new Set<ServerResponse>();
  #closing = false;

  add(server: Server): void {
    this.#servers.add(server);
    const keep = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
    server.on('connection', keep);
    // Under TLS: it counts what was read of requests, the one below it what was read to agree on keys.
    server.on('secureConnection', keep);
  }

  get closing(): boolean {
    return this.#closing;
  }

  /** An answer that is written by somebody who does not know whether the server stops. */
  follow(response: ServerResponse): void {
    if (this.#closing) response.shouldKeepAlive = false;
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
  }

  /** Resolves when the last connection has ended: by itself, or at the limit. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    for (const response of this.#responses) response.shouldKeepAlive = false;
    // Not the HTTP server's own way: that would first end every connection without a request, and with it a request on its way.
    const ended = Promise.all(
      [...this.#servers].map(
        (server) =>
          new Promise<void>((resolve) => {
            NetServer.prototype.close.call(server, () => resolve());
          }),
      ),
    );
    const idleAfter = performance.now() + graceMs * IDLE_SHARE;
    const look = setInterval(() => {
      if (performance.now() >= idleAfter) this.#endIdle();
    }, LOOK_MS);
    const force = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    await ended;
    clearInterval(look);
    clearTimeout(force);
  }

  #endIdle(): void {
    for (const server of this.#servers) server.closeIdleConnections();
    // Node takes a connection that never sent anything for one whose request is under way.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
