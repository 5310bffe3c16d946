// Telling an application that somebody has answered: where it goes, and where not.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type TestApi, underAttack } from '../../../../test/support/api.ts';
import { until } from '../../../../test/support/mailbox.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { Asked, Asker, allDone, PingReceiver } from '../../../../test/support/sign-in-requests.ts';

underAttack('Telling an application of an answer', (api: TestApi) => {
  let receiver: PingReceiver;
  before(async () => {
    receiver = await PingReceiver.start();
  });
  after(() => receiver.stop());
  const pinged = (endpoint: string) => ({
    backchannel_token_delivery_mode: 'ping',
    backchannel_client_notification_endpoint: endpoint,
  });
  const begun = async (endpoint: string) => {
    const [asker, asked] = [await Asker.make(api, pinged(endpoint)), await Asked.make(api)];
    const id = await asker.begin({ login_hint: asked.person.name, client_notification_token: 'notification-token' });
    await asked.see();
    return { asker, asked, id };
  };

  for (const endpoint of ['http://10.0.0.1/told', 'https://169.254.169.254/latest', 'http://localhost:1/told'])
    it(`does not call ${endpoint}, and the application asks itself`, async () => {
      const { asker, asked, id } = await begun(endpoint);
      await asked.answer('allow-request');
      assert.equal((await asker.poll(id)).status, 200);
      await until(() => api.logged.some((line) => line.includes('a task of a sign-in request failed')), 'it is refused');
      assert.doesNotMatch(api.logged.join(''), /notification-token/);
    });

  it('tells nobody else when the address was changed in between, and nobody when there is none', async () => {
    for (const values of [pinged(`${receiver.uri}/other`), { backchannel_token_delivery_mode: null }]) {
      const { asker, asked, id } = await begun(receiver.uri);
      assert.equal((await asker.change(values)).status, 200);
      await asked.answer('allow-request');
      await allDone(api);
      assert.equal(
        receiver.heard.some(({ body }) => body.auth_req_id === id),
        false,
      );
      assert.equal((await asker.poll(id)).status, 200);
    }
  });

  it('follows nothing, and keeps neither the person nor others waiting for a receiver that does not answer', async () => {
    const slow = await PingReceiver.start();
    slow.isSlow = true;
    try {
      const { asked, asker, id } = await begun(slow.uri);
      const from = performance.now();
      await asked.answer('allow-request');
      assert.equal((await asker.poll(id)).status, 200);
      await until(() => slow.heard.length > 0, 'the slow one is called');
      const other = await begun(receiver.uri);
      await other.asked.answer('allow-request');
      await until(() => receiver.heard.some(({ body }) => body.auth_req_id === other.id), 'the other one is told');
      assert.ok(performance.now() - from < 60_000);
    } finally {
      slow.stop();
    }
  });

  it('stores what it tells sealed', async () => {
    const { asked } = await begun('http://10.0.0.1/told');
    await asked.answer('refuse-request');
    const db = await databaseOf(api);
    try {
      const tasks = JSON.stringify(await db.read.selectFrom('sign_in_tasks').selectAll().execute());
      const records = JSON.stringify(await db.read.selectFrom('openid_records').selectAll().execute());
      assert.doesNotMatch(tasks + records, /notification-token|10\.0\.0\.1/);
    } finally {
      await db.close();
    }
  });
});
