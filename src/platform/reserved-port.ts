// A port that is taken before there is anything to serve on it: a start that cannot listen fails before it makes anything. Whoever
// connects meanwhile waits.
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';

/** Enough for the probes and clients of a start; the others may come again. */
const WAITING = 256;

export class ReservedPort {
  readonly #holder: Server;
  readonly #early = new Set<Socket>();

  private constructor(holder: Server) {
    this.#holder = holder;
    holder.on('connection', (socket) => {
      if (this.#early.size >= WAITING) {
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

  /** From here on the port is this server's, and so is whoever waited. */
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

  /** Where nothing came of it. */
  async release(): Promise<void> {
    for (const socket of this.#early) socket.destroy();
    await new Promise<void>((resolve) => this.#holder.close(() => resolve()));
  }
}
