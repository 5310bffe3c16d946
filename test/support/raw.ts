// A raw connection, for requests that no client library would send.
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** After this time without an answer a request counts as hanging. */
const PATIENCE_MS = 20_000;

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function withDeadline<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export class RawConnection {
  readonly socket: Socket;
  #received = '';
  #news = Promise.withResolvers<void>();
  #closed = false;
  /** The error that ended the connection, if any. */
  error: NodeJS.ErrnoException | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    const told = (): void => {
      this.#news.resolve();
      this.#news = Promise.withResolvers<void>();
    };
    socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      told();
    });
    socket.on('error', (error) => {
      this.error = error;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.#closed = true;
      told();
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname: host, port, protocol } = new URL(url);
    const secure = protocol === 'https:';
    const options = { host, port: Number(port) };
    const socket = secure ? connectTls({ ...options, rejectUnauthorized: false }) : createConnection(options);
    const connection = new RawConnection(socket);
    await withDeadline(once(socket, secure ? 'secureConnect' : 'connect'), `connecting to ${url}`);
    return connection;
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** The next complete answer. Fails if the connection ends without one, or after the deadline. */
  answer({ head = false }: { head?: boolean } = {}): Promise<RawAnswer> {
    return withDeadline(this.#answer(head), 'an answer');
  }

  async #answer(head: boolean): Promise<RawAnswer> {
    for (;;) {
      const found = this.#take(head);
      if (found) return found;
      if (this.#closed)
        throw new Error(`closed without an answer: ${this.error?.code ?? 'end'} ${JSON.stringify(this.#received)}`);
      await this.#news.promise;
    }
  }

  #take(head: boolean): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.#received.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
    const headers = new Map(
      lines.map((line): [string, string] => {
        const at = line.indexOf(':');
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
      }),
    );
    const length = head || status === 204 || status < 200 ? 0 : Number(headers.get('content-length') ?? Number.NaN);
    const rest = this.#received.slice(end + 4);
    // Without a length an answer lasts until the connection ends.
    if (Number.isNaN(length) ? !this.#closed : rest.length < length) return undefined;
    const body = Number.isNaN(length) ? rest : rest.slice(0, length);
    this.#received = rest.slice(body.length);
    return { status, headers, body: Buffer.from(body, 'latin1').toString('utf8') };
  }

  /** Resolves when the other side has closed. */
  async closed(): Promise<void> {
    if (!this.#closed) await withDeadline(once(this.socket, 'close'), 'the end of the connection');
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** One request on a connection of its own. */
export async function rawRequest(url: string, text: string): Promise<RawAnswer> {
  const connection = await RawConnection.open(url);
  try {
    return await connection.send(text).answer({ head: text.startsWith('HEAD ') });
  } finally {
    connection.destroy();
  }
}
