// The connections of a server, on all its addresses. When it stops, the ports close, open connections get `Connection: close` with
// their next answer, and after a time limit all are closed.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';

const LOOK_MS = 50;
/** Share of the grace period for which idle connections stay open, because a request may be on its way. */
const IDLE_SHARE = 0.1;

export class ServerConnections {
  readonly #servers = new Set<Server>();
  readonly #sockets = new Set<Socket>();
  /** Answers that are written by mounts. */
  readonly #responses = new Set<ServerResponse>();
  #closing = false;

  add(server: Server): void {
    this.#servers.add(server);
    const add = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
    server.on('connection', add);
    // With TLS, `bytesRead` of this socket counts requests only; the socket below it also counts the handshake.
    server.on('secureConnection', add);
  }

  get closing(): boolean {
    return this.#closing;
  }

  /** Tracks an answer whose writer does not know whether the server is stopping. */
  follow(response: ServerResponse): void {
    if (this.#closing) response.shouldKeepAlive = false;
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
  }

  /** Resolves when the last connection has ended, at the latest after the grace period. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    for (const response of this.#responses) response.shouldKeepAlive = false;
    // Not the close() of the HTTP server: it would end idle connections immediately, and lose requests that are on their way.
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
    // Node does not count a connection that never sent anything as idle.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
