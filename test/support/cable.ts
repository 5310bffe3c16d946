import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy, as between a service and its database, that can be interrupted, and turned to another port. */
export class Cable {
  readonly #sockets = new Set<Socket>();
  readonly #feeds = new Set<Socket>();
  readonly #server: Server;
  cut = false;
  #isFeedCut = false;
  frozen = false;
  /** Messages to the database, but for those of feeds. */
  messages = 0;
  /** How long a message takes, one way. */
  delayMs = 0;
  #port: number;

  constructor(host: string, port: number) {
    this.#port = port;
    this.#server = createServer((near) => {
      if (this.cut) {
        near.destroy();
        return;
      }
      const far = createConnection({ host, port: this.#port });
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
      // The first message of a connection contains its application_name.
      near.once('data', (hello: Buffer) => {
        if (!hello.includes('gatehouse changes')) return;
        this.#feeds.add(near);
        if (this.#isFeedCut) near.destroy();
      });
      near.on('data', () => {
        if (!this.#feeds.has(near)) this.messages++;
      });
      this.#forward(near, far);
      this.#forward(far, near);
      if (this.frozen) for (const socket of [near, far]) socket.pause();
    });
  }

  /** In order: a timer that is set later with the same delay ends later. */
  #forward(from: Socket, to: Socket): void {
    const later = (act: () => void): void => {
      if (this.delayMs === 0) act();
      else setTimeout(() => to.writable && act(), this.delayMs);
    };
    from.on('data', (chunk: Buffer) => later(() => to.write(chunk)));
    from.on('end', () => later(() => to.end()));
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return (this.#server.address() as { port: number }).port;
  }

  break(): void {
    this.cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Leads to another port of the same host; what is connected to the old one begins anew. */
  turn(port: number): void {
    this.#port = port;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.cut = false;
  }

  /** Cuts only the feed of changes. */
  breakFeed(): void {
    this.#isFeedCut = true;
    for (const socket of this.#feeds) socket.destroy();
  }

  mendFeed(): void {
    this.#isFeedCut = false;
  }

  /** Holds back all data without closing connections, like a firewall that lost its state, or a server that hangs. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Delivers the held-back data. */
  thaw(): void {
    this.frozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.break();
    this.#server.close();
  }
}
