// A link to PostgreSQL whose every message takes a while, in both directions.
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

export class SlowLink {
  /** How long a message takes, one way. */
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(port: () => Promise<number>) {
    this.#server = createServer((near) => {
      near.on('error', () => near.destroy());
      this.#sockets.add(near);
      void port().then(
        (to) => {
          const far = createConnection({ host: '127.0.0.1', port: to });
          this.#sockets.add(far);
          far.on('error', () => far.destroy());
          this.#forward(near, far);
          this.#forward(far, near);
        },
        () => near.destroy(),
      );
    });
  }

  /** In order: a timer that is set later with the same delay ends later. */
  #forward(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (this.delayMs === 0) to.write(chunk);
      else setTimeout(() => to.writable && to.write(chunk), this.delayMs);
    });
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as { port: number }).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
