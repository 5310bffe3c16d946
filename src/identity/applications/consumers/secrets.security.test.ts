// A new secret for an application without a pause: the old one works for the time that was chosen, everywhere, and not longer.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { sweepPreviousSecrets } from './secrets.rules.ts';

const PATH = '/v3/OS-OAUTH2/consumers';

onUsualDatabase('A new secret', (api) => {
  const form = (path: string, id: string, secret: string, body: Record<string, string>) =>
    api.request('POST', path, {
      token: null,
      headers: {
        Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(body).toString(),
    });
  /** At the token endpoint, and at the one that proxies call. */
  const works = async (id: string, secret: string): Promise<boolean[]> => [
    (await form('/openid/token', id, secret, { grant_type: 'client_credentials' })).status === 200,
    (await form('/openid/introspect', id, secret, { token: 'x' })).status === 200,
  ];
  const [BOTH, NEITHER] = [
    [true, true],
    [false, false],
  ];
  const rotate = async (id: string, body?: unknown) => assertOk(await api.post(`${PATH}/${id}/secret`, body)).consumer;

  it('lets the old one work for the grace time, which is shown, and then no more', async () => {
    api.clock.hold();
    const { id, secret: first } = await makeApplication(api);
    assert.equal(assertOk(await api.get(`${PATH}/${id}`)).consumer.previous_secret_expires_at, undefined);
    const { secret: second, previous_secret_expires_at: until } = await rotate(id, { grace_seconds: 600 });
    assert.ok(Math.abs(Date.parse(until) - api.clock.now() - 600_000) < 2000, until);
    assert.deepEqual([await works(id, first), await works(id, second)], [BOTH, BOTH]);
    const shown = await api.get(`${PATH}/${id}`);
    assert.deepEqual([shown.body.consumer.previous_secret_expires_at, shown.text.includes(first)], [until, false]);
    api.clock.advance(601);
    assert.deepEqual([await works(id, first), await works(id, second)], [NEITHER, BOTH]);
    assert.equal(assertOk(await api.get(`${PATH}/${id}`)).consumer.previous_secret_expires_at, undefined);
  });

  it('does not keep the old one when it works no more', async () => {
    const [ended, { id: other }] = [await makeApplication(api), await makeApplication(api)];
    await rotate(ended.id, { grace_seconds: 600 });
    await rotate(other, { grace_seconds: 6000 });
    api.clock.advance(601);
    const db = await databaseOf(api);
    try {
      await sweepPreviousSecrets({ db, clock: api.clock });
      const rows = await db.read
        .selectFrom('consumers')
        .where('id', 'in', [ended.id, other])
        .select(['id', 'previous_secret', 'previous_secret_until'])
        .execute();
      const of = (id: string) => rows.find((row) => row.id === id)!;
      assert.deepEqual(of(ended.id), { id: ended.id, previous_secret: null, previous_secret_until: null });
      assert.ok(of(other).previous_secret, 'one that still works stays');
    } finally {
      await db.close();
    }
    await rotate(ended.id, { grace_seconds: 600 });
  });

  it('does not end the secret in use when a request is repeated, and without a grace time ends every old one', async () => {
    const { id, secret: first } = await makeApplication(api);
    const { secret: second } = await rotate(id, { grace_seconds: 600 });
    assertRefused(await api.post(`${PATH}/${id}/secret`, { grace_seconds: 600 }), 409);
    assert.deepEqual([await works(id, first), await works(id, second)], [BOTH, BOTH]);
    // Without a body, as before there was a grace time.
    const { secret: third } = await rotate(id);
    assert.deepEqual([await works(id, first), await works(id, second), await works(id, third)], [NEITHER, NEITHER, BOTH]);
  });

  it('lets the old one be ended at once, by those who manage the application', async () => {
    const [owner, stranger] = [await makePerson(api), await makePerson(api)];
    const { id, secret: first } = await makeApplication(api, {}, owner.token);
    await rotate(id, { grace_seconds: 600 });
    assert.deepEqual(await works(id, first), BOTH);
    await assertForbidden(api, [stranger.token], 'DELETE', `${PATH}/${id}/secret/previous`);
    assertOk(await api.delete(`${PATH}/${id}/secret/previous`, { token: owner.token }), 204);
    assert.deepEqual(await works(id, first), NEITHER);
    assertRefused(await api.delete(`${PATH}/${id}/secret/previous`), 404);
    for (const body of [{ grace_seconds: -1 }, { grace_seconds: 2_592_001 }, { grace_seconds: 'long' }, { other: 1 }])
      assertRefused(await api.post(`${PATH}/${id}/secret`, body), 400);
  });

  it('cannot be set, and neither can the old one', async () => {
    const { id, secret } = await makeApplication(api, { previous_secret_expires_at: 'x', previous_secret: 'mine' });
    assertOk(await api.patch(`${PATH}/${id}`, { consumer: { previous_secret_until: 9e9, extra: { previous_secret: 'mine' } } }));
    assert.deepEqual([await works(id, 'mine'), await works(id, secret)], [NEITHER, BOTH]);
  });
});
