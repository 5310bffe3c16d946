// Telling an application that somebody has answered: where it goes, and where not.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { until } from '../../../../test/support/mailbox.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { Asked, Asker, allDone, PingReceiver } from '../../../../test/support/sign-in-requests.ts';

onUsualDatabase('Telling an application of an answer', (api: TestApi) => {
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

  const REFUSED: Readonly<Record<string, string>> = {
    'http://10.0.0.1/told': 'only https may be called',
    'https://10.0.0.1/told': '10.0.0.1 is not a public address',
    'https://169.254.169.254/latest': '169.254.169.254 is not a public address',
  };
  for (const [endpoint, why] of Object.entries(REFUSED))
    it(`does not call ${endpoint}, and the application asks itself`, async () => {
      const { asker, asked, id } = await begun(endpoint);
      await asked.answer('allow-request');
      assert.equal((await asker.poll(id)).status, 200);
      await until(() => api.logged.some((line) => line.includes(why) && line.includes(asker.id)), 'it is refused');
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

  it('follows nobody elsewhere', async () => {
    const [elsewhere, moved] = [await PingReceiver.start(), await PingReceiver.start()];
    moved.movedTo = elsewhere.uri;
    try {
      const { asked, asker } = await begun(moved.uri);
      await asked.answer('allow-request');
      const isRefused = (line: string) => line.includes('"status":307') && line.includes(asker.id);
      await until(() => api.logged.some(isRefused), 'it counts as not told');
      assert.deepEqual([moved.heard.length, elsewhere.heard.length], [1, 0]);
    } finally {
      moved.stop();
      elsewhere.stop();
    }
  });

  for (const { status, isOver } of [
    { status: 401, isOver: true },
    { status: 403, isOver: true },
    { status: 429, isOver: false },
    { status: 503, isOver: false },
  ])
    it(`${isOver ? 'does not tell again a receiver that refuses' : 'tells later a receiver that cannot listen now'}: ${status}`, async () => {
      const refusing = await PingReceiver.start();
      refusing.status = status;
      const db = await databaseOf(api);
      try {
        const { asked, asker } = await begun(refusing.uri);
        await asked.answer('allow-request');
        const rows = () =>
          db.read
            .selectFrom('sign_in_tasks')
            .where('consumer_id', '=', asker.id)
            .where('last_error', '=', String(status))
            .select(['failed_at'])
            .execute();
        await until(async () => (await rows()).length === 1, 'it was told');
        assert.deepEqual([(await rows())[0]!.failed_at !== null, refusing.heard.length], [isOver, 1]);
      } finally {
        refusing.stop();
        await db.close();
      }
    });

  it('keeps neither the person nor the application waiting for a receiver that does not answer', async () => {
    const slow = await PingReceiver.start();
    slow.isSlow = true;
    try {
      const { asked, asker, id } = await begun(slow.uri);
      await asked.answer('allow-request');
      assert.equal((await asker.poll(id)).status, 200);
      await until(() => slow.heard.length > 0, 'the slow one is called');
      const other = await begun(receiver.uri);
      await other.asked.answer('allow-request');
      await until(() => receiver.heard.some(({ body }) => body.auth_req_id === other.id), 'the other one is told');
    } finally {
      slow.stop();
    }
  });

  it('stores what it tells sealed', async () => {
    const { asked } = await begun('http://10.0.0.2/told');
    await asked.answer('refuse-request');
    const db = await databaseOf(api);
    try {
      const tasks = JSON.stringify(await db.read.selectFrom('sign_in_tasks').selectAll().execute());
      const records = JSON.stringify(await db.read.selectFrom('openid_records').selectAll().execute());
      assert.doesNotMatch(tasks + records, /notification-token|10\.0\.0\.2/);
    } finally {
      await db.close();
    }
  });
});
