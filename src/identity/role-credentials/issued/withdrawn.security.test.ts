// A wallet from which somebody took its credentials, and which asks for new ones by what it was given before.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { ISSUER, makeType, recordFor, usesIssuedCredentials } from '../../../../test/support/issued-credentials.ts';
import { withdraw } from '../../../../test/support/role-credentials.ts';
import { serviceActor } from '../../ground/audit/index.ts';

const DAY = 86_400;
const UNTIL = Number.MAX_SAFE_INTEGER;
const WITHDRAWN = /revoked or suspended/;

underAttack(
  'A wallet from which its credentials were taken',
  (api) => {
    const { db, on } = usesIssuedCredentials(api);

    /** Somebody with a role in each of these applications, and a type of credentials of each. */
    async function makeWorld(count: number) {
      const [{ user }, manager] = [await makePerson(api), await makePerson(api)];
      const types: string[] = [];
      for (let made = 0; made < count; made++) {
        // The first is the manager's.
        const application = await makeApplication(api, {}, made === 0 ? manager.token : undefined);
        await assign(api, { user, application, role: await makeRole(api, application) });
        types.push(await makeType(db(), application.id, { validity_seconds: 3600 }));
      }
      const authorizationId = uniqueName('authorization');
      const get = async (type: string) => (await recordFor(on, user.id, type, 1, UNTIL, { authorizationId })).ids[0]!;
      return { manager, types, get };
    }
    const revokeAsHolder = (id: string) =>
      on.change(serviceActor, (transaction) => on.issued.revoke(transaction, id, { reason: 'holder' }));

    it('loses by the word of a manager what is of their application, and of no other', async () => {
      const { manager, types, get } = await makeWorld(2);
      const [managed, foreign] = types as [string, string];
      const id = await get(managed);
      await get(foreign);
      await withdraw(api, id, 'revoke', { token: manager.token });
      await assert.rejects(get(managed), WITHDRAWN);
      await get(foreign);
      await revokeAsHolder(await get(foreign));
      for (const type of types) await assert.rejects(get(type), WITHDRAWN, 'by the word of the person, it loses all');
    });

    it('gets nothing by the same authorization, also when what was taken is long over', async () => {
      const worlds = [await makeWorld(1), await makeWorld(1), await makeWorld(1)];
      const ids = await Promise.all(worlds.map(({ types, get }) => get(types[0]!)));
      await revokeAsHolder(ids[0]!);
      await withdraw(api, ids[1]!, 'revoke');
      await withdraw(api, ids[2]!, 'suspend');
      // The credentials have expired; refresh tokens of wallets have not.
      for (const days of [0, 4, 25]) {
        api.clock.advance(days * DAY);
        await on.issued.sweep();
        for (const { types, get } of worlds) await assert.rejects(get(types[0]!), WITHDRAWN, `after ${days} days`);
      }
      api.clock.advance(2 * DAY);
      await on.issued.sweep();
      for (const id of ids) assert.equal(await on.issued.find(id), undefined, 'no authorization is as old as this');
    });
  },
  { settings: { GATEHOUSE_IDENTITY_URL: ISSUER } },
);
