// Requests and answers as bytes, because a client library would refuse to send half of them.
import { connect } from 'node:net';

export interface WireRequest {
  readonly method: string;
  /** As it stands in the request line. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
}

export interface WireResponse {
  readonly status: number;
  /** By lower-case name; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly milliseconds: number;
}

/** `silent`: the connection was closed without an answer. `late`: no complete answer before the deadline. */
export type WireOutcome = WireResponse | 'silent' | 'late' | 'not HTTP';

export interface WireAddress {
  readonly host: string;
  readonly port: number;
}

export const wireAddressOf = (url: string): WireAddress => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });

export function bytesOf(sent: WireRequest, peer: WireAddress): Buffer {
  const lines = [
    `${sent.method} ${sent.target} HTTP/1.1`,
    `Host: ${peer.host}:${peer.port}`,
    'Connection: close',
    ...sent.headers.map(([name, value]) => `${name}: ${value}`),
    ...(sent.body === undefined || sent.headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
      ? []
      : [`Content-Length: ${sent.body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), sent.body ?? Buffer.alloc(0)]);
}

function unchunked(text: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.subarray(at, end).toString('latin1'), 16);
    if (end < 0 || !size) return Buffer.concat(parts);
    parts.push(text.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function parseAnswer(all: Buffer, milliseconds: number): WireOutcome {
  if (all.length === 0) return 'silent';
  const end = all.indexOf('\r\n\r\n');
  const [first = '', ...lines] = all.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3})\b/.exec(first) ?? [];
  if (status === undefined) return 'not HTTP';
  // 100 Continue comes before the answer.
  if (status === '100') return parseAnswer(all.subarray(end + 4), milliseconds);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  // Ignores what follows the answer: the server may read the rest of a refused request as another request and refuse it, too.
  const rest = all.subarray(end + 4, headers['content-length'] ? end + 4 + Number(headers['content-length']) : undefined);
  const body = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest;
  return { status: Number(status), headers, body: body.toString('utf8'), milliseconds };
}

/** Whether the answer is complete by its headers. The server may keep the connection open although it was asked not to. */
function isWhole(all: Buffer): boolean {
  const end = all.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const head = all.subarray(0, end).toString('latin1').toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  return length !== undefined && all.length >= end + 4 + Number(length) && !head.startsWith('http/1.1 100');
}

/** Sends bytes and returns the first answer. `end` closes our side afterwards. */
export function exchange(peer: WireAddress, bytes: Buffer, deadlineMs: number, end = false): Promise<WireOutcome> {
  const began = performance.now();
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket = connect({ ...peer, allowHalfOpen: true });
    const finish = (outcome: () => WireOutcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome());
    };
    const whole = () => parseAnswer(Buffer.concat(received), performance.now() - began);
    const timer = setTimeout(() => finish(() => 'late'), deadlineMs);
    socket.on('connect', () => (end ? socket.end(bytes) : socket.write(bytes)));
    socket.on('data', (chunk) => {
      received.push(chunk);
      if (isWhole(Buffer.concat(received))) finish(whole);
    });
    socket.on('end', () => finish(whole));
    // If the server answers and closes while we are still sending, the connection is reset. The answer counts.
    socket.on('error', () => finish(whole));
  });
}
