// A code for a person's token has the login time of that token.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { makePerson } from '../../../../test/support/applications.ts';
import { KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import { databaseOf, KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { createSeal } from '../../../platform/seal/index.ts';

for (const kind of KINDS)
  describe(`A code for a person’s token (${kind})`, () => {
    const api = new RestartableApi(kind);
    after(() => api.remove());

    it('claims no newer login than the person’s, whatever tokens were made of it since', async () => {
      const password = (await api.begin({ GATEHOUSE_IDENTITY_TOKEN_SECONDS: '86400' }))!;
      api.adminToken = await api.logIn({ name: 'admin', password }, { project: { name: 'admin', domain: { id: 'default' } } });
      const [client, person] = [await KeyrockClient.make(api), await makePerson(api)];
      const loggedIn = api.clock.now() / 1000;
      api.clock.advance(3600);
      const identity = { methods: ['token'], token: { id: person.token } };
      const again = await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null });
      assert.equal(again.status, 201, again.text);
      await client.code({ token: again.headers.get('x-subject-token')! });

      const db = await databaseOf(api);
      const rows = await db.read.selectFrom('openid_records').where('model', '=', 'AuthorizationCode').selectAll().execute();
      await db.close();
      assert.equal(rows.length, 1);
      const payload = JSON.parse(createSeal(api.masterKeys).open(rows[0]!.payload, `openid_records/${rows[0]!.id}`).toString());
      assert.ok(Math.abs(payload.authTime - loggedIn) < 600, `${payload.authTime} is not ${loggedIn}`);
    });
  });
