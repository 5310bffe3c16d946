// What can act for a person, seen and ended by those who look after the account, and by nobody else.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { intrude, intrudedPerson } from '../../../../test/support/intruder.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const pathOf = ({ id }: { readonly id: string }): string => `/v3/users/${id}/OS-DELEGATED/access`;

interface Item {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  readonly project: string | null;
}

underAttack('What can act for a person, by API', (api) => {
  const list = async (user: { readonly id: string }, token?: string): Promise<Item[]> =>
    assertOk(await api.get(pathOf(user), token === undefined ? {} : { token })).delegated_access;

  it('is listed without secrets, ends one by one with its tokens, and is in the audit log', async () => {
    const person = await intrudedPerson(api);
    const planted = await intrude(api, person);
    const ofProgram = await planted.programToken();
    const answer = await api.get(pathOf(person.user));
    const items: Item[] = assertOk(answer).delegated_access;
    assert.deepEqual(items.map(({ kind }) => kind).toSorted(), ['application_credential', 'key', 'key', 'oauth1', 'trust']);
    assert.equal(answer.body.has_more, false);
    for (const secret of [planted.program.secret, planted.key.secret]) assert.ok(!answer.text.includes(secret));
    const program = items.find(({ kind }) => kind === 'application_credential')!;
    assert.deepEqual([program.name, program.project], [planted.program.name, person.project.name]);
    for (const [at, { kind, id }] of items.entries()) {
      const path = `${pathOf(person.user)}/${kind}/${id}`;
      assertOk(await api.delete(path), 204);
      assertRefused(await api.delete(path), 404, /delegated access/);
      assert.equal((await planted.working()).length, items.length - at - 1);
    }
    assert.equal((await api.get(`/v3/users/${person.user.id}`, { token: ofProgram })).status, 401);
    const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?user_id=${person.user.id}&action=trust.deleted`));
    assert.notEqual(events[0].actor_id, person.user.id);
    assert.equal((await api.delete(`${pathOf(person.user)}/nothing/x`)).status, 400);
    assert.equal((await api.delete(`${pathOf(person.user)}/__proto__/x`)).status, 400);
  });

  it('ends at once, with sessions and tokens', async () => {
    const person = await intrudedPerson(api);
    const planted = await intrude(api, person);
    assertOk(await api.delete(pathOf(person.user)), 204);
    assert.deepEqual(await planted.working(), []);
    assert.deepEqual(await list(person.user), []);
    assert.equal((await api.get(`/v3/users/${person.user.id}`, { token: person.token })).status, 401);
    const again = await api.logIn({ id: person.user.id, password: person.password });
    assert.deepEqual(await list(person.user, again), [], 'the person signs in as before');
  });

  it('is not for strangers, for programs of the person, or for managers of other domains', async () => {
    const person = await intrudedPerson(api);
    const planted = await intrude(api, person);
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const within = { domain_id: domain.id };
    const strangers = [
      (await api.persona(['manager', 'reader'], { domain: domain.id }, within)).token,
      (await api.persona(['member'], { domain: domain.id }, within)).token,
      (await api.persona(['reader'], 'system')).token,
      (await api.persona(['reader'], { domain: 'default' })).token,
      await planted.programToken(),
    ];
    const [{ kind, id } = assert.fail()] = await list(person.user);
    for (const token of strangers) {
      assertRefused(await api.get(pathOf(person.user), { token }), 403);
      assertRefused(await api.delete(pathOf(person.user), { token }), 403);
      assertRefused(await api.delete(`${pathOf(person.user)}/${kind}/${id}`, { token }), 403);
    }
    assertRefused(await api.get(pathOf(person.user), { token: null }), 401);
    assertRefused(await api.delete(pathOf(person.user), { token: null }), 401);
    assert.deepEqual(await planted.working(), planted.all);
  });

  it('is ended by a manager for people of the domain, not for those with more rights, and not for another by its id', async () => {
    const manager = await api.persona(['manager', 'reader'], { domain: 'default' });
    const [person, admin] = [
      await api.make('user', { name: uniqueName('p'), password: 'a password of a test' }),
      await intrudedPerson(api),
    ];
    await intrude(api, admin);
    // By role `admin`, this person has more rights than a manager.
    assertRefused(await api.get(pathOf(admin.user), { token: manager.token }), 403);
    assertRefused(await api.delete(pathOf(admin.user), { token: manager.token }), 403);
    const theirs = await list(admin.user);
    for (const { kind, id } of theirs) {
      assertRefused(await api.delete(`${pathOf(admin.user)}/${kind}/${id}`, { token: manager.token }), 403);
      assertRefused(await api.delete(`${pathOf(person)}/${kind}/${id}`, { token: manager.token }), 404, /delegated access/);
    }
    assert.equal((await list(admin.user)).length, theirs.length);

    const project = await api.make('project', { name: uniqueName('project') });
    await api.put(`/v3/projects/${project.id}/users/${person.id}/roles/${await api.roleId('member')}`);
    const own = await api.logIn({ id: person.id, password: 'a password of a test' }, { project: { id: project.id } });
    const body = { application_credential: { name: uniqueName('program') } };
    assertOk(await api.post(`/v3/users/${person.id}/application_credentials`, body, { token: own }), 201);
    const [item = assert.fail()] = await list(person, manager.token);
    assertOk(await api.delete(`${pathOf(person)}/${item.kind}/${item.id}`, { token: manager.token }), 204);
    assert.deepEqual(await list(person, own), []);
  });

  it('is not ended by an old login of the person: among it are keys of codes', async () => {
    const person = await intrudedPerson(api);
    const planted = await intrude(api, person);
    const theirs = await list(person.user);
    api.clock.advance(901);
    const { token } = person;
    assert.equal((await list(person.user, token)).length, theirs.length);
    for (const { kind, id } of theirs) assertRefused(await api.delete(`${pathOf(person.user)}/${kind}/${id}`, { token }), 401);
    assertRefused(await api.delete(pathOf(person.user), { token }), 401);
    assert.equal((await list(person.user, token)).length, theirs.length);
    const again = await api.logIn({ id: person.user.id, password: person.password });
    assertOk(await api.delete(pathOf(person.user), { token: again }), 204);
    assert.deepEqual(await planted.working(), []);
  });

  it('is checked again when it ends', async () => {
    const manager = await api.persona(['manager', 'reader'], { domain: 'default' });
    const person = await api.make('user', { name: uniqueName('p'), password: 'a password of a test' });
    const project = await api.make('project', { name: uniqueName('project') });
    await api.put(`/v3/projects/${project.id}/users/${person.id}/roles/${await api.roleId('member')}`);
    const own = await api.logIn({ id: person.id, password: 'a password of a test' }, { project: { id: project.id } });
    const body = { application_credential: { name: uniqueName('program') } };
    assertOk(await api.post(`/v3/users/${person.id}/application_credentials`, body, { token: own }), 201);
    const [item = assert.fail()] = await list(person, manager.token);
    // They become an administrator while the request is on its way.
    const admin = await api.roleId('admin');
    const answer = await whenAt(
      'change.before-transaction',
      async () => assertOk(await api.put(`/v3/domains/default/users/${person.id}/roles/${admin}`), 204),
      () => api.delete(`${pathOf(person)}/${item.kind}/${item.id}`, { token: manager.token }),
    );
    assertRefused(answer, 403);
    assert.deepEqual(
      (await list(person)).map(({ id }) => id),
      [item.id],
    );
  });
});
