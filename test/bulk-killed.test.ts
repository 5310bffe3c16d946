// kill -9 in the middle of a bulk request: whoever was created is whole, whoever was acknowledged is there, and the same request once more
// creates the rest.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BothServices } from './long/both-services.ts';
import { NoAnswer } from './long/fact.ts';
import { inFullRun } from './support/extent.ts';
import { BULK_REQUEST, SCIM_JSON, USER } from './support/scim.ts';

const PEOPLE = 1000;
const WAIT_MS = 60_000;

const bulkOf = (names: readonly string[]) => ({
  schemas: [BULK_REQUEST],
  Operations: names.map((userName) => ({
    method: 'POST',
    path: '/Users',
    bulkId: userName,
    data: { schemas: [USER], userName, emails: [{ value: `${userName}@example.org` }] },
  })),
});

/** People without something that belongs to them. */
const INCOMPLETE = `select name from users u where name like 'bulk-%' and (
  not exists (select 1 from user_words w where w.user_id = u.id)
  or not exists (select 1 from user_name_forms f where f.user_id = u.id)
  or not exists (select 1 from user_emails e where e.user_id = u.id)
  or not exists (select 1 from audit_events a where a.action = 'user.created' and a.target_id = u.id))`;

for (const kind of inFullRun(['SQLite', 'PostgreSQL'] as const, ['PostgreSQL'] as const))
  describe(`A bulk request cut off by kill -9 (${kind})`, () => {
    const services = new BothServices(kind, { GATEHOUSE_RATE_LIMITS: 'off' });
    let headers: Record<string, string>;
    before(async () => {
      await services.open();
      const connection = { connection: { domain_id: 'default', name: 'provisioning' } };
      const { body } = await services.must(201, 'POST', '/v3/OS-SCIM/connections', { body: connection });
      headers = { Authorization: `Bearer ${body.connection.token}`, 'Content-Type': SCIM_JSON };
    });
    after(() => services.close());

    const send = (names: readonly string[]) =>
      services.ask('identity', 'POST', '/scim/v2/Bulk', { body: bulkOf(names), headers, token: null });
    const statusesOf = ({ body }: { readonly body: any }): string[] => body.Operations.map(({ status }: any) => status);
    const count = async (condition: string): Promise<number> =>
      Number((await services.query('identity', `select count(*) as count from users where ${condition}`))[0]!.count);

    it('leaves nobody half, and can be sent again', async () => {
      const acknowledged = Array.from({ length: 150 }, (_, n) => `bulk-before-${n}`);
      assert.deepEqual(new Set(statusesOf(await send(acknowledged))), new Set(['201']));
      const names = Array.from({ length: PEOPLE }, (_, n) => `bulk-cut-${n}`);
      const [cut] = await Promise.allSettled([
        send(names),
        (async () => {
          for (const end = Date.now() + WAIT_MS; (await count(`name like 'bulk-cut-%'`)) === 0; await sleep(1))
            assert.ok(Date.now() < end, 'nobody was created');
          await services.kill();
        })(),
      ]);
      assert.ok(cut.status === 'rejected' && cut.reason instanceof NoAnswer, 'the answer came before the kill');
      const created = await count(`name like 'bulk-cut-%'`);
      assert.ok(created > 0 && created < PEOPLE, `${created} were created`);
      assert.deepEqual(await services.query('identity', INCOMPLETE), []);

      await services.start();
      const again = statusesOf(await send(names));
      assert.equal(again.filter((status) => status === '409').length, created);
      assert.equal(again.filter((status) => status === '201').length, PEOPLE - created);
      assert.equal(await count(`name like 'bulk-cut-%' or name like 'bulk-before-%'`), PEOPLE + acknowledged.length);
      assert.deepEqual(await services.query('identity', INCOMPLETE), []);
    });
  });
