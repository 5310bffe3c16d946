// How much work the end of an account is does not depend on how many tokens it ever got.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase } from '../../../test/support/api.ts';
import { databaseOf } from '../../../test/support/lasting.ts';
import { makeUser, RelyingParty } from '../../../test/support/relying-party.ts';
import { createSeal, newMasterKey } from '../../platform/seal/index.ts';
import { createChanges } from '../audit/index.ts';
import { createLogouts } from './logouts.ts';
import { createRecords } from './records.ts';

const TOKENS = 30;

onEachDatabase('The end of an account with many tokens', (api) => {
  it('opens only the newest of what tells of sessions, and only for applications that hear of them', async () => {
    const person = await makeUser(api);
    const uri = 'https://application.example.org/out';
    const [silent, bySub, bySession] = await Promise.all([
      RelyingParty.make(api),
      RelyingParty.make(api, { backchannel_logout_uri: uri }),
      RelyingParty.make(api, { backchannel_logout_uri: uri, backchannel_logout_session_required: true }),
    ]);
    const db = await databaseOf(api);
    const seal = createSeal([newMasterKey()]);
    let opened = 0;
    const counting = {
      seal: seal.seal,
      open(sealed: string, place: string): Buffer {
        opened++;
        return seal.open(sealed, place);
      },
    };
    const provider = () => Promise.reject(new Error('nothing is sent'));
    const log = { warn() {} } as never;
    const told: unknown[] = [];
    const logouts = createLogouts({ db, clock: api.clock, log, provider });
    const records = createRecords({ db, clock: api.clock, seal: counting, ended: logouts.note });
    const accountId = person.id;
    try {
      for (const [name, party] of Object.entries({ silent, bySub, bySession }))
        for (let i = 0; i < TOKENS; i++) {
          const payload = { accountId, clientId: party.application.id, sid: `${name} ${i % 3}` };
          await records.save(i % 2 ? 'AccessToken' : 'RefreshToken', `${name}-${accountId}-${i}`, payload, 1000);
        }
      await records.save(
        'Session',
        accountId,
        { accountId, authorizations: { [bySession.application.id]: { sid: 'browser' } } },
        1000,
      );
      opened = 0;
      const change = createChanges(db, api.clock);
      await change({ userId: null, requestId: 'test' }, async (inside) => {
        await records.endWithin(inside, accountId);
        const rows = await inside.tx.selectFrom('logouts').where('body', 'like', `%${accountId}%`).select('body').execute();
        const bodies = rows.map(({ body }) => JSON.parse(body) as { sid?: string });
        told.push(...bodies.sort((one, other) => (one.sid ?? '').localeCompare(other.sid ?? '')));
        throw new Error('undone');
      }).catch((error: Error) => assert.equal(error.message, 'undone'));
      assert.equal(opened, TOKENS / 2 + 1, 'its refresh tokens, and the session');
      const [first, ...others] = told;
      assert.deepEqual(first, { client_id: bySub.application.id, sub: accountId });
      const sids = ['browser', 'bySession 0', 'bySession 1', 'bySession 2'];
      assert.deepEqual(
        others,
        sids.map((sid) => ({ client_id: bySession.application.id, sub: accountId, sid })),
      );
    } finally {
      await db.close();
    }
  });
});
