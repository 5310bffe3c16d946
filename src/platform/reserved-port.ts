// Reserves a port before the server is ready, so that a start that cannot listen fails before it creates anything. Clients that connect
// early have to wait.
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';

/** How many early connections may wait. Others are closed and can try again. */
const MAX_EARLY = 256;

export class ReservedPort {
  readonly #holder: Server;
  readonly #early = new Set<Socket>();

  private constructor(holder: Server) {
    this.#holder = holder;
    holder.on('connection', (socket) => {
      if (this.#early.size >= MAX_EARLY) {
        socket.destroy();
        return;
      }
      this.#early.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#early.delete(socket));
    });
  }

  static async take(host: string, port: number): Promise<ReservedPort> {
    const holder = createServer({ pauseOnConnect: true });
    const reserved = new ReservedPort(holder);
    holder.listen(port, host);
    await once(holder, 'listening');
    return reserved;
  }

  /** Hands the port and the waiting connections over to this server. */
  async giveTo(server: Server): Promise<void> {
    server.listen(this.#holder);
    await once(server, 'listening');
    for (const socket of this.#early) {
      socket.removeAllListeners('error');
      server.emit('connection', socket);
      socket.resume();
    }
    this.#early.clear();
  }

  /** Gives the port up without serving. */
  async release(): Promise<void> {
    for (const socket of this.#early) socket.destroy();
    await new Promise<void>((resolve) => this.#holder.close(() => resolve()));
  }
}
