// Registrations on which nobody decides: after 90 days the account is deleted, unless somebody decides at that moment.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import { newestMail, startMailServer } from '../../../../test/support/mailbox.ts';
import { approve, makeWaiting, PASSWORD, refuse, WAITING } from '../../../../test/support/registration.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const DAY = 86_400;

const server = await startMailServer();

underAttack(
  'A registration on which nobody decides',
  (api) => {
    const db = usesDatabaseOf(api);
    const now = (): number => Math.floor(api.clock.now() / 1000);
    const isWaiting = async (id: string): Promise<boolean> =>
      assertOk(await api.get(WAITING)).waiting.some(({ user_id }: { user_id: string }) => user_id === id);
    /** Waits for so long. */
    async function waitingFor(days: number) {
      const user = await makeWaiting(api);
      const created_at = now() - days * DAY;
      await db().write((tx) =>
        tx.updateTable('waiting_registrations').set({ created_at }).where('user_id', '=', user.id).execute(),
      );
      return user;
    }
    const sweep = (): Promise<number> => api.service.waiting.sweep();
    const eventsOf = async (id: string) =>
      assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${id}&action=user.registration_refused`)).events;

    it('ends after 90 days: the account goes with its organizations, and the person is told', async () => {
      const [early, late] = [await waitingFor(89), await waitingFor(90)];
      assert.equal(await sweep(), 1);
      assert.ok(await isWaiting(early.id));
      assert.equal((await api.get(`/v3/users/${late.id}`)).status, 404);
      for (const id of [late.default_project_id, late.cloud_project_id])
        assert.equal((await api.get(`/v3/projects/${id}`)).status, 404);
      const [event, ...others] = await eventsOf(late.id);
      assert.deepEqual(others, []);
      assert.equal(event.detail.undecided_days, 90);
      assert.match((await newestMail(server, late.name)).text ?? '', /not approved|refused|declined/i);
      assert.equal(await sweep(), 0);
      assertRefused(await approve(api, late.id), 404);
      // They can register again.
      await makeWaiting(api, { name: late.name, username: late.username });
    });

    it('is decided once: by the person who approves at that moment, or by the job', async () => {
      const approved = await waitingFor(91);
      assert.equal(
        await whenAt('change.before-transaction', async () => assertOk(await approve(api, approved.id), 204), sweep),
        0,
      );
      await api.logIn({ id: approved.id, password: PASSWORD });
      const refused = await waitingFor(91);
      assert.equal(await whenAt('change.before-transaction', async () => assertOk(await refuse(api, refused.id), 204), sweep), 0);
      assert.equal((await eventsOf(refused.id)).length, 1);
      const both = await waitingFor(91);
      const swept = await Promise.all([sweep(), sweep(), sweep()]);
      assert.equal(
        swept.reduce((sum, one) => sum + one, 0),
        1,
      );
      const racing = await waitingFor(91);
      const [answer, count] = await Promise.all([approve(api, racing.id), sweep()]);
      assert.equal(answer.status === 204 ? 0 : 1, count);
      assert.equal((await api.get(`/v3/users/${both.id}`)).status, 404);
    });
  },
  { settings: smtpSettings(server) },
);
