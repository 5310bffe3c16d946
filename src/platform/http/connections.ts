// The connections of a server, on all its addresses. When it stops, those that clients opened before are still accepted, the ports close,
// open connections get `Connection: close` with their next answer, and after a time limit all are closed. Their number is limited: when it is
// reached, the one that has waited longest without a request makes room for the next.
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

const LOOK_MS = 50;
/** Share of the grace period for which idle connections stay open, because a request may be on its way. */
const IDLE_SHARE = 0.1;
/** How many connections may wait to be accepted: Node's default. */
const BACKLOG = 511;
/** How long a worker waits for another connection from the process that accepts them. */
const HANDED_OVER_MS = 200;

/** About 10 kB each while they are idle. */
const MOST = 10_000;
/** Share of the descriptors that one server may use: there may be two, and databases and outgoing calls need some. */
const DESCRIPTOR_SHARE = 0.4;
const FULL_LOG_MS = 60_000;
/** Requests that a client may send before it has the answers. Node reads as many as fit into one packet. Browsers and proxies send one. */
const MOST_UNANSWERED = 20;

/** How many connections a server keeps: fewer where the process may open few files (`ulimit -n`). */
function connectionLimit(): number {
  try {
    const files = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
    return files > 0 ? Math.min(MOST, Math.max(1, Math.floor(files * DESCRIPTOR_SHARE))) : MOST;
  } catch {
    return MOST;
  }
}

interface Connection {
  readonly socket: Socket;
  readonly key: string;
  /** The answers to its last requests: those that are not yet sent, and at most one that is. */
  readonly answers: ServerResponse[];
  /** It had a request since #leastUseful() last looked. */
  isUsed: boolean;
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

export class ServerConnections {
  readonly #limit: number;
  readonly #onFull: () => void;
  /** The one that has waited longest first, apart from those that were used since. */
  readonly #open = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  #fullAt = Number.NEGATIVE_INFINITY;
  readonly #servers = new Set<Server>();
  /** With the time when each was accepted. */
  readonly #sockets = new Map<Socket, number>();
  #accepted = 0;
  /** Answers that are written by mounts. */
  readonly #responses = new Set<ServerResponse>();
  #closing = false;

  /** `onFull` is told at most once a minute. */
  constructor({ limit, onFull }: { readonly limit?: number | undefined; onFull(): void }) {
    this.#limit = limit ?? connectionLimit();
    this.#onFull = onFull;
  }

  add(server: Server): void {
    this.#servers.add(server);
    const add = (socket: Socket): void => {
      this.#sockets.set(socket, performance.now());
      socket.once('close', () => this.#sockets.delete(socket));
    };
    server.on('connection', (socket) => {
      this.#accepted++;
      add(socket);
      this.#admit(socket);
    });
    // With TLS, `bytesRead` of this socket counts requests only; the socket below it also counts the handshake.
    server.on('secureConnection', (socket) => {
      add(socket);
      const connection = this.#open.get(keyOf(socket));
      if (connection) this.#bySocket.set(socket, connection);
    });
  }

  #admit(socket: Socket): void {
    const connection: Connection = { socket, key: keyOf(socket), answers: [], isUsed: false };
    const last = this.#open.size < this.#limit ? undefined : (this.#leastUseful() ?? connection);
    this.#open.set(connection.key, connection);
    this.#bySocket.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
    if (!last) return;
    this.#forget(last);
    last.socket.destroy();
    if (performance.now() - this.#fullAt < FULL_LOG_MS) return;
    this.#fullAt = performance.now();
    this.#onFull();
  }

  #forget(connection: Connection): void {
    if (this.#open.get(connection.key) === connection) this.#open.delete(connection.key);
  }

  /** The one that has waited longest without a request; else the oldest whose request has not arrived completely. */
  #leastUseful(): Connection | undefined {
    let arriving: Connection | undefined;
    for (const connection of this.#open.values()) {
      if (connection.isUsed) this.#putLast(connection);
      else {
        const response = connection.answers.at(-1);
        if (response === undefined || response.writableFinished) return connection;
        if (!response.req.complete) arriving ??= connection;
      }
    }
    return arriving;
  }

  /** What was used since the last look goes behind the others. To move it with every request would cost each of them something. */
  #putLast(connection: Connection): void {
    connection.isUsed = false;
    this.#open.delete(connection.key);
    this.#open.set(connection.key, connection);
  }

  /**
   * A request has begun to arrive. It is to be handled when the answer that this returns has been sent, so that a client that does not
   * read keeps one answer in memory, and requests take effect in their order. A client that sends too many at once is cut.
   */
  begin(response: ServerResponse): ServerResponse | undefined {
    const connection = this.#bySocket.get(response.req.socket);
    if (!connection) return undefined;
    const { answers, socket } = connection;
    connection.isUsed = true;
    while (answers[0]?.writableFinished) answers.shift();
    const before = answers.at(-1);
    answers.push(response);
    if (answers.length > MOST_UNANSWERED) socket.destroy();
    return before;
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
    const idleMs = graceMs * IDLE_SHARE;
    const force = setTimeout(() => {
      for (const socket of this.#sockets.keys()) socket.destroy();
    }, graceMs);
    const began = performance.now();
    await this.#acceptWaiting(began + idleMs);
    // Not the close() of the HTTP server: it would end idle connections immediately, and lose requests that are on their way.
    const ended = Promise.all(
      [...this.#servers].map(
        (server) =>
          new Promise<void>((resolve) => {
            NetServer.prototype.close.call(server, () => resolve());
          }),
      ),
    );
    const look = setInterval(() => {
      // After the next look for what has arrived: a busy process may not have read it yet.
      if (performance.now() >= began + idleMs) setImmediate(() => this.#endIdle(idleMs));
    }, LOOK_MS);
    await ended;
    clearInterval(look);
    clearTimeout(force);
  }

  /**
   * Clients take a connection for open that the kernel has accepted. If the port closed now, they would be reset, with the requests that they
   * have sent. Node accepts one in each turn of the event loop.
   */
  async #acceptWaiting(until: number): Promise<void> {
    const most = this.#accepted + BACKLOG;
    const quietMs = cluster.isWorker ? HANDED_OVER_MS : 0;
    let quietUntil = performance.now() + quietMs;
    for (;;) {
      const accepted = this.#accepted;
      // Two: the first may come before anything was looked for.
      await turn();
      await turn();
      if (quietMs > 0) await sleep(quietMs / 10);
      if (this.#accepted >= most) return;
      if (this.#accepted > accepted) quietUntil = Math.min(performance.now() + quietMs, until);
      else if (performance.now() >= quietUntil) return;
    }
  }

  #endIdle(idleMs: number): void {
    for (const server of this.#servers) server.closeIdleConnections();
    // Node does not count a connection that never sent anything as idle.
    for (const [socket, since] of this.#sockets)
      if (socket.bytesRead === 0 && performance.now() - since >= idleMs) socket.destroy();
  }
}
