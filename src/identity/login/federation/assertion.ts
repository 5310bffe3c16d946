// What a provider said about a person, and what the mapping makes of it.

import { type Assertion, applyMapping, type MappedIdentity, validateMapping } from './mapping/index.ts';
import type { TrustedProvider } from './openid-settings.store.ts';

/** The protocols that people sign in by: at the provider by OpenID Connect, or with a credential from their wallet. */
export const OPENID = 'openid';
export const OPENID4VP = 'openid4vp';
export type ServedProtocol = typeof OPENID | typeof OPENID4VP;
export const isServed = (protocolId: string): protocolId is ServedProtocol => protocolId === OPENID || protocolId === OPENID4VP;

/** The answer of a provider to a sign-in, after all checks. */
export interface ProviderAssertion {
  readonly providerId: string;
  readonly protocol: ServedProtocol;
  /** The version of the settings that it was checked with. */
  readonly version: number;
  /** Whose subjects they are. Of credentials from wallets also by which claim (`issuerOfSubjects`): those of another claim are other people. */
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly sid: string | undefined;
  readonly idToken: string;
  readonly refreshToken: string | undefined;
  /** When the access token of the provider ends (milliseconds). */
  readonly expiresAt: number | undefined;
  /** When it arrived (milliseconds). */
  readonly at: number;
  /** A session of a browser begins with it. False for a token that was sent to the API. */
  readonly beginsSession: boolean;
}

/** Nested claims, such as `realm_access.roles` of Keycloak, are found by their path. */
const MAX_DEPTH = 3;
/** The prefix that Keystone's documentation uses, after the web server in front of it. */
const KEYSTONE_PREFIX = 'OIDC-';

/** Databases have no NUL in texts: such a value is no name of anything. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

function collect(found: Record<string, string[]>, claims: Readonly<Record<string, unknown>>, path: string, depth: number): void {
  for (const [key, value] of Object.entries(claims)) {
    const name = path + key;
    if (isText(value)) found[name] = [value];
    else if (typeof value === 'boolean' || typeof value === 'number') found[name] = [String(value)];
    else if (Array.isArray(value)) found[name] = value.filter(isText);
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
      collect(found, value as Record<string, unknown>, `${name}.`, depth + 1);
  }
}

/** The claims as attributes of the mapping language, by their name and with Keystone's prefix. */
export function attributesOf(claims: Readonly<Record<string, unknown>>): Assertion {
  const found: Record<string, string[]> = {};
  collect(found, claims, '', 1);
  const prefixed = Object.entries(found).map(([name, values]) => [KEYSTONE_PREFIX + name, values] as const);
  // Names of the provider's own must not replace those with the prefix, nor be looked up in a prototype.
  return Object.assign(Object.create(null) as Record<string, string[]>, found, Object.fromEntries(prefixed));
}

/** The identity, or why there is none. */
export function identityOf(
  { rules, schema_version }: Pick<TrustedProvider, 'rules' | 'schema_version'>,
  { claims }: Pick<ProviderAssertion, 'claims'>,
): MappedIdentity | { readonly refusal: { readonly why: string } } {
  const { mapping, problems } = validateMapping(JSON.parse(rules), schema_version);
  if (problems) return { refusal: { why: problems[0]!.why } };
  return applyMapping(mapping, attributesOf(claims));
}

/** Letters that look alike in other scripts, or are folded together, are other mailboxes at the provider. */
const PLAIN_ADDRESS = /^[\x21\x23-\x27\x2a\x2b\x2d\x2f-\x39\x3d\x3f\x41-\x5a\x5e-\x7e.]{1,64}@[A-Za-z0-9.-]{1,253}$/;

/** The domain of a plain address, in lower case. */
export const domainOfAddress = (text: string): string | undefined =>
  PLAIN_ADDRESS.test(text) ? text.slice(text.lastIndexOf('@') + 1).toLowerCase() : undefined;

export interface AssertedEmail {
  readonly address: string;
  /** Lower case. */
  readonly domain: string;
  /** The provider says so, and not in a text. */
  readonly isVerified: boolean;
}

export function emailOf({ claims }: Pick<ProviderAssertion, 'claims'>): AssertedEmail | undefined {
  const { email, email_verified: verified } = claims;
  const domain = typeof email === 'string' ? domainOfAddress(email) : undefined;
  return domain === undefined ? undefined : { address: email as string, domain, isVerified: verified === true };
}

/** How the account page names the account at the provider. */
export function labelOf({ claims, subject }: Pick<ProviderAssertion, 'claims' | 'subject'>): string {
  const names = [claims.email, claims.preferred_username, claims.name, subject];
  const label = names.find((name): name is string => typeof name === 'string' && name.trim() !== '') ?? subject;
  return label.replaceAll(/\p{Cc}/gu, '').slice(0, 200);
}
