// did:web: a document on a web server, named by host and path. https://w3c-ccg.github.io/did-method-web/
import { isIP } from 'node:net';
import { type DIDDocument, parse } from 'did-resolver';
import { type Outbound, type OutboundAnswer, OutboundError } from '../../platform/outbound/index.ts';
import { ResolutionError } from './errors.ts';
import { parseObject } from './json.ts';

const CONTENT_TYPES = ['application/did+json', 'application/did+ld+json', 'application/json'];
const MAX_BYTES = 256 * 1024;
/** Larger documents are not cached, because the cache has up to a thousand entries. */
const MAX_CACHED_BYTES = 32 * 1024;

const TLS_PORTS = ['443', '8443'];

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`, 'i');

export interface WebOptions {
  /** For development: host or host:port whose DIDs with a port are read over plain http. */
  readonly insecureHosts?: readonly string[];
}

const invalid = (message: string): ResolutionError => new ResolutionError('invalidDid', `the did:web ${message}`);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('is not percent-encoded UTF-8');
  }
}

function hostOf(text: string): { host: string; port: string | undefined } {
  const [host = '', port, ...rest] = decoded(text).toLowerCase().split(':');
  if (rest.length > 0 || !HOST.test(host)) throw invalid('names no host');
  if (port !== undefined && !(/^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= 65_535)) throw invalid('has a bad port');
  // The URL parser also reads 0x7f.1 and 2130706433 as IP addresses.
  const seen = URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`).hostname : '';
  if (isIP(seen) || seen !== host) throw invalid('names an address, not a host');
  return { host, port };
}

function segmentOf(text: string): string {
  const segment = decoded(text);
  // A remaining percent sign could be decoded again by another component.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (segment === '' || segment === '.' || segment === '..' || /[/\\?#%\x00-\x1f\x7f]/.test(segment))
    throw invalid('has a bad path');
  return encodeURIComponent(segment);
}

export function webUrlOf(did: string, { insecureHosts = [] }: WebOptions = {}): string {
  const parsed = parse(did);
  if (parsed?.method !== 'web' || parsed.did !== did) throw new ResolutionError('invalidDid', 'it is not a did:web');
  const [first = '', ...rest] = parsed.id.split(':');
  const { host, port } = hostOf(first);
  const authority = port === undefined ? host : `${host}:${port}`;
  const isNamed = insecureHosts.some((entry) => [host, authority].includes(entry.toLowerCase()));
  // The host may be on the list only because its address is private. TLS ports still use TLS.
  const plain = isNamed && port !== undefined && !TLS_PORTS.includes(port);
  const path = rest.length === 0 ? '.well-known' : rest.map(segmentOf).join('/');
  return `${plain ? 'http' : 'https'}://${authority}/${path}/did.json`;
}

/** A DID allows fewer unencoded characters than encodeURIComponent leaves. */
const idEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[~!*'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The DID of `wallet.example` or `localhost:8080`, with the path `segments`. */
export function didWebOf(hostWithPort: string, ...segments: readonly string[]): string {
  const did = ['did:web', ...[hostWithPort.toLowerCase(), ...segments].map(idEncoded)].join(':');
  webUrlOf(did);
  return did;
}

const header = ({ headers }: OutboundAnswer, name: string): string => [headers[name] ?? ''].flat().join(',');

/** Seconds the answer may be cached; undefined if it does not say. */
function maxAgeOf(answer: OutboundAnswer): number | undefined {
  if (answer.body.length > MAX_CACHED_BYTES) return 0;
  const directives = header(answer, 'cache-control').toLowerCase().split(',');
  const ages = directives.flatMap((directive) => {
    const [name = '', value = ''] = directive.split('=').map((part) => part.trim().replaceAll('"', ''));
    if (name === 'no-store' || name === 'no-cache') return [0];
    if (name !== 'max-age') return [];
    return /^[0-9]+$/.test(value) ? [Math.max(0, Number(value) - (Number(header(answer, 'age')) || 0))] : [0];
  });
  return ages.length === 0 ? undefined : Math.min(...ages);
}

export interface WebDocument {
  readonly document: DIDDocument;
  readonly contentType: string;
  readonly maxAge?: number | undefined;
}

export async function fetchDidWeb(outbound: Outbound, did: string, options: WebOptions): Promise<WebDocument> {
  const url = webUrlOf(did, options);
  const refuse = (message: string): ResolutionError => new ResolutionError('invalidDidDocument', `${url}: ${message}`);
  const answer = await outbound({
    method: 'GET',
    url,
    headers: { Accept: CONTENT_TYPES.join(', ') },
    maxBytes: MAX_BYTES,
    kind: 'did',
  }).catch((error: unknown) => {
    if (error instanceof OutboundError && error.kind === 'too-large') throw refuse('it is too large');
    throw new ResolutionError('failed', `${url} cannot be read`, { cause: error });
  });
  if (answer.status === 404 || answer.status === 410) throw new ResolutionError('notFound', `${url} is not there`);
  if (answer.status !== 200) throw new ResolutionError('failed', `${url} answers ${answer.status}`);
  if (answer.body.length > MAX_BYTES) throw refuse('it is too large');
  const contentType = header(answer, 'content-type').split(';')[0]!.trim().toLowerCase();
  if (!CONTENT_TYPES.includes(contentType)) throw refuse('its content type is not that of a DID document');
  const document = parseObject(answer.body);
  if (!document) throw refuse('it is not a JSON object');
  if (document.id !== did) throw refuse('it is the document of somebody else');
  return { document: document as unknown as DIDDocument, contentType, maxAge: maxAgeOf(answer) };
}
