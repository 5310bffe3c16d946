// Where a call may go: judged by its URL, and again by the addresses its name has at the moment of connecting.
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { isMetadata, isPublic } from './addresses.ts';
import { OutboundError } from './error.ts';

/** As `lookup` of node:dns when asked for all addresses. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface OutboundTarget {
  readonly url: URL;
  /** Without brackets and without the dot a name may end with. */
  readonly host: string;
  readonly lookup: LookupFunction;
}

const PORTS = new Set(['443', '8443']);
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Written as the URL parser writes hosts, so that an entry is found whatever its spelling: `host` or `host port`. */
function allowedOf(entry: string): string {
  const text = isIPv6(entry) ? `[${entry}]` : entry;
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  const url = URL.parse(`http://${name}/`);
  if (!url || name === '' || url.pathname !== '/' || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`"${entry}" is not host or host:port`);
  return port === undefined ? bare(url.hostname) : `${bare(url.hostname)} ${Number(port)}`;
}

/** Whether an address names what `allow` excepts, by host or by host and port. */
export function createExceptions(allow: readonly string[]): (url: URL) => boolean {
  const allowed = new Set(allow.map(allowedOf));
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
    // The text may hold secrets; it is not repeated.
    if (!url) throw new OutboundError('blocked', 'what is not a URL may not be called');
    const host = bare(url.hostname);
    const port = url.port || (url.protocol === 'http:' ? '80' : '443');
    const excepted = isExcepted(url);
    if (url.protocol !== 'https:' && !(excepted && url.protocol === 'http:'))
      throw new OutboundError('blocked', 'only https may be called');
    if (url.username || url.password) throw new OutboundError('blocked', 'an address with credentials may not be called');
    if (!excepted && !PORTS.has(port)) throw new OutboundError('blocked', `port ${port} may not be called`);
    // A literal address is never looked up, so it is checked here.
    if (isIP(host) && (excepted ? isMetadata(host) : !isPublic(host))) throw notPublic(host);
    return { url, host, lookup: excepted ? lookups.excepted : lookups.public };
  };
}

const notPublic = (host: string): OutboundError => new OutboundError('blocked', `${host} is not a public address`);

/** Refuses at the moment of connecting, so that a name that resolves differently the second time gains nothing. */
export function guardedLookup(lookup: Lookup, permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      // One that is not permitted spoils them all: which of them gets connected is not ours to say.
      if (!first || !addresses.every(({ address }) => permits(address))) return callback(notPublic(hostname), '', 0);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
