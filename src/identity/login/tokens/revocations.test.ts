import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onBothDatabases } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { createCaches, type Feed } from '../../../platform/database/index.ts';
import type { TokenRecord } from '../../access/context/index.ts';
import { createChanges, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { createRevocations, type Revocations, sessionKey } from './revocations.ts';
import { newAuditId } from './token-format.ts';

const ALLOW_EXPIRED = 300;
const TOKEN_SECONDS = 3600;

onBothDatabases('Revocations', (api) => {
  let db: Database;
  let revocations: Revocations;
  const begin = (on: Database) =>
    createRevocations({
      db: on,
      change: createChanges(on, api.clock),
      clock: api.clock,
      tokenSeconds: TOKEN_SECONDS,
      allowExpiredSeconds: ALLOW_EXPIRED,
    });
  /** As another process on this database has it: with caches of its own. */
  const another = (feed: Feed = db.feed): Database => ({ ...db, feed, ...createCaches(feed) });
  /** Begins, and waits until memory can tell. */
  async function create(on: Database): Promise<Revocations> {
    const begun = begin(on);
    while (begun.cached('any') === undefined) await sleep(1);
    return begun;
  }
  before(async () => {
    db = await databaseOf(api);
    revocations = await create(db);
  });
  after(() => db.close());

  const record = (seconds: number): TokenRecord => ({
    userId: 'somebody',
    methods: ['password'],
    scope: { kind: 'unscoped' },
    issuedAt: api.clock.now(),
    expiresAt: api.clock.now() + seconds * 1000,
    generation: 1,
    auditId: newAuditId(),
    parentAuditId: undefined,
  });

  async function isKnown(to: Revocations, { auditId }: TokenRecord, expected: boolean): Promise<void> {
    for (const end = Date.now() + 20_000; to.cached(auditId) !== expected && Date.now() < end; ) await sleep(5);
    assert.equal(to.cached(auditId), expected);
  }

  it('are known at once, and read again by whoever starts later', async () => {
    const [revoked, other] = [record(600), record(600)];
    assert.equal(revocations.cached(revoked.auditId), false);
    await revocations.revoke(serviceActor, revoked);
    assert.equal(revocations.cached(revoked.auditId), true);
    assert.equal(await revocations.lookUp(revoked.auditId), true);
    assert.equal(revocations.cached(other.auditId), false);
    assert.equal(await revocations.lookUp(other.auditId), false);
    const later = await create(another());
    assert.equal(later.cached(revoked.auditId), true);
    assert.equal(later.cached(other.auditId), false);
  });

  it('are asked of the database until all of them are read, which takes several pages', async () => {
    const many = Array.from({ length: 12_001 }, () => record(600));
    const expiresAt = Math.ceil(many[0]!.expiresAt / 1000);
    const rows = many.map(({ auditId }) => ({ audit_id: auditId, expires_at: expiresAt }));
    await db.write((tx) => tx.insertInto('revoked_tokens').values(rows).execute());
    const later = begin(another());
    const [first, whileReading] = [many[0]!, record(600)];
    assert.equal(later.cached(first.auditId), undefined);
    assert.equal(await later.lookUp(first.auditId), true);
    await later.revoke(serviceActor, whileReading);
    while (later.cached('any') === undefined) await sleep(1);
    assert.deepEqual(
      [...many, whileReading].filter(({ auditId }) => !later.cached(auditId)),
      [],
    );
  });

  it('may be made twice', async () => {
    const revoked = record(600);
    await Promise.all([revocations.revoke(serviceActor, revoked), revocations.revoke(serviceActor, revoked)]);
    assert.equal(revocations.cached(revoked.auditId), true);
  });

  it('are kept while the token could be asked about, and then forgotten', async () => {
    const revoked = record(60);
    await revocations.revoke(serviceActor, revoked);
    api.clock.advance(60 + ALLOW_EXPIRED - 5);
    await revocations.sweep();
    assert.equal(revocations.cached(revoked.auditId), true);
    const size = revocations.size;
    api.clock.advance(10);
    assert.ok((await revocations.sweep()) >= 1);
    assert.equal(revocations.cached(revoked.auditId), false);
    assert.equal(await revocations.lookUp(revoked.auditId), false);
    assert.ok(revocations.size < size);
    assert.equal(await revocations.sweep(), 0);
  });

  it('of a browser session outlast its tokens, also those that were issued before the clock was set back', async () => {
    const session = newAuditId();
    await createChanges(db, api.clock)(serviceActor, async (transaction) => {
      await revocations.revokeSessions(transaction, [session]);
      transaction.audit('user.updated', { kind: 'user', id: 'somebody' });
    });
    // A token is accepted that was issued up to an hour ahead, and lasts for an hour then.
    for (const [after, expected] of [
      [2 * TOKEN_SECONDS + ALLOW_EXPIRED - 5, true],
      [10, false],
    ] as const) {
      api.clock.advance(after);
      await revocations.sweep();
      assert.equal(await revocations.lookUp(sessionKey(session)), expected);
    }
  });

  it('are forgotten also where another process deleted their rows', async () => {
    const [other, revoked] = [await create(another()), record(60)];
    const before = other.size;
    await revocations.revoke(serviceActor, revoked);
    await isKnown(other, revoked, true);
    api.clock.advance(60 + ALLOW_EXPIRED + 5);
    assert.ok((await revocations.sweep()) >= 1);
    assert.equal(await other.sweep(), 0);
    assert.equal(other.cached(revoked.auditId), false);
    assert.ok(other.size <= before);
  });

  it('are checked in the table after a notification, so that forged ones have no effect', async () => {
    const handlers: ((tags: readonly string[] | undefined) => void)[] = [];
    const tell = (...ids: string[]): void => {
      for (const handler of handlers) handler(ids.map((id) => `revoked:${id}`));
    };
    const deaf = await create(another({ live: () => true, onChange: (handler) => void handlers.push(handler) }));
    const [good, real] = [record(600), record(600)];
    const before = deaf.size;
    tell(good.auditId);
    assert.equal(deaf.cached(good.auditId), undefined, 'until it is looked up, the database is asked');
    await isKnown(deaf, good, false);
    // In one piece and in many, and more than are looked up one by one.
    tell(...Array.from({ length: 3000 }, newAuditId));
    for (let i = 0; i < 3000; i++) tell(newAuditId());
    await isKnown(deaf, good, false);
    assert.equal(deaf.size, before);
    // Told before it was true, and again when it is, whatever is being looked up meanwhile.
    tell(real.auditId);
    await db.write(async (tx) => {
      await tx
        .insertInto('revoked_tokens')
        .values({ audit_id: real.auditId, expires_at: Math.ceil(real.expiresAt / 1000) })
        .execute();
      tell(real.auditId);
    });
    tell(real.auditId);
    assert.notEqual(deaf.cached(real.auditId), false);
    await isKnown(deaf, real, true);
    assert.equal(deaf.size, before + 1);
  });

  if (api.kind === 'PostgreSQL') {
    it('reach every other process within a second', async () => {
      const elsewhere = await databaseOf(api);
      try {
        const others = await create(elsewhere);
        const revoked = record(600);
        assert.equal(others.cached(revoked.auditId), false);
        await revocations.revoke(serviceActor, revoked);
        // On an idle machine; a busy one is given more.
        await isKnown(others, revoked, true);
      } finally {
        await elsewhere.close();
      }
    });
  }
});
