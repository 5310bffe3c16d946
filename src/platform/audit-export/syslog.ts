// Syslog (RFC 5424): over UDP (RFC 5426), TCP (RFC 6587, octet counting) or TLS (RFC 5425). The operator names the server.
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import type { CadfMessage } from './cadf.ts';

export interface SyslogTarget {
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORTS = { udp: 514, tcp: 601, tls: 6514 } as const;
const TIMEOUT_MS = 10_000;
/** A server that does not want us closes the connection within this time. */
const REFUSAL_MS = 500;
/** What every receiver of UDP takes (RFC 5426, 3.2, asks for 2048). Longer events go without their details. */
const MAX_DATAGRAM = 8192;
/** Facility 13 is "log audit". */
const FACILITY = 13 * 8;
const INFORMATIONAL = 6;
const WARNING = 4;
const MAX_MESSAGE_ID = 32;

export function syslogTarget(text: string): SyslogTarget | undefined {
  if (text === '') return undefined;
  const [, transport, rest] = /^(udp|tcp|tls):\/\/([^/?#@]+)\/?$/.exec(text) ?? [];
  const url = rest === undefined ? undefined : URL.parse(`http://${rest}`);
  if (!url?.hostname)
    throw new Error(`must be udp://, tcp:// or tls:// with a host, such as tls://logs.example.org:6514, not "${text}"`);
  const known = transport as SyslogTarget['transport'];
  // URL leaves out port 80, the default of http.
  const port = /:80$/.test(rest!) ? 80 : Number(url.port || DEFAULT_PORTS[known]);
  return { transport: known, host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

/** Visible ASCII characters only, as the header of a message wants it. */
const headerField = (text: string, most: number): string => text.replace(/[^\x21-\x7e]/g, '').slice(0, most) || '-';

/** JSON in ASCII: receivers differ in what they take for the encoding. Control characters are escaped by JSON already. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\x7f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

export function syslogMessage(message: CadfMessage, service: string): string {
  const severity = message.payload.outcome === 'failure' ? WARNING : INFORMATIONAL;
  const time = `${message.timestamp.slice(0, 19).replace(' ', 'T')}Z`;
  const header = [
    `<${FACILITY + severity}>1`,
    time,
    headerField(hostname(), 255),
    `gatehouse-${service}`,
    String(process.pid),
    headerField(message.event_type, MAX_MESSAGE_ID),
    '-',
  ];
  return `${header.join(' ')} ${asciiJson(message)}`;
}

function withoutDetail({ payload, ...message }: CadfMessage): CadfMessage {
  const { gatehouse, ...rest } = payload as { gatehouse: Record<string, unknown> };
  return { ...message, payload: { ...rest, gatehouse: { ...gatehouse, detail: {} } } };
}

/** One after the other, in their order, to one address: a look-up for each message would use up the threads of the process. */
async function sendDatagrams(
  { host, port }: SyslogTarget,
  texts: readonly string[],
  stopping: AbortSignal | undefined,
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(stopping ? [stopping] : [])]);
  const { address, family } = await Promise.race([lookup(host), onceAborted(signal)]);
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  // A socket that cannot be bound says so by an event, which would end the process without a listener.
  const failure = new Promise<never>((_resolve, reject) => void socket.once('error', reject));
  failure.catch(() => {});
  const send = (text: string): Promise<void> =>
    new Promise((resolve, reject) => socket.send(text, port, address, (error) => (error ? reject(error) : resolve())));
  try {
    for (const text of texts) await Promise.race([send(text), failure, onceAborted(signal)]);
  } finally {
    socket.close();
  }
}

function onceAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new Error('the syslog server took too long, or the service is stopping'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/**
 * Sends them on a connection of their own and waits until the server has closed it, too. Syslog has no acknowledgement; but a server closes
 * when it has read to the end. One that closes first, or breaks the connection, has refused: all are sent again. So that a refusal can be told
 * from the answer to our end, our end comes a moment after the last byte.
 */
function sendOver(socket: Socket, texts: readonly string[], stopping: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(error);
      socket.destroy();
    };
    const timer = setTimeout(() => fail(new Error('the syslog server took too long')), TIMEOUT_MS);
    const onAbort = (): void => fail(new Error('the service is stopping'));
    stopping?.addEventListener('abort', onAbort, { once: true });
    let [isSent, isEnded] = [false, false];
    socket.on('error', fail);
    socket.on('end', () => {
      if (isSent) isEnded = true;
      else fail(new Error('the syslog server refused the connection'));
    });
    // Servers send nothing. What they send must be read, or the end is not seen.
    socket.resume();
    socket.on('close', () => {
      clearTimeout(timer);
      stopping?.removeEventListener('abort', onAbort);
      if (isEnded) resolve();
      else reject(new Error('the syslog server closed the connection too early'));
    });
    socket.write(texts.map((text) => `${Buffer.byteLength(text)} ${text}`).join(''), (error) => {
      if (error) return; // The event says it.
      setTimeout(() => {
        isSent = true;
        socket.end();
      }, REFUSAL_MS);
    });
  });
}

export function createSyslog(address: string, service: string, caFile: string | undefined) {
  const target = syslogTarget(address)!;
  const { transport, host, port } = target;
  return async (messages: readonly CadfMessage[], stopping?: AbortSignal): Promise<void> => {
    if (transport === 'udp') {
      const texts = messages.map((message) => {
        const text = syslogMessage(message, service);
        return text.length <= MAX_DATAGRAM ? text : syslogMessage(withoutDetail(message), service);
      });
      return sendDatagrams(target, texts, stopping);
    }
    const texts = messages.map((message) => syslogMessage(message, service));
    if (transport === 'tcp') return sendOver(connect({ host, port, allowHalfOpen: false }), texts, stopping);
    // Read each time: certificates are replaced while the service runs.
    const ca = caFile === undefined ? {} : { ca: readFileSync(caFile) };
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connectTls({ host, port, ...ca, ...name, minVersion: 'TLSv1.2' });
    return sendOver(socket, texts, stopping);
  };
}
