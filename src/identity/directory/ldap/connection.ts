// One connection to an LDAP server: connect, TLS, bind. A connection is used once: the library would reconnect by itself, without
// StartTLS and without a bind.
import { readdirSync, readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Client, type MessageParser } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { createFrames } from './frames.ts';

export interface Bind {
  readonly dn: string;
  readonly password: string;
}

export interface Connection {
  readonly client: Client;
  readonly url: string;
  readonly openedAt: number;
  /** Closes the sockets at once. */
  destroy(): void;
}

const KEEP_ALIVE_MS = 30_000;

/** The trusted CA certificates; undefined for those of the system. */
export function readAuthorities({ tlsCacert, tlsCacertfile, tlsCacertdir }: LdapSettings): string[] | undefined {
  if (tlsCacert !== undefined) return [tlsCacert];
  if (tlsCacertfile !== undefined) return [readFileSync(tlsCacertfile, 'utf8')];
  if (tlsCacertdir === undefined) return undefined;
  return readdirSync(tlsCacertdir)
    .filter((name) => /\.(pem|crt|0)$/.test(name))
    .map((name) => readFileSync(join(tlsCacertdir, name), 'utf8'));
}

export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

function tlsOptions(url: string, ldap: LdapSettings, ca: string[] | undefined): ConnectionOptions {
  const host = hostOf(url);
  return {
    host,
    // SNI does not allow IP addresses. The certificate is checked against `host` in any case.
    ...(isIP(host) ? {} : { servername: host }),
    ...(ca ? { ca } : {}),
    rejectUnauthorized: ldap.tlsReqCert === 'demand',
  };
}

/** The library has no time limit for the TLS handshake of StartTLS. */
async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Gives the library one whole message at a time. What goes beyond the limits closes the connection. The function that is returned throws
 * when a message has begun and not ended: whoever is in between could begin one before TLS, which the server's own answer would complete.
 */
function readInFrames(client: Client, refuse: (error: Error) => void): () => void {
  const parser = (client as unknown as { readonly messageParser: MessageParser }).messageParser;
  const read = parser.read.bind(parser);
  let frames = createFrames();
  parser.read = (data, details) => {
    try {
      for (const message of frames(data)) read(message, details);
    } catch (error) {
      frames = createFrames();
      refuse(error as Error);
    }
  };
  return () => {
    if (frames.isWithinMessage()) throw new Error('the server sends more than the answer to StartTLS before TLS');
  };
}

interface SocketOptions {
  readonly bind: Bind | undefined;
  readonly ca: string[] | undefined;
  readonly timeoutMs: number;
  /** Closes a connection that is being opened. */
  readonly signal: AbortSignal;
  now(): number;
}

export async function openConnection(ldap: LdapSettings, url: string, opening: SocketOptions): Promise<Connection> {
  const { bind, ca, timeoutMs, signal, now } = opening;
  const tls = tlsOptions(url, ldap, ca);
  const isSecure = url.startsWith('ldaps:');
  const sockets: Socket[] = [];
  const keep = <S extends Socket>(socket: S): S => {
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    sockets.push(socket);
    return socket;
  };
  /** Refuses to connect again. */
  const first = (make: () => Socket): Socket => {
    if (sockets.length > 0) throw new Error('the connection has ended');
    return keep(make());
  };
  const client = new Client({
    url,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    ...(isSecure ? { tlsOptions: tls } : {}),
    createConnection: ((port: number, host: string) => first(() => connect(port, host))) as unknown as typeof connect,
    createSecureConnection: ((...args: [number, string, ConnectionOptions] | [ConnectionOptions]) =>
      args.length === 1
        ? keep(connectTls(args[0]))
        : first(() => connectTls(args[0], args[1], args[2]))) as unknown as typeof connectTls,
  });
  /** TLS first: when the socket below it goes first, with data that nobody has read, Node crashes. */
  const destroy = (error?: Error): void => {
    for (const socket of sockets.toReversed()) {
      socket.on('error', () => {});
      socket.destroy(error);
    }
  };
  const requireNothingUnread = readInFrames(client, destroy);
  const onAbort = (): void => destroy(new Error('closed'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    if (ldap.useTls && !isSecure) {
      await inTime(timeoutMs, client.startTLS({ ...tls }));
      requireNothingUnread();
    }
    // An anonymous bind when the settings name no user.
    await inTime(timeoutMs, client.bind(bind?.dn ?? '', bind?.password ?? ''));
  } catch (error) {
    destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return { client, url, openedAt: now(), destroy: () => destroy() };
}
