// Issues and verifies tokens. With warm caches, verifying needs no database: decrypt the token, get the AuthContext, compare.
import type { Clock } from '../../../platform/clock.ts';
import type { Caches } from '../../../platform/database/index.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import {
  type Access,
  type AuthContext,
  type AuthMethod,
  authContextKey,
  isCurrent,
  methodNames,
  type Scope,
  type TokenRecord,
  type VerifiedToken,
} from '../../access/context/index.ts';
import { loginTimeOf } from '../../access/rules/index.ts';
import { KEYSTONE_CLOCK_MS, type KeystoneTokens } from '../keystone-tokens/index.ts';
import { type Revocations, sessionKey } from './revocations.ts';
import { newAuditId, openToken, sealToken, tokenKeyId } from './token-format.ts';
import type { TokenKeys } from './token-keys.ts';

/** The cache of opened tokens has two halves. When the young one is full, it replaces the old one. */
const HALF = 8_000;

/** An opened token, with the cache key of its AuthContext. Cached, since the same token is used many times. */
interface OpenedToken {
  readonly text: string;
  readonly record: TokenRecord;
  readonly key: string;
  /** Of one of a Keystone: the keys of that time. */
  readonly openedBy: unknown;
  verdict: CachedVerdict | undefined;
}

/** A successful verification. It stays valid until any cached data changes or the token expires. */
interface CachedVerdict {
  readonly verified: VerifiedToken;
  /** Version of the caches. */
  readonly version: number;
  readonly until: number;
}

/**
 * Cache key: the end of a token, which is as random as the whole. Tokens arrive as new strings, and hashing a whole one takes longer
 * than comparing it.
 */
const endOf = (text: string): string => text.slice(-END);
const END = 12;

/** In milliseconds. The end of an inactive account or of a membership does not show in tokens; that of a delegation does. */
const endOfDelegation = ({ delegation }: AuthContext): number => (delegation?.expiresAt ?? Number.POSITIVE_INFINITY) * 1000;

export interface Tokens {
  /** The token, if it is valid; a promise only when the caches do not have the answer. `graceMs` accepts recently expired tokens. */
  verify(text: string, graceMs?: number): MaybePromise<VerifiedToken | undefined>;
  issue(authContext: AuthContext, options: IssueOptions): { text: string; record: TokenRecord };
  readonly counts: TokenCounts;
}

/** Plain numbers: verifying takes microseconds, and counting must not be seen in it. */
export interface TokenCounts {
  /** Tokens that were verified. */
  readonly verified: { valid: number; keystone: number; invalid: number };
  /** By the methods of the login. */
  readonly issued: Record<string, number>;
}

export interface IssueOptions {
  readonly methods: readonly AuthMethod[];
  /** The token it is made from. The new one expires at the same time. */
  readonly parent?: TokenRecord | undefined;
  /** Latest expiry in milliseconds. */
  readonly notAfter?: number | undefined;
  /** The application whose access token it was made from. */
  readonly applicationId?: string | undefined;
  /** When the person authenticated at another provider, in milliseconds. */
  readonly loginAt?: number | undefined;
  /** The browser session it was made from. Nobody logs in when a page gets a token: the login was when the session began. */
  readonly session?: { readonly auditId: string; readonly loginAt: number } | undefined;
}

export function createTokens(deps: {
  access: Pick<Access, 'cached' | 'read'>;
  keys: TokenKeys;
  revocations: Revocations;
  /** Undefined when none are accepted. */
  keystone: KeystoneTokens | undefined;
  caches: Pick<Caches, 'versioned'>;
  clock: Clock;
  /** The longest life of a token. */
  tokenSeconds: number;
  /** The life of those of a person, as their domain says. */
  secondsFor(user: AuthContext['user']): number;
}): Tokens {
  const { access, keys, revocations, keystone, clock } = deps;
  const lifeMs = deps.tokenSeconds * 1000;
  const counts: TokenCounts = { verified: { valid: 0, keystone: 0, invalid: 0 }, issued: {} };
  const verdicts = { hits: 0, misses: 0 };
  const versionNow = deps.caches.versioned({ name: 'token_verdicts', counts: verdicts, size: () => young.size + old.size });
  let young = new Map<string, OpenedToken>();
  let old = new Map<string, OpenedToken>();

  function openOurs(text: string): TokenRecord | undefined | 'unknown key' {
    const keyId = tokenKeyId(text);
    if (keyId === undefined) return undefined;
    const key = keys.find(keyId);
    return key ? openToken(text, key) : 'unknown key';
  }

  function openCached(text: string): OpenedToken | undefined | 'unknown key' {
    const end = endOf(text);
    const cached = young.get(end) ?? old.get(end);
    if (cached?.text === text && (!cached.record.foreign || cached.openedBy === keystone!.keysFor(text))) return cached;
    const theirs = keystone?.hasForm(text) ? keystone : undefined;
    const openedBy = theirs?.keysFor(text);
    const record = theirs ? theirs.open(text) : openOurs(text);
    if (record === undefined || record === 'unknown key') return record;
    if (young.size >= HALF) {
      old = young;
      young = new Map();
    }
    const key = authContextKey(record.userId, record.scope, record.delegation);
    const token = { text, record, key, openedBy, verdict: undefined };
    young.set(end, token);
    return token;
  }

  /** Also what ended with the browser session that the token was made from. Undefined when the cache is not available. */
  function isRevokedInMemory({ auditId, parentAuditId }: TokenRecord): boolean | undefined {
    const revoked = revocations.cached(auditId);
    return revoked === false && parentAuditId !== undefined ? revocations.cached(sessionKey(parentAuditId)) : revoked;
  }
  const isRevoked = async ({ auditId, parentAuditId }: TokenRecord): Promise<boolean> =>
    (await revocations.lookUp(auditId)) || (parentAuditId !== undefined && revocations.lookUp(sessionKey(parentAuditId)));

  function verdictOf(record: TokenRecord, authContext: AuthContext | undefined, revoked: boolean): VerifiedToken | undefined {
    if (!authContext || revoked) return undefined;
    if (!record.foreign) return isCurrent(record, authContext) ? { record, authContext } : undefined;
    const { generation, user, endedAt } = authContext;
    // Of a trust, Keystone's tokens name who uses it. From here on it is like one that was made now.
    const asOurs = { ...record, userId: user.id, generation };
    return record.issuedAt > endedAt + KEYSTONE_CLOCK_MS ? { record: asOurs, authContext } : undefined;
  }

  async function verifySlowly(text: string, graceMs: number): Promise<VerifiedToken | undefined> {
    await keys.reloadIfDue();
    const token = openCached(text);
    return token === undefined || token === 'unknown key' ? undefined : verifyOpened(token, graceMs);
  }

  function verifyOpened(token: OpenedToken, graceMs: number): MaybePromise<VerifiedToken | undefined> {
    const { record, key, verdict } = token;
    const now = clock.now();
    // Issued before the clock was set back: it would be valid for as long as the clock was wrong.
    if (record.issuedAt > now + (record.foreign ? KEYSTONE_CLOCK_MS : lifeMs)) return undefined;
    if (record.foreign && now >= keystone!.until) return undefined;
    const version = versionNow();
    if (verdict && verdict.version === version && now < verdict.until) {
      verdicts.hits++;
      return verdict.verified;
    }
    verdicts.misses++;
    if (record.expiresAt + graceMs <= now) return undefined;
    const revoked = isRevokedInMemory(record);
    const authContext = access.cached(key);
    if (revoked !== undefined && authContext && version !== undefined) {
      const verified = verdictOf(record, authContext, revoked);
      const until = Math.min(record.expiresAt, (authContext.validUntil ?? Number.POSITIVE_INFINITY) * 1000);
      token.verdict = verified && { verified, version, until };
      return verified;
    }
    return Promise.all([
      authContext ?? access.read(record.userId, record.scope, record.delegation),
      revoked ?? isRevoked(record),
    ]).then(([current, gone]) => verdictOf(record, current, gone));
  }

  function verify(text: string, graceMs: number): MaybePromise<VerifiedToken | undefined> {
    const token = openCached(text);
    if (token === undefined) return undefined;
    return token === 'unknown key' ? verifySlowly(text, graceMs) : verifyOpened(token, graceMs);
  }

  function counted(found: VerifiedToken | undefined): VerifiedToken | undefined {
    if (found) counts.verified[found.record.foreign ? 'keystone' : 'valid']++;
    else counts.verified.invalid++;
    return found;
  }

  return {
    counts,
    verify(text, graceMs = 0) {
      const found = verify(text, graceMs);
      return found instanceof Promise ? found.then(counted) : counted(found);
    },
    issue(authContext, options) {
      const { methods, parent, session, notAfter = Number.POSITIVE_INFINITY, applicationId = parent?.applicationId } = options;
      const loginAt = parent ? loginTimeOf(parent) : (session?.loginAt ?? options.loginAt);
      const now = clock.now();
      const record: TokenRecord = {
        userId: authContext.user.id,
        methods,
        scope: authContext.scope as Scope,
        issuedAt: now,
        expiresAt: Math.min(
          parent?.expiresAt ?? Number.POSITIVE_INFINITY,
          // Also beside a parent: with a trust, that is the token of somebody else.
          now + deps.secondsFor(authContext.user) * 1000,
          notAfter,
          endOfDelegation(authContext),
        ),
        generation: authContext.generation,
        auditId: newAuditId(),
        parentAuditId: parent ? (parent.parentAuditId ?? parent.auditId) : session?.auditId,
        ...(loginAt === undefined ? {} : { loginAt }),
        ...(applicationId === undefined ? {} : { applicationId }),
        ...(authContext.delegation ? { delegation: { kind: authContext.delegation.kind, id: authContext.delegation.id } } : {}),
      };
      const text = sealToken(record, keys.current());
      const names = methodNames(methods);
      counts.issued[names] = (counts.issued[names] ?? 0) + 1;
      return { text, record };
    },
  };
}
