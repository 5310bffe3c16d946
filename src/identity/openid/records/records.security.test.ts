// The work of ending an account does not depend on the number of its tokens.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { underAttack } from '../../../../test/support/api.ts';
import { noDomainSettings } from '../../../../test/support/no-domain-settings.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { createSeal, newMasterKey } from '../../../platform/seal/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { createLogouts } from '../provider/index.ts';
import { createRecords, type Records } from './records.ts';

const TOKENS = 30;
/** MAX_OPENED of end.ts. */
const OPENED_AT_MOST = 500;
const URI = 'https://application.example.org/out';

interface Notice {
  readonly client_id: string;
  readonly sub: string;
  readonly sid?: string;
}

underAttack('The end of an account with many tokens', (api) => {
  let db: Database;
  let records: Records;
  let opened = 0;
  before(async () => {
    db = await databaseOf(api);
    const seal = createSeal([newMasterKey()]);
    const counting = {
      seal: seal.seal,
      open(sealed: string, place: string): Buffer {
        opened++;
        return seal.open(sealed, place);
      },
    };
    const log = { warn() {} } as never;
    const logouts = createLogouts({ db, clock: api.clock, log });
    records = createRecords({
      db,
      clock: api.clock,
      seal: counting,
      onEnd: logouts.recordLogouts,
      revocations: { revokeSessions: async () => {} },
      domainSettings: noDomainSettings,
    });
  });
  after(() => db.close());

  const bySessions = () => RelyingParty.make(api, { backchannel_logout_uri: URI, backchannel_logout_session_required: true });

  /** The notifications if the account ended, sorted by session id, and the number of opened records. The transaction is rolled back. */
  async function end(accountId: string): Promise<{ told: Notice[]; opened: number; left: number | undefined }> {
    const told: Notice[] = [];
    let left: number | undefined;
    opened = 0;
    await createChanges(db, api.clock)({ userId: null, requestId: 'test' }, async (transaction) => {
      await records.endEverything(transaction, accountId);
      const rows = await transaction.tx.selectFrom('logouts').where('body', 'like', `%${accountId}%`).select('body').execute();
      told.push(...rows.map(({ body }) => JSON.parse(body) as Notice));
      left = (await transaction.tx.selectFrom('openid_records').where('user_id', '=', accountId).select('id').execute()).length;
      throw new Error('undone');
    }).catch((error: Error) => assert.equal(error.message, 'undone'));
    return { told: told.sort((one, other) => (one.sid ?? '').localeCompare(other.sid ?? '')), opened, left };
  }

  it('opens only the newest records with session ids, and only for applications that are notified', async () => {
    const { id: accountId } = await makeUser(api);
    const [silent, bySub, bySession] = await Promise.all([
      RelyingParty.make(api),
      RelyingParty.make(api, { backchannel_logout_uri: URI }),
      bySessions(),
    ]);
    for (const [name, party] of Object.entries({ silent, bySub, bySession }))
      for (let i = 0; i < TOKENS; i++) {
        const payload = { accountId, clientId: party.application.id, sid: `${name} ${i % 3}` };
        await records.save(i % 2 ? 'AccessToken' : 'RefreshToken', `${name}-${accountId}-${i}`, payload, 1000);
      }
    const authorizations = { [bySession.application.id]: { sid: 'browser' } };
    await records.save('Session', accountId, { accountId, authorizations }, 1000);
    const ended = await end(accountId);
    assert.equal(ended.opened, TOKENS / 2 + 1, 'its refresh tokens, and the session');
    const [first, ...others] = ended.told;
    assert.deepEqual(first, { client_id: bySub.application.id, sub: accountId });
    const sids = ['browser', 'bySession 0', 'bySession 1', 'bySession 2'];
    assert.deepEqual(
      others,
      sids.map((sid) => ({ client_id: bySession.application.id, sub: accountId, sid })),
    );
  });

  it('opens a limited number of records of each model, the newest ones', async () => {
    const [{ id: accountId }, party] = [await makeUser(api), await bySessions()];
    const clientId = party.application.id;
    /** As many browser sessions as refresh tokens, each with its own id. */
    const make = async (when: string, count: number): Promise<string[]> => {
      const names = Array.from({ length: count }, (_, at) => `${when} ${String(at).padStart(3, '0')}`);
      for (const name of names) {
        const authorizations = { [clientId]: { sid: `browser ${name}` } };
        await records.save('Session', `${accountId} ${name}`, { accountId, authorizations }, 1000);
        await records.save('RefreshToken', `${accountId} ${name}`, { accountId, clientId, sid: `token ${name}` }, 1000);
      }
      return names;
    };
    await make('former', 20);
    api.clock.advance(60);
    const newest = await make('newest', OPENED_AT_MOST);
    const ended = await end(accountId);
    assert.equal(ended.opened, 2 * OPENED_AT_MOST);
    const sids = ['browser', 'token'].flatMap((kind) => newest.map((name) => `${kind} ${name}`));
    assert.deepEqual(
      ended.told.map(({ sid }) => sid),
      sids,
    );
    assert.equal(ended.left, 0, 'what is not opened ends as well');
  });
});
