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

function remedyOf(code: string | undefined, { prefix, host, port }: ListenSettings, address = host): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${prefix}_PORT: another program listens on port ${port} of ${address}; stop it, or choose another port`;
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
    const { code, syscall, address } = error as NodeJS.ErrnoException & { address?: string };
    const remedy = CALLS.includes(syscall ?? '') ? remedyOf(code, settings, address) : undefined;
    throw remedy === undefined ? error : new ConfigError(remedy);
  }
}

/** What this machine calls itself where its addresses have no name in the settings. Only at a name browsers offer passkeys. */
export type LocalName = 'localhost' | '127.0.0.1';

/** The URL clients use: the configured one, else the address it listens on. `localName` is for a server on all addresses, or on localhost. */
export function serviceUrl(
  { url, host, port }: { url: string | undefined; host: string; port: number },
  tls: boolean,
  localName: LocalName = 'localhost',
): string {
  const reachable = host === '0.0.0.0' || host === '::' || host === 'localhost' ? localName : host;
  return url ?? `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
