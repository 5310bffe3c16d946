// Issues and verifies tokens. Verifying touches no database while memory is warm: open the token, look at the context of its user, compare.
import type { Clock } from '../../platform/clock.ts';
import type { Caches } from '../../platform/database/index.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import {
  type Access,
  type AuthContext,
  type AuthMethod,
  authContextKey,
  loginTimeOf,
  type Scope,
  type TokenRecord,
  type VerifiedToken,
} from '../access/index.ts';
import type { Revocations } from './revocations.ts';
import { newAuditId, openToken, sealToken, tokenKeyId } from './token-format.ts';
import type { TokenKeys } from './token-keys.ts';

/** Opened tokens kept, in two halves: when the young half is full it becomes the old one. */
const HALF = 8_000;

/** An opened token, with the key of its context: made once, since a token is shown many times. */
interface Opened {
  readonly text: string;
  readonly record: TokenRecord;
  readonly key: string;
  verdict: Verdict | undefined;
}

/** That a token was good. It still is while nothing changed anywhere and its time has not come: most often that is all there is to see. */
interface Verdict {
  readonly verified: VerifiedToken;
  /** Of the database. */
  readonly version: number;
  readonly until: number;
}

/**
 * What opened tokens are found by: the end of their text, as random as the whole. A request brings its tokens as new strings, and
 * to hash one whole costs more than to compare it.
 */
const endOf = (text: string): string => text.slice(-END);
const END = 12;

export interface Tokens {
  /** The token, if it is good now; a promise only when memory cannot tell. `graceMs` accepts one that ended so long ago. */
  verify(text: string, graceMs?: number): MaybePromise<VerifiedToken | undefined>;
  issue(authContext: AuthContext, options: IssueOptions): { text: string; record: TokenRecord };
}

export interface IssueOptions {
  readonly methods: readonly AuthMethod[];
  /** A token made from a token ends when that one does. */
  readonly parent?: TokenRecord | undefined;
  /** The end of what else it was made from (milliseconds). */
  readonly notAfter?: number | undefined;
  /** The application whose access token it was made from. */
  readonly applicationId?: string | undefined;
}

export function createTokens(deps: {
  access: Access;
  keys: TokenKeys;
  revocations: Revocations;
  caches: Pick<Caches, 'versioned'>;
  clock: Clock;
  tokenSeconds: number;
}): Tokens {
  const { access, keys, revocations, clock } = deps;
  const versionNow = deps.caches.versioned({ name: 'token_verdicts', size: () => young.size + old.size });
  let young = new Map<string, Opened>();
  let old = new Map<string, Opened>();

  function opened(text: string): Opened | undefined | 'unknown key' {
    const end = endOf(text);
    const kept = young.get(end) ?? old.get(end);
    if (kept?.text === text) return kept;
    const keyId = tokenKeyId(text);
    if (keyId === undefined) return undefined;
    const key = keys.known(keyId);
    if (!key) return 'unknown key';
    const record = openToken(text, key);
    if (!record) return undefined;
    if (young.size >= HALF) {
      old = young;
      young = new Map();
    }
    const token = { text, record, key: authContextKey(record.userId, record.scope), verdict: undefined };
    young.set(end, token);
    return token;
  }

  const judge = (record: TokenRecord, authContext: AuthContext | undefined, revoked: boolean): VerifiedToken | undefined =>
    authContext && !revoked && authContext.generation === record.generation ? { record, authContext } : undefined;

  async function verifySlowly(text: string, graceMs: number): Promise<VerifiedToken | undefined> {
    await keys.look();
    const token = opened(text);
    return token === undefined || token === 'unknown key' ? undefined : verifyOpened(token, graceMs);
  }

  function verifyOpened(token: Opened, graceMs: number): MaybePromise<VerifiedToken | undefined> {
    const { record, key, verdict } = token;
    const now = clock.now();
    const version = versionNow();
    if (verdict && verdict.version === version && now < verdict.until) return verdict.verified;
    if (record.expiresAt + graceMs <= now) return undefined;
    const revoked = revocations.cached(record.auditId);
    const authContext = access.cached(key);
    if (revoked !== undefined && authContext && version !== undefined) {
      const verified = judge(record, authContext, revoked);
      const until = Math.min(record.expiresAt, (authContext.validUntil ?? Number.POSITIVE_INFINITY) * 1000);
      token.verdict = verified && { verified, version, until };
      return verified;
    }
    return Promise.all([
      authContext ?? access.read(record.userId, record.scope),
      revoked ?? revocations.lookUp(record.auditId),
    ]).then(([current, gone]) => judge(record, current, gone));
  }

  return {
    verify(text, graceMs = 0) {
      const token = opened(text);
      if (token === undefined) return undefined;
      return token === 'unknown key' ? verifySlowly(text, graceMs) : verifyOpened(token, graceMs);
    },
    issue(authContext, { methods, parent, notAfter = Number.POSITIVE_INFINITY, applicationId = parent?.applicationId }) {
      const now = clock.now();
      const record: TokenRecord = {
        userId: authContext.user.id,
        methods,
        scope: authContext.scope as Scope,
        issuedAt: now,
        expiresAt: Math.min(parent?.expiresAt ?? now + deps.tokenSeconds * 1000, notAfter),
        generation: authContext.generation,
        auditId: newAuditId(),
        parentAuditId: parent ? (parent.parentAuditId ?? parent.auditId) : undefined,
        ...(parent ? { loginAt: loginTimeOf(parent) } : {}),
        ...(applicationId === undefined ? {} : { applicationId }),
      };
      return { text: sealToken(record, keys.current()), record };
    },
  };
}
