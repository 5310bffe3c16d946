import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD } from '../../../../test/support/api.ts';
import { noDomainSettings } from '../../../../test/support/no-domain-settings.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf, KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { newSecret } from '../../../platform/ids.ts';
import { createSeal, newMasterKey } from '../../../platform/seal/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { createRecords } from './records.ts';

const DAY = 86_400;
const SETTINGS = { GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD, GATEHOUSE_IDENTITY_TOKEN_SECONDS: String(100 * DAY) };
const OFFLINE = { scope: 'openid email offline_access' };

for (const kind of KINDS) {
  describe(`What the OpenID provider keeps (${kind})`, () => {
    const api = new RestartableApi(kind);
    const begin = async () => {
      await api.begin(SETTINGS);
      api.adminToken = await api.logIn(
        { name: 'admin', password: ADMIN_PASSWORD },
        { project: { name: 'admin', domain: { id: 'default' } } },
      );
    };
    before(begin);
    after(() => api.remove());

    async function inDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
      const db = await databaseOf(api);
      try {
        return await work(db);
      } finally {
        await db.close();
      }
    }
    const recordsOn = (db: Database) =>
      createRecords({
        db,
        clock: api.clock,
        seal: createSeal([newMasterKey()]),
        onEnd: async () => {},
        revocations: { revokeSessions: async () => {} },
        domainSettings: noDomainSettings,
      });
    /** They are sealed by a key of their own. */
    const forget = (db: Database, userId: string) =>
      db.write((tx) => tx.deleteFrom('openid_records').where('user_id', '=', userId).execute());
    const rows = () => inDatabase((db) => db.read.selectFrom('openid_records').selectAll().orderBy('id').execute());

    /** By hand: the address of the service changes with every start. */
    async function refresh({ id, secret }: { id: string; secret: string }, refresh_token: string): Promise<Response> {
      return fetch(`${api.url}/openid/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token }),
      });
    }

    it('is used once, and kept, in statements that requests share: whoever is deleted meanwhile takes nothing from others', () =>
      inDatabase(async (db) => {
        const records = recordsOn(db);
        const [person, leaver] = [await makeUser(api), await makeUser(api)];
        const ids = Array.from({ length: 20 }, () => newSecret());
        const of = ({ id: accountId }: { id: string }) => ({ accountId, kind: 'RefreshToken' });
        const people = db.read.selectFrom('users').innerJoin('projects as domain', 'domain.id', 'users.domain_id');
        const { generation } = await people
          .where('users.id', '=', person.id)
          .select((eb) => eb('users.epoch', '+', eb.ref('domain.epoch')).as('generation'))
          .executeTakeFirstOrThrow();
        await api.delete(`/v3/users/${leaver.id}`);
        await Promise.all(
          ids.map((id, n) =>
            records.duringRequest(async () => {
              const who = n % 5 === 0 ? leaver : person;
              // As if the request had read something of them.
              records.bind(who.id, generation);
              assert.equal(await records.save('RefreshToken', id, of(who), 1000), true);
            }),
          ),
        );
        const found = await Promise.all(ids.map((id) => records.find('RefreshToken', id)));
        assert.deepEqual(
          found.map((one) => one?.accountId),
          ids.map((_, n) => (n % 5 === 0 ? undefined : person.id)),
        );
        const used = await Promise.all([...ids, ...ids, ...ids].map((id) => records.consume('RefreshToken', id)));
        assert.equal(used.filter(Boolean).length, 16);
        const again = await Promise.all(ids.map((id) => records.consume('RefreshToken', id)));
        assert.deepEqual(again, Array(20).fill(false));
        assert.ok((await records.find('RefreshToken', ids[1]!))!.consumed);
        await forget(db, person.id);
      }));

    it('reads a grant with what was made from it: what is made of a grant that ended since is worth nothing', () =>
      inDatabase(async (db) => {
        const records = recordsOn(db);
        const { id: accountId } = await makeUser(api);
        const grantId = newSecret();
        await records.save('Grant', grantId, { accountId }, 1000);
        for (const model of ['AuthorizationCode', 'RefreshToken'])
          await records.save(model, `${model} ${grantId}`, { accountId, grantId }, 1000);
        const make = (model: string, end: () => Promise<unknown>) =>
          records.duringRequest(async () => {
            assert.ok(await records.find(model, `${model} ${grantId}`));
            await end();
            const first = await records.find('Grant', grantId);
            const second = await records.find('Grant', grantId);
            const token = newSecret();
            await records.save('AccessToken', token, { accountId, grantId }, 1000);
            return [first?.accountId, second?.accountId, (await records.find('AccessToken', token))?.accountId];
          });
        assert.deepEqual(await make('AuthorizationCode', async () => {}), [accountId, accountId, accountId]);
        // What is asked for again is read again.
        assert.deepEqual(await make('RefreshToken', () => records.destroy('Grant', grantId)), [accountId, undefined, undefined]);
        assert.equal(await records.find('AuthorizationCode', `AuthorizationCode ${grantId}`), undefined);
        await forget(db, accountId);
      }));

    it('is unreadable in the database', async () => {
      const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
      const { url, checks } = await party.ask(OFFLINE);
      const asked = await browser.go(url);
      const left = redirectTargetOf(await browser.answerForms(asked, person));
      const unused = redirectTargetOf(await browser.go((await party.ask()).url));
      const tokens = await client.authorizationCodeGrant(party.config, left, checks);
      const own = await client.clientCredentialsGrant(party.config);
      const device = await client.initiateDeviceAuthorization(party.config, { scope: 'openid' });
      const pushed = await client.buildAuthorizationUrlWithPAR(party.config, (await party.parameters()).parameters);
      const secrets = [
        left.searchParams.get('code')!,
        unused.searchParams.get('code')!,
        tokens.access_token,
        tokens.refresh_token!,
        own.access_token,
        device.device_code,
        device.user_code,
        device.user_code.replace('-', ''),
        pushed.searchParams.get('request_uri')!.split(':').at(-1)!,
        browser.cookie('gatehouse_session')!.value,
        asked.url.split('/').at(-1)!,
        checks.expectedNonce!,
        checks.expectedState!,
        party.application.secret,
      ] as string[];
      const kept = await rows();
      const models = new Set(kept.map(({ model }) => model));
      for (const model of [
        'Session',
        'Grant',
        'AuthorizationCode',
        'AccessToken',
        'RefreshToken',
        'ClientCredentials',
        'DeviceCode',
      ])
        assert.ok(models.has(model), model);
      const text = JSON.stringify(kept);
      for (const secret of secrets) assert.ok(!text.includes(secret), secret);
      for (const { payload, id } of kept) {
        assert.match(payload, /^v1\.[\w-]{8}\.[\w-]+$/);
        assert.match(id, /^[\w-]{43}$/);
      }
    });

    it('cannot be swapped with another record', async () => {
      const [party, person, victim] = [await RelyingParty.make(api), await makeUser(api), await makeUser(api)];
      const mine = await party.tokensFor(person);
      await party.tokensFor(victim);
      await inDatabase(async (db) => {
        const of = (id: string) =>
          db.read
            .selectFrom('openid_records')
            .selectAll()
            .where('user_id', '=', id)
            .where('model', '=', 'AccessToken')
            .executeTakeFirstOrThrow();
        const [own, theirs] = [await of(person.id), await of(victim.id)];
        await db.write((tx) =>
          tx.updateTable('openid_records').set({ payload: theirs.payload }).where('id', '=', own.id).execute(),
        );
      });
      const answer = await fetch(`${api.url}/openid/userinfo`, { headers: { Authorization: `Bearer ${mine.access_token}` } });
      assert.notEqual(answer.status, 200);
      assert.ok(!(await answer.text()).includes(victim.id));
    });

    it('ends with the user and with the application', async () => {
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      const [other, second] = [await RelyingParty.make(api), await makeUser(api)];
      await party.tokensFor(person, OFFLINE);
      await other.tokensFor(second, OFFLINE);
      const own = async () => (await rows()).filter((row) => row.user_id === person.id).length;
      const ofOther = async () => (await rows()).filter((row) => row.consumer_id === other.application.id).length;
      assert.ok((await own()) > 3 && (await ofOther()) > 2);
      assertOk(await api.delete(`/v3/users/${person.id}`), 204);
      assertOk(await api.delete(`/v3/OS-OAUTH2/consumers/${other.application.id}`), 204);
      assert.deepEqual([await own(), await ofOther()], [0, 0]);
    });

    it('follows a new master key', async () => {
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      const { refresh_token } = await party.tokensFor(person, OFFLINE);
      const before = new Map((await rows()).map(({ id, payload }) => [id, payload]));
      const [oldKey] = api.masterKeys;
      await api.end();
      api.masterKeys = [newMasterKey(), oldKey!];
      await begin();
      // The records that the previous test swapped cannot be opened with any key.
      await inDatabase((db) => db.write((tx) => tx.deleteFrom('openid_records').where('model', '=', 'AccessToken').execute()));
      assert.ok((await api.service.reseal()) > 0);
      for (const { id, payload } of await rows()) assert.notEqual(payload, before.get(id));
      await api.end();
      api.masterKeys = [api.masterKeys[0]!];
      await begin();
      const answer = await refresh(party.application, refresh_token!);
      assert.equal(answer.status, 200, await answer.text());
    });

    it('is given up once, however often that is said at the same moment: so often it counts for the limit of unfinished sign-ins', () =>
      inDatabase(async (db) => {
        const [records, id] = [recordsOn(db), newSecret()];
        await records.save('WalletRequest', id, {}, 60, true);
        const ended = await Promise.all([1, 2, 3, 4].map(() => records.destroy('WalletRequest', id)));
        assert.deepEqual(ended.filter(Boolean), [true], 'only this one is given back');
      }));

    it('does not come back if it was made while the clock was far ahead, but what was used up then stays used', async () => {
      const GIVE = ['Session', 'AccessToken', 'RefreshToken', 'PreAuthorizedCode'];
      const PROOF = 'ReplayDetection';
      await inDatabase(async (db) => {
        const [records, near, far] = [recordsOn(db), newSecret(), newSecret()];
        const found = async (id: string) => Promise.all(GIVE.map(async (model) => (await records.find(model, id)) !== undefined));
        const saveAll = async (id: string) => {
          for (const model of GIVE) await records.save(model, id, {}, DAY);
        };
        await saveAll(near);
        api.clock.advance(10 * DAY);
        await saveAll(far);
        assert.equal(await records.save(PROOF, far, {}, 600, true), true);
        api.clock.advance(-10 * DAY);
        await records.sweep();
        assert.equal(await records.sweepAhead(), GIVE.length);
        assert.deepEqual(await found(near), [true, true, true, true]);
        api.clock.advance(10 * DAY);
        assert.deepEqual(await found(far), [false, false, false, false]);
        assert.equal(await records.save(PROOF, far, {}, 600, true), false, 'a proof of that time is not good again');
        api.clock.advance(-10 * DAY);
      });
    });

    it('is deleted after it expired, in small batches; other records stay', async () => {
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      const { refresh_token } = await party.tokensFor(person, OFFLINE);
      await inDatabase(async (db) => {
        const records = recordsOn(db);
        assert.equal(await records.sweep(), 0, 'nothing has ended');
        api.clock.advance(2 * DAY);
        assert.ok((await records.sweep()) > 0);
        assert.equal(await records.sweep(), 0);
      });
      const left = (await rows()).filter((row) => row.user_id === person.id).map(({ model }) => model);
      assert.deepEqual(left.sort(), ['Consent', 'Grant', 'RefreshToken']);
      assert.equal((await refresh(party.application, refresh_token!)).status, 200);
      api.clock.advance(31 * DAY);
      await inDatabase(async (db) => {
        const records = recordsOn(db);
        while ((await records.sweep()) > 0);
        const forEver = await db.read.selectFrom('openid_records').select('model').where('expires_at', 'is', null).execute();
        assert.deepEqual(forEver, [], 'everything has an end');
      });
      assert.deepEqual(await rows(), []);
    });
  });
}
