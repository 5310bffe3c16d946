import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** Stands between the service and the database, and can be cut. */
export class Cable {
  readonly #sockets = new Set<Socket>();
  readonly #feeds = new Set<Socket>();
  readonly #server: Server;
  cut = false;
  #isFeedCut = false;
  frozen = false;

  constructor(host: string, port: number) {
    this.#server = createServer((near) => {
      if (this.cut) {
        near.destroy();
        return;
      }
      const far = createConnection({ host, port });
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          near.destroy();
          far.destroy();
          this.#sockets.delete(socket);
          this.#feeds.delete(socket);
        });
      }
      // A connection begins by saying what it is.
      near.once('data', (hello: Buffer) => {
        if (!hello.includes('gatehouse feed')) return;
        this.#feeds.add(near);
        if (this.#isFeedCut) near.destroy();
      });
      near.pipe(far).pipe(near);
      if (this.frozen) for (const socket of [near, far]) socket.pause();
    });
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return (this.#server.address() as { port: number }).port;
  }

  break(): void {
    this.cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.cut = false;
  }

  /** Only the feed of changes: everything else comes through. */
  breakFeed(): void {
    this.#isFeedCut = true;
    for (const socket of this.#feeds) socket.destroy();
  }

  mendFeed(): void {
    this.#isFeedCut = false;
  }

  /** Nothing comes through any more, and nobody is told: a firewall that forgot, a server that is stuck. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was under way arrives late. */
  thaw(): void {
    this.frozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.break();
    this.#server.close();
  }
}
