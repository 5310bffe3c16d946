// The metadata of an OpenID provider (OpenID Connect Discovery 1.0), for an administrator who is about to add it. What a provider writes is
// data: only texts of known fields are passed on, and not more than a person can read.
import { type Outbound, OutboundError } from '../../../platform/outbound/index.ts';
import { fail } from '../../ground/faults.ts';
import { checkIssuer } from './openid-settings.rules.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_NAMES = 100;
const MAX_NAME = 200;
const MAX_ADDRESS = 2048;

const ADDRESSES = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'end_session_endpoint',
  'registration_endpoint',
] as const;
/** Without these nobody can sign in. */
const NEEDED: readonly (typeof ADDRESSES)[number][] = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];

type Addresses = Readonly<Record<(typeof ADDRESSES)[number], string | null>>;

export interface ProviderMetadata extends Addresses {
  readonly issuer: string;
  readonly scopes_supported: readonly string[];
  readonly claims_supported: readonly string[];
  readonly backchannel_logout_supported: boolean;
  /** Why people could not sign in. */
  readonly problems: readonly string[];
}

const unusable = (why: string): never => fail('identity_provider.no_metadata', { why });
const bare = (issuer: string): string => issuer.replace(/\/+$/, '');
/** Without what would hide or change the text around it. */
const plain = (text: string, most: number): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, most);

const namesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [])
    .filter((name): name is string => typeof name === 'string')
    .slice(0, MAX_NAMES)
    .map((name) => plain(name, MAX_NAME));

function addressOf(value: unknown, isPlainAllowed: boolean): string | null {
  const url = typeof value === 'string' && value.length <= MAX_ADDRESS ? URL.parse(value) : null;
  const isUsable = url && (url.protocol === 'https:' || (isPlainAllowed && url.protocol === 'http:'));
  return isUsable ? url.href : null;
}

const WHY: Readonly<Record<OutboundError['kind'], string>> = {
  blocked: 'it may not be called: it is no https address, or an internal one that GATEHOUSE_OUTBOUND_ALLOW does not name',
  timeout: 'it did not answer in time',
  'too-large': 'its answer is too large',
  failed: 'it cannot be reached',
};

async function read(outbound: Outbound, url: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await outbound({
    method: 'GET',
    url,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    accept: ['application/json', 'application/jrd+json'],
    kind: 'identity-provider',
  }).catch((error: unknown) => {
    if (error instanceof OutboundError) return unusable(WHY[error.kind]);
    throw error;
  });
  if (status !== 200) return unusable(`it answered ${status}`);
  try {
    const found: unknown = JSON.parse(body.toString());
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, unknown>;
  } catch {
    // Said below.
  }
  return unusable('its answer is not a JSON object');
}

const ISSUER = 'http://openid.net/specs/connect/1.0/issuer';

/** Whose provider an address or a person names (OpenID Connect Discovery 1.0, 2). What it answers is an issuer like one that was entered. */
async function issuerFor(outbound: Outbound, resource: string): Promise<string> {
  const url = URL.parse(resource.startsWith('acct:') ? `https://${resource.slice(resource.lastIndexOf('@') + 1)}` : resource);
  if (url?.protocol !== 'https:' || url.username !== '') return unusable('that is neither an https address nor acct:name@host');
  const query = new URLSearchParams({ resource, rel: ISSUER });
  const { links } = await read(outbound, `https://${url.host}/.well-known/webfinger?${query}`);
  const found = (Array.isArray(links) ? (links as Record<string, unknown>[]) : []).find((link) => link?.rel === ISSUER)?.href;
  return typeof found === 'string' && found.length <= MAX_ADDRESS ? found : unusable('its host names no provider for it');
}

export const createProviderMetadata =
  ({ outbound }: { readonly outbound: Outbound }) =>
  async (asked: { readonly issuer?: string | undefined; readonly resource?: string | undefined }): Promise<ProviderMetadata> => {
    const { resource } = asked;
    const issuer =
      asked.issuer ?? (resource === undefined ? unusable('issuer or resource is missing') : await issuerFor(outbound, resource));
    checkIssuer(issuer);
    const found = await read(outbound, `${bare(issuer)}/.well-known/openid-configuration`);
    // Not longer, before anything is looked for in it.
    const named = typeof found.issuer === 'string' ? found.issuer.slice(0, MAX_ADDRESS + 1) : '';
    // `common` of Entra calls itself by a pattern: any tenant of the world could sign in.
    if (bare(named) !== bare(issuer)) unusable(`it calls itself ${plain(named, MAX_NAME) || 'nothing'}, and not ${issuer}`);
    const isPlain = issuer.startsWith('http:');
    const addresses = Object.fromEntries(ADDRESSES.map((name) => [name, addressOf(found[name], isPlain)])) as Addresses;
    const types = namesOf(found.response_types_supported);
    return {
      issuer: named,
      ...addresses,
      scopes_supported: namesOf(found.scopes_supported),
      claims_supported: namesOf(found.claims_supported),
      backchannel_logout_supported: found.backchannel_logout_supported === true,
      problems: [
        ...NEEDED.filter((name) => addresses[name] === null).map((name) => `${name} is missing, or is no https address`),
        ...(types.length > 0 && !types.includes('code') ? ['it does not have the authorization code flow'] : []),
      ],
    };
  };
