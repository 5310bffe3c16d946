// HTTP requests of tests: what fetch does with `redirect: 'manual'`, in a fifth of its processor time. A run sends a hundred thousand.
import { Agent, type IncomingMessage, request } from 'node:http';

export type Answer = Pick<Response, 'status' | 'ok' | 'headers' | 'text' | 'json'>;
type Init = Pick<RequestInit, 'method' | 'headers' | 'body' | 'redirect'>;

/** Idle connections keep neither a test process nor a service alive. */
const agent = new Agent({ keepAlive: true });
/** As fetch sends them; log entries and events show the program. */
const USUAL = { accept: '*/*', 'user-agent': 'node' };

/** The type of a body if the test names none. */
const typeOf = (body: unknown): Record<string, string> =>
  body instanceof URLSearchParams
    ? { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }
    : typeof body === 'string'
      ? { 'content-type': 'text/plain;charset=UTF-8' }
      : {};

const isPlain = (body: unknown): body is string | Uint8Array | URLSearchParams | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof URLSearchParams;

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

async function answerOf(message: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const all = Buffer.concat(parts).toString();
  const status = message.statusCode!;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: headersOf(message),
    text: async () => all,
    json: async () => JSON.parse(all) as unknown,
  };
}

/** One request; redirects are not followed. */
export async function send(url: string | URL, init: Init = {}): Promise<Answer> {
  const to = new URL(url);
  const { method = 'GET', headers, body } = init;
  // TLS and files in forms are rare.
  if (to.protocol !== 'http:' || !isPlain(body)) return fetch(to, { ...init, redirect: 'manual' });
  const bytes = body instanceof URLSearchParams ? body.toString() : body;
  const given = Object.entries(headers instanceof Headers ? Object.fromEntries(headers) : { ...headers });
  const all: Record<string, string> = { ...USUAL, ...typeOf(body) };
  for (const [name, value] of given) all[name.toLowerCase()] = String(value);
  if (bytes !== undefined || method === 'POST' || method === 'PUT')
    all['content-length'] = String(Buffer.byteLength(bytes ?? ''));
  return new Promise((resolve, reject) => {
    const sent = request(to, { method, headers: all, agent }, (message) => answerOf(message).then(resolve, reject));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The service closed the connection, which was idle, while the request was on its way.
      if (sent.reusedSocket && error.code === 'ECONNRESET') send(url, init).then(resolve, reject);
      else reject(error);
    });
    sent.end(bytes);
  });
}

/** Before the service at this address stops: for as long as clients may send something, it waits. */
export function hangUp(url: string): void {
  const host = URL.canParse(url) ? new URL(url).host : 'of a service that did not start';
  for (const [name, sockets] of Object.entries(agent.freeSockets))
    if (name.startsWith(`${host}:`)) for (const socket of sockets ?? []) socket.destroy();
}
