// Attacks on links: replay, concurrent use, guessing, reading the database.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { type Change, createChanges, serviceActor } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { createLinks, type Link, type Links, type Purpose } from './index.ts';

underAttack('Links, attacked', (api) => {
  // Two connections on PostgreSQL, as of two processes. SQLite has one process.
  let dbs: Database[];
  let links: Links;
  before(async () => {
    dbs = [await databaseOf(api)];
    if (api.kind === 'PostgreSQL') dbs.push(await databaseOf(api));
    links = createLinks({ db: dbs[0]!, clock: api.clock, config: { linkSeconds: 28_800 } });
  });
  after(() => Promise.all(dbs.map((db) => db.close())));

  const changeOn = <T>(db: Database, work: (transaction: Change) => Promise<T>): Promise<T> =>
    createChanges(db, api.clock)(serviceActor, (transaction) => {
      transaction.audit('user.updated', { kind: 'link', id: 'test' });
      return work(transaction);
    });
  const make = (purpose: Purpose = 'reset-password', address = `${uniqueName('ann')}@example.org`): Promise<string> =>
    changeOn(dbs[0]!, (transaction) => links.make(transaction, { purpose, address }));
  const useOn = (db: Database, text: string, purpose: Purpose = 'reset-password') =>
    changeOn(db, (transaction) => links.use(transaction, text, purpose));

  it('can be used by one of many concurrent requests', async () => {
    for (let round = 0; round < 5; round++) {
      const text = await make();
      const tries = Array.from({ length: 12 }, (_, index) => useOn(dbs[index % dbs.length]!, text));
      const got = (await Promise.all(tries)).filter((link): link is Link => link !== undefined);
      assert.equal(got.length, 1);
    }
  });

  it('are valid only once per subject, also if many are made at the same time', async () => {
    const address = `${uniqueName('ann')}@example.org`;
    const texts = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        changeOn(dbs[index % dbs.length]!, (transaction) => links.make(transaction, { purpose: 'reset-password', address })),
      ),
    );
    const found = await Promise.all(texts.map((text) => links.find(text, 'reset-password')));
    assert.equal(found.filter(Boolean).length, 1);
  });

  it('are not found for another purpose', async () => {
    const text = await make('confirm-email');
    for (const purpose of ['reset-password', 'invitation', 'change-email'] as const) {
      assert.equal(await links.find(text, purpose), undefined);
      assert.equal(await useOn(dbs[0]!, text, purpose), undefined);
    }
    assert.ok(await links.find(text, 'confirm-email'));
  });

  it('are not found by similar or hostile tokens', async () => {
    const text = await make();
    const row = await dbs[0]!.read.selectFrom('links').selectAll().orderBy('created_at', 'desc').executeTakeFirstOrThrow();
    const other = text.endsWith('A') ? `${text.slice(0, -1)}E` : `${text.slice(0, -1)}A`;
    const attempts = [
      '',
      other,
      text.slice(0, -1),
      `${text}A`,
      ` ${text}`,
      `${text}\n`,
      `${text}=`,
      text.toLowerCase() === text ? text.toUpperCase() : text.toLowerCase(),
      row.token_hash,
      row.subject,
      '%',
      "' or 1=1 --",
      '\0',
      'A'.repeat(100_000),
    ];
    for (const attempt of attempts) {
      assert.equal(await links.find(attempt, 'reset-password'), undefined, attempt.slice(0, 80));
      assert.equal(await useOn(dbs[0]!, attempt), undefined, attempt.slice(0, 80));
    }
    assert.ok(await links.find(text, 'reset-password'));
  });

  it('cannot be read in the database or the log', async () => {
    const text = await make();
    const rows = JSON.stringify(await dbs[0]!.read.selectFrom('links').selectAll().execute());
    assert.ok(!rows.includes(text) && !rows.includes(Buffer.from(text).toString('hex')));
    const events = JSON.stringify(await dbs[0]!.read.selectFrom('audit_events').selectAll().execute());
    assert.ok(!events.includes(text));
    assert.ok(!api.logged.join('').includes(text));
  });

  it('of different kinds of subjects do not replace each other', async () => {
    const user = await api.make('user', { name: uniqueName('ann') });
    const of = (link: { userId?: string; about?: string; address: string }) =>
      changeOn(dbs[0]!, (transaction) => links.make(transaction, { purpose: 'invitation', ...link }));
    const texts = [
      await of({ userId: user.id, address: 'a@example.org' }),
      await of({ address: user.id }),
      await of({ about: user.id, address: 'a@example.org' }),
      await of({ address: `user:${user.id}` }),
      await of({ about: `user:${user.id}`, address: 'a@example.org' }),
    ];
    for (const text of texts) assert.ok(await links.find(text, 'invitation'));
  });

  it('of one address are not ended by a similar address', async () => {
    const text = await make('confirm-email', 'straße@example.org');
    await make('confirm-email', 'strasse@example.org');
    assert.ok(await links.find(text, 'confirm-email'));
  });
});
