// A login of nobody takes as long as the hashes of some of the people who are here, always the same.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { createStandIns } from './stand-in.ts';

const SLOW = '$2b$12$......................';
const SLOWER = '$2b$13$......................';
const NAMES = Array.from({ length: 2000 }, (_, at) => `nobody ${at}`);

onUsualDatabase('The stand-in for the password of nobody', (api) => {
  const db = usesDatabaseOf(api);
  const shareOf = async (domainId: string | undefined, form: string | undefined): Promise<number> => {
    const standIns = createStandIns(db());
    const forms = await Promise.all(NAMES.map((name) => standIns.hashFor(domainId, name)));
    return forms.filter((one) => one === form).length / NAMES.length;
  };
  const isAbout = (share: number, expected: number): void =>
    assert.ok(Math.abs(share - expected) < 0.05, `${share} instead of ${expected}`);

  it('is one of ours where nobody came from elsewhere', async () => {
    assert.equal(await shareOf('default', undefined), 1);
  });

  it('has each form as often as people of the domain have, and the same for the same name', async () => {
    const there = await api.make('domain', { name: 'there' });
    const counts = [
      { domain_id: 'default', form: SLOW, passwords: 50, stored: 100 },
      { domain_id: 'default', form: SLOWER, passwords: 100, stored: 100 },
      { domain_id: there.id, form: SLOW, passwords: 10, stored: 10 },
    ];
    await db().write(async (tx) => {
      await tx.insertInto('imported_forms').values(counts).execute();
      await tx.insertInto('service_facts').values({ name: 'stand_in_key', value: 'a key' }).execute();
    });
    isAbout(await shareOf('default', SLOW), 0.25);
    isAbout(await shareOf('default', SLOWER), 0.5);
    // As many as have logged in since.
    isAbout(await shareOf('default', undefined), 0.25);
    assert.equal(await shareOf(there.id, SLOW), 1);
    isAbout(await shareOf(undefined, SLOWER), 100 / 210);
    const [one, another] = [createStandIns(db()), createStandIns(db())];
    for (const name of NAMES.slice(0, 50))
      assert.equal(await one.hashFor('default', name), await another.hashFor('default', name));
  });
});
