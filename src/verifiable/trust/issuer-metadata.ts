// The keys that an https issuer of SD-JWT VCs publishes at /.well-known/jwt-vc-issuer.
import type { Outbound } from '../../platform/outbound/index.ts';
import type { PublicJwk } from '../jose/index.ts';
import { readVerificationJwk } from '../resolver/index.ts';
import { TrustError } from './errors.ts';

const WELL_KNOWN = '/.well-known/jwt-vc-issuer';
const MAX_KEYS = 50;

/** The well-known part is inserted between host and path (RFC 8414, 3.1). */
export function metadataUrlOf(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`;
}

async function fetchJson(outbound: Outbound, url: string): Promise<Record<string, unknown>> {
  const { status, body } = await outbound({
    method: 'GET',
    url,
    kind: 'issuer-keys',
    accept: ['application/json', 'application/jwk-set+json'],
  });
  if (status !== 200) throw new TrustError('unreachable', 'the keys of the issuer cannot be fetched');
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Thrown below.
  }
  throw new TrustError('mismatch', 'the metadata of the issuer is not JSON');
}

export async function issuerMetadataKeys(outbound: Outbound, issuer: string, kid: unknown): Promise<PublicJwk> {
  const metadata = await fetchJson(outbound, metadataUrlOf(issuer));
  // Compared as strings: another spelling is another issuer.
  if (metadata.issuer !== issuer) throw new TrustError('mismatch', 'the metadata is of another issuer');
  const set = metadata.jwks ?? (typeof metadata.jwks_uri === 'string' ? await fetchJson(outbound, metadata.jwks_uri) : undefined);
  const keys = (set as { keys?: unknown } | undefined)?.keys;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new TrustError('mismatch', 'the metadata holds no keys');
  const found = (keys as { kid?: unknown }[]).filter((key) => kid === undefined || key?.kid === kid);
  // Without a kid there must be exactly one key.
  if (found.length !== 1) throw new TrustError('mismatch', 'the metadata does not say which key it was');
  try {
    return readVerificationJwk(found[0]);
  } catch (error) {
    throw new TrustError('mismatch', 'the key in the metadata cannot be used', error);
  }
}
