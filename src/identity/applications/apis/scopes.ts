// The scopes of an API, and what an identifier may be.
import type { ApiRow } from '../../ground/database/index.ts';

export interface StoredScope {
  readonly name: string;
  readonly description: string;
  /** Ids of roles of the API's application. Without it, everybody gets the scope. */
  readonly roles?: readonly string[] | null | undefined;
}

export const scopesOf = ({ scopes }: Pick<ApiRow, 'scopes'>): readonly StoredScope[] => JSON.parse(scopes) as StoredScope[];

/** A rule of an API: the application gets the scope for the token of another API that has `subject_scope`. */
export interface Exchange {
  readonly application_id: string;
  readonly subject_scope: string;
  readonly scope: string;
}

export const exchangesOf = ({ exchanges }: Pick<ApiRow, 'exchanges'>): readonly Exchange[] =>
  exchanges === null ? [] : (JSON.parse(exchanges) as Exchange[]);

/** Scopes of the service itself: those of OpenID Connect, of credentials, and marks in grants. */
export const isScopeOfOthers = (name: string, openid: readonly string[]): boolean =>
  openid.includes(name) || name.startsWith('role_credential.') || name.startsWith('gatehouse:');

const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** An absolute URI without a fragment (RFC 8707, 2). Text before an @ could be mistaken for the host. */
export function isApiIdentifier(identifier: string): boolean {
  const url = PRINTABLE.test(identifier) && !identifier.includes('#') ? URL.parse(identifier) : null;
  if (url?.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || url.protocol === 'urn:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

/** Programs that parse an address write it with a slash after the host, and people without. */
export function otherSpelling(resource: string): string | undefined {
  const origin = URL.parse(resource)?.origin;
  if (resource === origin) return `${resource}/`;
  return resource === `${origin}/` ? origin : undefined;
}

/** Of an identifier, with or without the last slash: whoever compares carelessly would take the tokens of one API for those of another. */
export const withOtherEnd = (identifier: string): string =>
  identifier.endsWith('/') ? identifier.slice(0, -1) : `${identifier}/`;

/**
 * What a change takes away from tokens and consents. Which applications may ask is looked up whenever a token is made or asked about, so that others
 * keep theirs.
 */
export function takesAway(before: ApiRow, after: ApiRow): boolean {
  const now = new Map(scopesOf(after).map((scope) => [scope.name, scope]));
  const movesRoles = before.application_id !== after.application_id;
  return scopesOf(before).some(({ name, roles: had }) => {
    const scope = now.get(name);
    if (!scope) return true;
    if (!scope.roles) return false;
    return !had || movesRoles || !had.every((role) => scope.roles!.includes(role));
  });
}
