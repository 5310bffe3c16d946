// Where a server listens. If it cannot, the error is one line that names the setting and says what to do.
import { ConfigError } from './load.ts';

export interface ListenSettings {
  /** The prefix of the keys for host and port, such as GATEHOUSE_WALLET. */
  readonly prefix: string;
  readonly host: string;
  readonly port: number;
}

/** A worker reports `bind` when its primary could not listen. */
const CALLS = ['listen', 'bind', 'getaddrinfo'];

function remedyOf(code: string | undefined, { prefix, host, port }: ListenSettings): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${prefix}_PORT: another program listens on port ${port} of ${host}; stop it, or choose another port`;
    case 'EACCES':
      return `${prefix}_PORT: this user may not listen on port ${port}; choose one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${prefix}_HOST: ${host} is not an address of this machine; choose one that is, or 0.0.0.0 for all`;
    default:
      return undefined;
  }
}

/** Starts a server. Turns a failure to listen into a ConfigError that names the setting. */
export async function explainListenErrors<T>(settings: ListenSettings, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    const remedy = CALLS.includes(syscall ?? '') ? remedyOf(code, settings) : undefined;
    throw remedy === undefined ? error : new ConfigError(remedy);
  }
}

/** The URL clients use: the configured one, else the address it listens on. */
export function serviceUrl({ url, host, port }: { url: string | undefined; host: string; port: number }, tls: boolean): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return url ?? `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
