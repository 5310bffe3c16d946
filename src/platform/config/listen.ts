// Where a server listens. One that cannot listen where its settings say gives one line that names the setting and the mend.
import { ConfigError } from './load.ts';

export interface ListenSettings {
  /** What the keys of host and port begin with, as GATEHOUSE_WALLET. */
  readonly prefix: string;
  readonly host: string;
  readonly port: number;
}

/** `bind` is what a worker says whose primary could not listen. */
const CALLS = ['listen', 'bind', 'getaddrinfo'];

function remedyOf(code: string | undefined, { prefix, host, port }: ListenSettings): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${prefix}_PORT: another program listens on port ${port} of ${host}; end it, or choose another port`;
    case 'EACCES':
      return `${prefix}_PORT: this user may not listen on port ${port}; choose one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${prefix}_HOST: ${host} is not an address of this machine; choose one of it, or 0.0.0.0 for all`;
    default:
      return undefined;
  }
}

/** What starts a server, whose failure to listen is a matter of the settings. */
export async function explainListenErrors<T>(settings: ListenSettings, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    const mend = CALLS.includes(syscall ?? '') ? remedyOf(code, settings) : undefined;
    throw mend === undefined ? error : new ConfigError(mend);
  }
}

/** The address clients use: the one that is configured, else where it listens. */
export function serviceUrl({ url, host, port }: { url: string | undefined; host: string; port: number }, tls: boolean): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return url ?? `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
