// One connection to one server of a directory: opened, protected, bound. It is never opened a second time: the library would do so by
// itself, without TLS and without a bind.
import { readdirSync, readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Client } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';

/** Whom the server takes us for. */
export interface Bind {
  readonly dn: string;
  readonly password: string;
}

export interface Connection {
  readonly client: Client;
  readonly url: string;
  readonly openedAt: number;
  /** At once, whatever is under way. */
  destroy(): void;
}

const KEEP_ALIVE_MS = 30_000;

/** Certificates of the authorities a server's must come from; undefined for those of the system. */
export function readAuthorities({ tlsCacertfile, tlsCacertdir }: LdapSettings): string[] | undefined {
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
    // No server is asked for by an address; it is compared with the certificate all the same.
    ...(isIP(host) ? {} : { servername: host }),
    ...(ca ? { ca } : {}),
    rejectUnauthorized: ldap.tlsReqCert === 'demand',
  };
}

/** Also where the library would wait for ever: in the middle of a handshake. */
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

interface Opening {
  readonly bind: Bind | undefined;
  readonly ca: string[] | undefined;
  readonly timeoutMs: number;
  now(): number;
}

export async function openConnection(ldap: LdapSettings, url: string, opening: Opening): Promise<Connection> {
  const { bind, ca, timeoutMs, now } = opening;
  const tls = tlsOptions(url, ldap, ca);
  const isSecure = url.startsWith('ldaps:');
  const sockets: Socket[] = [];
  const keep = <S extends Socket>(socket: S): S => {
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    sockets.push(socket);
    return socket;
  };
  /** The first socket is the only one that leads to the server. */
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
    createSecureConnection: ((...given: [number, string, ConnectionOptions] | [ConnectionOptions]) =>
      given.length === 1
        ? keep(connectTls(given[0]))
        : first(() => connectTls(given[0], given[1], given[2]))) as unknown as typeof connectTls,
  });
  const destroy = (): void => {
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.destroy();
    }
  };
  try {
    if (ldap.useTls && !isSecure) await inTime(timeoutMs, client.startTLS({ ...tls }));
    // Without a DN as nobody: some directories let everybody search.
    await inTime(timeoutMs, client.bind(bind?.dn ?? '', bind?.password ?? ''));
  } catch (error) {
    destroy();
    throw error;
  }
  return { client, url, openedAt: now(), destroy };
}
