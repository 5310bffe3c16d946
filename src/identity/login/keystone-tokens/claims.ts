// What a token of Keystone says, whichever form it has, and the token here that it is as good as.
import {
  type AuthMethod,
  type DelegationRef,
  keystoneLoginId,
  type Scope,
  type TokenRecord,
} from '../../access/context/index.ts';

export interface KeystoneClaims {
  readonly userId: string;
  /** By their names there. */
  readonly methods: readonly string[];
  readonly projectId?: string | undefined;
  readonly domainId?: string | undefined;
  readonly isForSystem?: boolean | undefined;
  /** In milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Its own, and that of the first token of its chain. */
  readonly auditIds: readonly string[];
  readonly trustId?: string | undefined;
  readonly accessTokenId?: string | undefined;
  readonly applicationCredentialId?: string | undefined;
  readonly providerId?: string | undefined;
  readonly protocolId?: string | undefined;
  /** Of the client's certificate that the token is bound to. */
  readonly thumbprint?: string | undefined;
}

/** Methods of Keystone by their names there. Ours that it does not have are not among them: a plugin of somebody else may be called like one. */
const METHOD: ReadonlyMap<string, AuthMethod> = new Map(
  Object.entries({
    external: 'external',
    password: 'password',
    token: 'token',
    oauth1: 'oauth1',
    mapped: 'mapped',
    application_credential: 'application_credential',
    totp: 'totp',
    ec2credential: 'ec2credential',
    openid: 'mapped',
    saml2: 'mapped',
    kerberos: 'external',
    x509: 'external',
  } as const),
);
/** Methods of Keystone that no list of it has: the tokens say it otherwise. */
const UNLISTED = ['oauth2_credential'];

/** Undefined when one is not known here. */
function methodsOf({ methods, thumbprint }: KeystoneClaims): AuthMethod[] | undefined {
  const known = methods.filter((name) => !UNLISTED.includes(name)).map((name) => METHOD.get(name));
  if (known.includes(undefined)) return undefined;
  // A key of EC2 or S3 leads to a token of Keystone without a method, because `[auth] methods` does not have it.
  if (known.length === 0 && thumbprint === undefined) return ['ec2credential'];
  return [...new Set(known as AuthMethod[])];
}

/** Undefined when they contradict each other. */
function scopeOf({ projectId, domainId, isForSystem }: KeystoneClaims): Scope | undefined {
  const scopes: Scope[] = [];
  if (projectId !== undefined) scopes.push({ kind: 'project', id: projectId });
  if (domainId !== undefined) scopes.push({ kind: 'domain', id: domainId });
  if (isForSystem) scopes.push({ kind: 'system' });
  return scopes.length > 1 ? undefined : (scopes[0] ?? { kind: 'unscoped' });
}

/** What it depends on beside its user: one thing, or nothing. Undefined when it is half of something. */
function delegationsOf(claims: KeystoneClaims): DelegationRef[] | undefined {
  const { userId, trustId, accessTokenId, applicationCredentialId, providerId, protocolId } = claims;
  const refs: DelegationRef[] = [];
  if (trustId !== undefined) refs.push({ kind: 'trust', id: trustId });
  if (accessTokenId !== undefined) refs.push({ kind: 'oauth1', id: accessTokenId });
  if (applicationCredentialId !== undefined) refs.push({ kind: 'application_credential', id: applicationCredentialId });
  if ((providerId === undefined) !== (protocolId === undefined)) return undefined;
  if (providerId !== undefined && protocolId !== undefined)
    refs.push({ kind: 'federation', id: keystoneLoginId({ userId, providerId, protocolId }) });
  return refs;
}

/** Undefined for what no token of Keystone says. Its generation is that of its user when it is verified. */
export function recordOf(claims: KeystoneClaims): TokenRecord | undefined {
  const { userId, issuedAt, expiresAt, auditIds, thumbprint } = claims;
  const [methods, scope, delegations] = [methodsOf(claims), scopeOf(claims), delegationsOf(claims)];
  const [auditId, parentAuditId] = auditIds;
  if (!methods || !scope || !delegations || auditId === undefined || expiresAt <= issuedAt) return undefined;
  const [delegation, another] = delegations;
  if (another) return undefined;
  // Tokens that are made from it have it, too (token-format.ts).
  if (delegation && Buffer.byteLength(delegation.id) > 255) return undefined;
  return {
    userId,
    methods,
    scope,
    issuedAt,
    expiresAt,
    generation: 0,
    auditId,
    parentAuditId,
    ...(delegation ? { delegation } : {}),
    foreign: thumbprint === undefined ? {} : { thumbprint },
  };
}

/** In Keystone, ids have 64 characters at most. */
export const isId = (value: unknown): value is string => typeof value === 'string' && /^[^\p{Cc}]{1,64}$/u.test(value);

/** The latest time that dates can say. */
const MAX_TIME = 8.64e15;

/** From seconds, which may have a fraction, to whole milliseconds; undefined when it is no time. */
export const timeOf = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' && seconds > 0 && seconds * 1000 < MAX_TIME ? Math.floor(seconds * 1000) : undefined;
