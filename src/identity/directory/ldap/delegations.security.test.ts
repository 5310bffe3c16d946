// What people of a directory passed on, or got and passed on, when they have left it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { uniqueName } from '../../../../test/support/api.ts';
import { DirectoryDomain } from '../../../../test/support/directory-domain.ts';
import { exchange, signedV2 } from '../../../../test/support/ec2.ts';
import { databasesInTurn } from '../../../../test/support/migrated-database.ts';
import { makeProgram, useProgram } from '../../../../test/support/programs.ts';
import { dnOf, passwordOf } from '../../../../test/support/slapd.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { makeTrust, trustPerson, trustToken, useTrust } from '../../../../test/support/trusts.ts';

for (const kind of databasesInTurn('Whoever has left a directory')) {
  describe(`Whoever has left a directory (${kind})`, () => {
    const domain = new DirectoryDomain(kind, { slapd: { people: 7 } });
    const { api, slapd } = domain;

    /** Somebody of the directory, with a role in a project of their own. */
    async function member(uid: string) {
      assertOk(await domain.logIn(uid), 201);
      const project = await api.make('project', { name: uniqueName('project') });
      const user = { id: domain.idOf(uid) };
      await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`);
      const password = passwordOf(uid);
      return { user, password, project, token: await api.logIn({ id: user.id, password }, { project: { id: project.id } }) };
    }

    it('is not in the middle of a trust any more, and is again after coming back', async () => {
      const [first, last] = [await trustPerson(api, ['member']), await trustPerson(api)];
      const middle = await member('user1');
      const trust = await makeTrust(api, first, middle, { allow_redelegation: true });
      const trustee = { user: middle.user, project: first.project, token: await trustToken(api, middle, trust) };
      const passedOn = await makeTrust(api, trustee, last);
      assertOk(await useTrust(api, last, passedOn), 201);
      await slapd.leave('user1');
      assert.equal((await useTrust(api, last, passedOn)).status, 403);
      await slapd.comeBack('user1');
      assertOk(await useTrust(api, last, passedOn), 201);
    });

    it('gives nothing by a trust, a program or a key', async () => {
      const [ann, bob] = [await member('user2'), await trustPerson(api)];
      const trust = await makeTrust(api, ann, bob);
      const own = `/v3/users/${ann.user.id}`;
      const program = await makeProgram(api, ann);
      const tenant = { tenant_id: ann.project.id };
      const key = assertOk(await api.post(`${own}/credentials/OS-EC2`, tenant, { token: ann.token }), 201).credential;
      const statuses = async () => [
        (await useTrust(api, bob, trust)).status,
        (await useProgram(api, program)).status,
        (await exchange(api, signedV2(key, api.clock.now()))).status,
      ];
      assert.deepEqual(await statuses(), [201, 201, 200]);
      await slapd.change((client) => client.del(dnOf('user2')));
      assert.deepEqual(await statuses(), [403, 401, 401]);
    });

    it('gives nothing to the first who uses their program or key since, either', async () => {
      const [ann, bob] = [await member('user3'), await member('user4')];
      const program = await makeProgram(api, ann);
      const byProgram = () => useProgram(api, program);
      const tenant = { tenant_id: bob.project.id };
      const key = assertOk(
        await api.post(`/v3/users/${bob.user.id}/credentials/OS-EC2`, tenant, { token: bob.token }),
        201,
      ).credential;
      const byKey = () => exchange(api, signedV2(key, api.clock.now()));
      assertOk(await byProgram(), 201);
      assertOk(await byKey());
      for (const uid of ['user3', 'user4']) await slapd.change((client) => client.del(dnOf(uid)));
      assert.deepEqual([(await byProgram()).status, (await byKey()).status], [401, 401]);
    });

    it('gives nothing to their program, either, with a receipt of their password from before', async () => {
      const { user, token } = await member('user5');
      const program = await makeProgram(api, { user, token });
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { options } }));
      const half = await api.authenticate({ id: user.id, password: passwordOf('user5') });
      const receipt = half.headers.get('openstack-auth-receipt')!;
      assert.ok(receipt);
      const byProgram = () => useProgram(api, program, { headers: { 'Openstack-Auth-Receipt': receipt } });
      assertOk(await byProgram(), 201);
      await slapd.change((client) => client.del(dnOf('user5')));
      assert.equal((await byProgram()).status, 401);
    });

    it('gives nothing to a program whose key was checked before the tokens of its user ended', async () => {
      const { user, token } = await member('user6');
      const program = await makeProgram(api, { user, token });
      const byProgram = () => useProgram(api, program);
      const end = async () => assertOk(await api.delete(`/v3/users/${user.id}/tokens`), 204);
      assert.equal((await whenAt('login.before-token', end, byProgram)).status, 401);
      assertOk(await byProgram(), 201);
    });
  });
}
