// Links in mails.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { type Change, createChanges, serviceActor } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { createLinks, type Links, type NewLink, type Purpose } from './index.ts';

const HOUR = 3600;

onBothDatabases('Links', (api) => {
  let db: Database;
  let links: Links;
  before(async () => {
    db = await databaseOf(api);
    links = createLinks({ db, clock: api.clock, config: { linkSeconds: 8 * HOUR } });
  });
  after(() => db.close());

  const change = <T>(work: (transaction: Change) => Promise<T>): Promise<T> =>
    createChanges(db, api.clock)(serviceActor, (transaction) => {
      transaction.audit('user.updated', { kind: 'link', id: 'test' });
      return work(transaction);
    });
  const make = (link: Partial<NewLink> = {}): Promise<string> =>
    change((transaction) =>
      links.make(transaction, { purpose: 'reset-password', address: `${uniqueName('ann')}@example.org`, ...link }),
    );
  const use = (text: string, purpose: Purpose = 'reset-password') =>
    change((transaction) => links.use(transaction, text, purpose));
  const isGood = async (text: string, purpose: Purpose = 'reset-password') => (await links.find(text, purpose)) !== undefined;
  const makePerson = (values: Record<string, unknown> = {}) =>
    api.make('user', { name: uniqueName('ann'), password: 'the password of ann', email: 'ann@example.org', ...values });

  it('return what they were made with', async () => {
    const { id: userId } = await makePerson();
    const text = await make({ userId, address: 'Ann@Example.org', data: { group: 'g', list: [1, 'ñ'] }, about: 'the visit' });
    assert.match(text, /^[\w-]{43}$/);
    const expected = {
      purpose: 'reset-password',
      userId,
      address: 'Ann@Example.org',
      about: 'the visit',
      data: { group: 'g', list: [1, 'ñ'] },
      expiresAt: Math.floor(api.clock.now() / 1000) + 8 * HOUR,
    };
    const found = (await links.find(text, 'reset-password'))!;
    assert.ok(Math.abs(found.expiresAt - expected.expiresAt) < 10);
    assert.deepEqual({ ...found, expiresAt: 0 }, { ...expected, expiresAt: 0 });
    assert.deepEqual(await use(text), found);
  });

  it('can be used once', async () => {
    const text = await make();
    assert.ok(await use(text));
    assert.equal(await use(text), undefined);
    assert.equal(await isGood(text), false);
  });

  it('are not changed by find', async () => {
    const text = await make();
    const rows = () => db.read.selectFrom('links').selectAll().orderBy('token_hash').execute();
    const before = await rows();
    for (let i = 0; i < 5; i++) assert.ok(await isGood(text));
    assert.deepEqual(await rows(), before);
    assert.ok(await use(text));
  });

  it('stay valid if the transaction is rolled back', async () => {
    const text = await make();
    await assert.rejects(
      change(async (transaction) => {
        assert.ok(await links.use(transaction, text, 'reset-password'));
        throw new Error('the new password was not good enough');
      }),
      /not good enough/,
    );
    assert.ok(await isGood(text));
    await assert.rejects(
      change(async (transaction) => {
        await links.make(transaction, { purpose: 'reset-password', address: 'rolled@example.org' });
        throw new Error('no');
      }),
    );
    assert.ok(await use(text));
  });

  it('end with the next one of the same purpose and user, address or subject', async () => {
    const { id: userId } = await makePerson();
    const address = `${uniqueName('bob')}@example.org`;
    for (const same of [{ userId }, { address }, { about: uniqueName('invitation') }]) {
      const first = await make(same);
      const other = await make({ ...same, purpose: 'confirm-email' });
      const second = await make({ ...same, ...(same.address ? { address: address.toUpperCase() } : {}) });
      assert.deepEqual(
        [await isGood(first), await isGood(second), await isGood(other, 'confirm-email')],
        [false, true, true],
        JSON.stringify(same),
      );
    }
    const two = [
      await make({ about: 'one', address, purpose: 'invitation' }),
      await make({ about: 'two', address, purpose: 'invitation' }),
    ];
    assert.deepEqual(
      await Promise.all(two.map((text) => isGood(text, 'invitation'))),
      [true, true],
      'two invitations of one address',
    );
  });

  it('can be ended by user, by purpose and by subject', async () => {
    const { id: userId } = await makePerson();
    const ofUser = async () => ({ reset: await make({ userId }), mail: await make({ userId, purpose: 'change-email' }) });
    const some = await ofUser();
    const bystander = await make({ userId: (await makePerson()).id });
    assert.equal(await change((transaction) => links.endOf(transaction, userId, ['change-email'])), 1);
    assert.deepEqual([await isGood(some.reset), await isGood(some.mail, 'change-email')], [true, false]);
    const all = await ofUser();
    assert.equal(await change((transaction) => links.endOf(transaction, userId)), 2);
    assert.deepEqual([await isGood(all.reset), await isGood(all.mail, 'change-email')], [false, false]);
    const about = uniqueName('invitation');
    const invitation = await make({ about, purpose: 'invitation' });
    const end = (): Promise<boolean> => change((transaction) => links.endAbout(transaction, 'invitation', about));
    assert.deepEqual([await end(), await end(), await isGood(invitation, 'invitation')], [true, false, false]);
    assert.ok(await isGood(bystander));
  });

  describe('of a user', () => {
    const endings: readonly (readonly [what: string, end: (id: string) => Promise<unknown>])[] = [
      [
        'the user changes the password',
        async (id) => {
          const body = { user: { original_password: 'the password of ann', password: 'another one of ann' } };
          assertOk(await api.post(`/v3/users/${id}/password`, body, { token: null }), 204);
        },
      ],
      [
        'an administrator changes the password',
        async (id) => assertOk(await api.patch(`/v3/users/${id}`, { user: { password: 'given to ann' } })),
      ],
      [
        'the e-mail address changes',
        async (id) => assertOk(await api.patch(`/v3/users/${id}`, { user: { email: 'new@example.org' } })),
      ],
      ['the user is disabled', async (id) => assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled: false } }))],
      ['the user is deleted', async (id) => assertOk(await api.delete(`/v3/users/${id}`), 204)],
    ];
    for (const [what, end] of endings)
      it(`end when ${what}`, async () => {
        const { id: userId } = await makePerson();
        const purposes = ['reset-password', 'change-email', 'confirm-email'] as const;
        const texts = [];
        for (const purpose of purposes) texts.push([await make({ userId, purpose }), purpose] as const);
        await end(userId);
        for (const [text, purpose] of texts) assert.equal(await isGood(text, purpose), false, purpose);
      });

    it('stay valid when something else changes', async () => {
      const { id: userId } = await makePerson();
      const text = await make({ userId });
      assertOk(await api.patch(`/v3/users/${userId}`, { user: { description: 'taller', email: 'ann@example.org' } }));
      assert.ok(await isGood(text));
    });
  });

  // Last, because the administrator's token expires here, too.
  it('expire after eight hours, or after their own lifetime', async () => {
    const [usual, short] = [await make(), await make({ seconds: 600 })];
    api.clock.advance(601);
    assert.deepEqual([await isGood(usual), await isGood(short), await use(short)], [true, false, undefined]);
    api.clock.advance(8 * HOUR);
    assert.deepEqual([await isGood(usual), await use(usual)], [false, undefined]);
  });

  it('are swept when they have expired', async () => {
    const [long, short] = [await make({ seconds: 30 * 24 * HOUR }), await make({ seconds: 300 })];
    const count = async () => (await db.read.selectFrom('links').selectAll().execute()).length;
    const before = await count();
    api.clock.advance(301);
    const swept = await links.sweep();
    assert.ok(swept >= 1);
    assert.equal(await count(), before - swept);
    assert.deepEqual([await isGood(long), await isGood(short)], [true, false]);
    assert.equal(await links.sweep(), 0);
  });
});
