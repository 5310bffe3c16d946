import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { assertOk, isAlive } from '../../../../test/support/answers.ts';
import { uniqueName } from '../../../../test/support/api.ts';
import { TestKeystone } from '../../../../test/support/keystone-tokens.ts';
import { databaseOf, KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { createChanges, serviceActor } from '../../ground/audit/index.ts';
import { createRevocations } from '../tokens/index.ts';
import { createRevocationTakeOver, type KeystoneRevocation, type TakenRevocations } from './taken-over.rules.ts';

const NOTHING = {
  audit_id: null,
  audit_chain_id: null,
  user_id: null,
  project_id: null,
  domain_id: null,
  role_id: null,
  trust_id: null,
  consumer_id: null,
  access_token_id: null,
};

for (const kind of KINDS)
  describe(`Revocations of a Keystone (${kind})`, () => {
    const api = new RestartableApi(kind);
    const keystone = new TestKeystone(() => api.clock.now());
    const settings = { GATEHOUSE_IDENTITY_KEYSTONE_FERNET_KEYS: keystone.fernetKeys };
    after(async () => {
      await api.remove();
      keystone.remove();
    });

    /** Twice, as when an import is repeated. */
    async function takeOver(...events: readonly Partial<KeystoneRevocation>[]): Promise<TakenRevocations[]> {
      const db = await databaseOf(api);
      const { clock } = api;
      const change = createChanges(db, clock);
      const revocations = createRevocations({ db, change, clock, tokenSeconds: 3600, allowExpiredSeconds: 60 });
      const take = createRevocationTakeOver({ revocations, clock });
      const rows = events.map((event) => ({ ...NOTHING, issued_before: clock.now(), ...event }));
      const once = () => change(serviceActor, (transaction) => take(transaction, rows));
      const counts = [await once(), await once()];
      await db.close();
      return counts;
    }

    it('end here what they ended there, and nothing else', async () => {
      const password = (await api.begin(settings))!;
      api.adminToken = await api.logIn({ name: 'admin', password }, { project: { name: 'admin', domain: { id: 'default' } } });
      const [domain, closed] = [
        await api.make('domain', { name: uniqueName('domain') }),
        await api.make('domain', { name: uniqueName('domain') }),
      ];
      const project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
      const person = ({ id }: { id: string }) => api.make('user', { name: uniqueName('user'), domain_id: id });
      const [ann, bob, eve] = [await person(domain), await person(domain), await person(closed)];
      assertOk(await api.put(`/v3/projects/${project.id}/users/${bob.id}/roles/${await api.roleId('member')}`), 204);
      const id = (bytes: Buffer): string => bytes.toString('base64url');
      const [single, head, child] = [randomBytes(16), randomBytes(16), randomBytes(16)];
      const ended = {
        'one token': keystone.unscoped(bob.id, { auditIds: [single] }),
        'a chain': keystone.unscoped(bob.id, { auditIds: [child, head] }),
        'the first of a chain': keystone.unscoped(bob.id, { auditIds: [head] }),
        'a user': keystone.unscoped(ann.id),
        'a project': keystone.ofProject(bob.id, project.id),
        'a domain': keystone.unscoped(eve.id),
      };
      const other = keystone.unscoped(bob.id);
      for (const text of [...Object.values(ended), other]) assert.ok(await isAlive(api, text));
      await api.end();

      const counts = await takeOver(
        { audit_id: id(single) },
        { audit_chain_id: id(head) },
        { user_id: ann.id },
        { project_id: project.id },
        { domain_id: closed.id },
        { user_id: bob.id, project_id: project.id },
        { role_id: 'a role' },
        { trust_id: 'a trust' },
        { user_id: randomBytes(16).toString('hex') },
      );
      for (const one of counts) assert.deepEqual(one, { taken: 5, live: 3, unknown: 1 });
      await api.begin(settings);
      for (const [what, text] of Object.entries(ended)) assert.ok(!(await isAlive(api, text)), what);
      assert.ok(await isAlive(api, other));
      // By Keystone's clock alone: the next second is later.
      assert.ok(await isAlive(api, keystone.unscoped(ann.id, { issuedAt: Math.ceil(api.clock.now() / 1000) })));
    });
  });
