// Reserves a port before the server is ready, so that a start that cannot listen fails before it creates anything. Clients that connect
// early have to wait.
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';

/**
 * `localhost` is two addresses (RFC 6761, 6.3), whatever the machine's table of names says: browsers try both. If one stayed free, another
 * program could listen on it.
 */
export const addressesOf = (host: string): readonly string[] => (host === 'localhost' ? ['127.0.0.1', '::1'] : [host]);

/** A machine without IPv6 has no `::1`, and nobody can listen there. */
export const isMissing = (address: string, error: unknown): boolean =>
  address === '::1' && ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '');

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

  /** All addresses of a host, on one port. */
  static async takeAll(host: string, port: number): Promise<ReservedPort[]> {
    const taken: ReservedPort[] = [];
    try {
      for (const address of addressesOf(host))
        taken.push(
          ...(await ReservedPort.take(address, taken[0]?.port ?? port).then(
            (one) => [one],
            (error: unknown) => {
              if (isMissing(address, error)) return [];
              throw error;
            },
          )),
        );
    } catch (error) {
      await Promise.all(taken.map((one) => one.release()));
      throw error;
    }
    return taken;
  }

  get port(): number {
    return (this.#holder.address() as AddressInfo).port;
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
