// Decides where a call may go: by its URL, and again by the resolved addresses at the moment it connects.
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { isMetadata, isPublic } from './addresses.ts';
import { OutboundError } from './error.ts';

/** Same as `lookup` of node:dns with `all: true`. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface OutboundTarget {
  readonly url: URL;
  /** Without brackets and without a trailing dot. */
  readonly host: string;
  readonly lookup: LookupFunction;
}

const PORTS = new Set(['443', '8443']);
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Normalizes an entry as the URL parser normalizes hosts, so that the spelling does not matter: `host` or `host port`. */
function normalizeEntry(entry: string): string {
  const text = isIPv6(entry) ? `[${entry}]` : entry;
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  const url = URL.parse(`http://${name}/`);
  if (!url || name === '' || url.pathname !== '/' || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`"${entry}" is not host or host:port`);
  return port === undefined ? bare(url.hostname) : `${bare(url.hostname)} ${Number(port)}`;
}

/** Whether the host, or host and port, of a URL is in `allow`. */
export function createExceptions(allow: readonly string[]): (url: URL) => boolean {
  const allowed = new Set(allow.map(normalizeEntry));
  return ({ protocol, hostname, port }) => {
    const host = bare(hostname);
    return allowed.has(host) || allowed.has(`${host} ${port || (protocol === 'http:' ? '80' : '443')}`);
  };
}

export function createGuard(allow: readonly string[], lookup: Lookup = systemLookup) {
  const isExcepted = createExceptions(allow);
  const lookups = { public: guardedLookup(lookup, isPublic), excepted: guardedLookup(lookup, (address) => !isMetadata(address)) };

  return (text: string): OutboundTarget => {
    const url = URL.parse(text);
    // The text may contain secrets, so it is not repeated.
    if (!url) throw new OutboundError('blocked', 'the address is not a URL');
    const host = bare(url.hostname);
    const port = url.port || (url.protocol === 'http:' ? '80' : '443');
    const excepted = isExcepted(url);
    if (url.protocol !== 'https:' && !(excepted && url.protocol === 'http:'))
      throw new OutboundError('blocked', 'only https may be called');
    if (url.username || url.password) throw new OutboundError('blocked', 'an address with credentials may not be called');
    if (!excepted && !PORTS.has(port)) throw new OutboundError('blocked', `port ${port} may not be called`);
    // A literal address is never resolved, so it is checked here.
    if (isIP(host) && (excepted ? isMetadata(host) : !isPublic(host))) throw notPublic(host);
    return { url, host, lookup: excepted ? lookups.excepted : lookups.public };
  };
}

const notPublic = (host: string): OutboundError => new OutboundError('blocked', `${host} is not a public address`);

/** Checks at the moment of connecting, so that a name that resolves differently the second time (DNS rebinding) is refused. */
export function guardedLookup(lookup: Lookup, permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      // All addresses must be permitted, because we do not choose which one is used.
      if (!first || !addresses.every(({ address }) => permits(address))) return callback(notPublic(hostname), '', 0);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
