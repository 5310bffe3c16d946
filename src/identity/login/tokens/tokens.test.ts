import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { AuthContext } from '../../access/context/index.ts';
import { createTokens, type Tokens } from './tokens.ts';

const HOUR = 3_600_000;

// The dependencies of token verification as plain values the test can change. The rest is tested over HTTP elsewhere.
describe('A token that was just verified', () => {
  let now: number;
  let isLive: boolean;
  let looks: number;
  let revoked: Set<string>;
  let authContext: AuthContext;
  let tell: () => void;
  let tokens: Tokens;
  let text: string;
  let auditId: string;

  beforeEach(() => {
    now = Date.parse('2026-01-01T00:00:00Z');
    isLive = true;
    looks = 0;
    revoked = new Set();
    authContext = {
      user: { id: 'u', name: 'somebody', domain: { id: 'default', name: 'Default' }, passwordExpiresAt: null },
      scope: { kind: 'unscoped' },
      project: undefined,
      domain: undefined,
      roles: [],
      roleNames: new Set(),
      enforcesScope: false,
      generation: 7,
      endedAt: 0,
      userEpoch: 7,
      userGeneration: 7,
      validUntil: null,
      tags: [],
    };
    let version = 0;
    tell = () => {
      version++;
    };
    const key = { id: 1, key: createSecretKey(randomBytes(32)) };
    tokens = createTokens({
      access: {
        cached: () => {
          looks++;
          return isLive ? authContext : undefined;
        },
        read: async () => authContext,
      },
      keys: {
        current: () => key,
        find: () => key.key,
        reloadIfDue: async () => {},
        rotate: async () => {},
        list: async () => [],
        rotatesAt: () => undefined,
      },
      revocations: {
        cached: (id) => (isLive ? revoked.has(id) : undefined),
        lookUp: async (id) => revoked.has(id),
        revoke: async () => {},
        revokeSessions: async () => {},
        takeOver: async () => {},
        sweep: async () => 0,
        counts: { token: 0, session: 0 },
        size: 0,
      },
      keystone: undefined,
      caches: { versioned: () => () => (isLive ? version : undefined) },
      clock: { now: () => now },
      tokenSeconds: HOUR / 1000,
      secondsFor: () => HOUR / 1000,
    });
    const { text: issued, record } = tokens.issue(authContext, { methods: ['password'] });
    text = issued;
    auditId = record.auditId;
    assert.deepEqual(tokens.verify(text), { record, authContext });
  });

  it('is valid without another check while nothing changed', () => {
    assert.ok(tokens.verify(text));
    assert.equal(looks, 1);
  });

  it('is checked again after any change', () => {
    tell();
    assert.ok(tokens.verify(text));
    revoked.add(auditId);
    tell();
    assert.equal(tokens.verify(text), undefined);
    revoked.clear();
    authContext = { ...authContext, generation: 8 };
    tell();
    assert.equal(tokens.verify(text), undefined);
  });

  it('is checked in the database while changes may be missed', async () => {
    revoked.add(auditId);
    isLive = false;
    assert.equal(await tokens.verify(text), undefined);
  });

  it('ends when its time is over, but for those who accept a little more', () => {
    now += HOUR - 1;
    assert.ok(tokens.verify(text));
    now += 1;
    assert.equal(tokens.verify(text), undefined);
    assert.ok(tokens.verify(text, 1000));
    assert.equal(tokens.verify(text), undefined);
  });

  it('is checked again when its account becomes inactive', () => {
    authContext = { ...authContext, validUntil: now / 1000 + 60 };
    tell();
    assert.ok(tokens.verify(text));
    now += 59_999;
    const before = looks;
    assert.ok(tokens.verify(text));
    assert.equal(looks, before);
    now += 1;
    tokens.verify(text);
    assert.equal(looks, before + 1);
  });
});
