// Who sees which audit events, and what of them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';

interface EventJson {
  readonly id: string;
  readonly action: string;
  readonly actor_id: string | null;
  readonly target_id: string;
  readonly domain_id: string | null;
  readonly application_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly by_other?: boolean;
}

const EVENTS = '/v3/OS-AUDIT/events';

onUsualDatabase('Audit events', (api) => {
  const list = async (token: string, query = ''): Promise<EventJson[]> =>
    assertOk(await api.get(`${EVENTS}${query}`, { token })).events;

  it('name only what the reader may see', async () => {
    const [mine, other] = [
      await api.make('domain', { name: uniqueName('domain') }),
      await api.make('domain', { name: uniqueName('domain') }),
    ];
    const { token } = await api.persona(['manager', 'reader'], { domain: mine.id }, { domain_id: mine.id });
    const own = await api.make('user', { name: uniqueName('own'), domain_id: mine.id });
    const stranger = await api.make('user', { name: uniqueName('stranger'), domain_id: other.id });
    const group = await api.make('group', { name: uniqueName('group'), domain_id: mine.id });
    for (const { id } of [own, stranger]) await api.put(`/v3/groups/${group.id}/users/${id}`);
    const application = await makeApplication(api);
    const role = await makeRole(api, application);
    const organization = await api.make('project', { name: uniqueName('project'), domain_id: mine.id });
    await api.put(`/v3/projects/${organization.id}/users/${own.id}/roles/${await api.roleId('member')}`);
    await assign(api, { user: own, organization, application, role });

    const { names } = assertOk(await api.get(`${EVENTS}?include_names&limit=200`, { token }));
    assert.equal(names.user[own.id], own.name);
    assert.deepEqual(names.group, { [group.id]: group.name });
    assert.equal(names.project[organization.id], organization.name);
    assert.deepEqual(names.domain, { [mine.id]: mine.name });
    assert.equal(names.user[stranger.id], undefined, 'somebody of another domain');
    assert.ok(!Object.values(names.user).includes('admin'), 'an administrator of another domain');
    assert.deepEqual([names.consumer, names.app_role], [undefined, undefined], 'an application that they do not manage');

    const { user, password } = await makeUser(api);
    await api.patch(`/v3/users/${user.id}`, { user: { description: 'x' } });
    const self = await api.logIn({ id: user.id, password });
    const answer = assertOk(await api.get(`${EVENTS}?include_names`, { token: self }));
    assert.deepEqual(answer.names, { user: { [user.id]: user.name } }, 'not who changed their account');
  });

  it('of a domain are what its manager sees, also of what was deleted, and with no filter more', async () => {
    const [mine, other] = [
      await api.make('domain', { name: uniqueName('domain') }),
      await api.make('domain', { name: uniqueName('domain') }),
    ];
    const { token, user: manager } = await api.persona(['manager'], { domain: mine.id }, { domain_id: mine.id });
    const things: Record<string, string[]> = { [mine.id]: [], [other.id]: [] };
    for (const { id: domain_id } of [mine, other]) {
      const user = await api.make('user', { name: uniqueName('user'), domain_id, password: 'a password of a test' });
      const group = await api.make('group', { name: uniqueName('group'), domain_id });
      const project = await api.make('project', { name: uniqueName('project'), domain_id });
      await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`);
      await api.authenticate({ id: user.id, password: 'wrong' });
      for (const [kind, { id }] of Object.entries({ users: user, groups: group, projects: project }))
        assert.equal((await api.delete(`/v3/${kind}/${id}`)).status, 204);
      things[domain_id]!.push(user.id, group.id, project.id);
    }
    const seen = await list(token);
    assert.ok(seen.every(({ domain_id }) => domain_id === mine.id));
    for (const id of things[mine.id]!)
      assert.deepEqual(
        ['created', 'deleted'].filter((verb) => seen.some((one) => one.target_id === id && one.action.endsWith(verb))),
        ['created', 'deleted'],
      );
    assert.ok(seen.some(({ action, actor_id }) => action === 'grant.created' && actor_id !== manager.id));
    const [elsewhere] = things[other.id]!;
    const everywhere = await list(api.adminToken, `?target_id=${elsewhere}`);
    for (const query of [
      `?user_id=${elsewhere}`,
      `?target_id=${elsewhere}`,
      `?domain_id=${other.id}`,
      `?target_id=${elsewhere}&domain_id=${other.id}&outcome=failure`,
    ])
      assert.deepEqual(await list(token, query), [], query);
    assert.ok((await list(token, '?action=user.*&target_type=user')).every(({ domain_id }) => domain_id === mine.id));
    const marker = await api.get(`${EVENTS}?marker=${everywhere[0]!.id}`, { token });
    assert.equal(marker.status, 400, 'an event of another domain is no place in the list');
    const csv = await fetch(`${api.url}${EVENTS}?format=ndjson`, { headers: { 'X-Auth-Token': token } });
    const lines = (await csv.text())
      .trimEnd()
      .split('\n')
      .map((line): EventJson => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ id }) => id),
      (await list(token)).map(({ id }) => id),
    );
  });

  it('of a domain: an administrator with a token for the domain sees no other, a member only their own', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const within = { domain_id: domain.id };
    const admin = await api.persona(['admin'], { domain: domain.id }, within);
    assert.ok((await list(admin.token)).every(({ domain_id }) => domain_id === domain.id));
    for (const role of ['member', 'reader']) {
      const { token, user } = await api.persona([role], { domain: domain.id }, within);
      assert.ok(
        (await list(token)).every(({ target_id }) => target_id === user.id),
        role,
      );
      assert.equal((await api.get('/v3/OS-AUDIT/counts', { token })).status, 403);
    }
    const reader = await api.persona(['reader'], 'system');
    const read = await list(reader.token);
    assert.ok(read.some(({ domain_id }) => domain_id === domain.id));
    assert.ok((await list(api.adminToken)).some(({ detail }) => detail.address !== undefined));
    const places = read.filter(({ detail }) => detail.address !== undefined || detail.user_agent !== undefined);
    assert.deepEqual(places, [], 'a reader does not learn where people are');
  });

  it('about oneself are without who did it and from where, unless it was oneself', async () => {
    const { user, password } = await makeUser(api);
    await api.authenticate({ id: user.id, password: 'wrong' });
    await api.patch(`/v3/users/${user.id}`, { user: { description: 'a secret of administrators' } });
    const token = await api.logIn({ id: user.id, password });
    const events = await list(token);
    assert.deepEqual(
      events.map(({ action }) => action),
      ['user.logged_in', 'user.updated', 'user.login_refused', 'user.created'],
    );
    const [login, updated, refused] = events;
    assert.deepEqual([updated!.actor_id, updated!.by_other, updated!.detail], [null, true, {}]);
    assert.equal(login!.detail.address, '127.0.0.1');
    assert.deepEqual([refused!.detail.address, refused!.detail.reason], ['127.0.0.1', undefined]);
    const [change] = await list(api.adminToken, `?target_id=${user.id}&action=user.updated`);
    const admin = change!.actor_id;
    assert.ok(admin);
    for (const query of [
      `?user_id=${admin}`,
      `?actor_id=${admin}`,
      `?actor_id=${admin}&user_id=${user.id}`,
      `?actor_id=${admin}&target_id=${user.id}`,
      '?action=token_key.*',
      '?outcome=failure&action=group.*',
    ])
      assert.deepEqual(await list(token, query), [], query);
    assert.equal((await list(token, `?user_id=${user.id}`)).length, events.length);
    assert.deepEqual(
      (await list(token, `?actor_id=${user.id}`)).map(({ action }) => action),
      ['user.logged_in'],
    );
  });

  it('of an application are seen by who manages it, without where people were', async () => {
    const [owner, person] = [await makePerson(api), await makePerson(api)];
    const application = await makeApplication(api, {}, owner.token);
    const other = await makeApplication(api);
    const role = await makeRole(api, application, {}, owner.token);
    await assign(api, { user: person.user, organization: person.organization, application, role });
    await assign(api, {
      user: person.user,
      organization: person.organization,
      application: other,
      role: await makeRole(api, other),
    });
    const seen = await list(owner.token, `?application_id=${application.id}`);
    const actions = seen.map(({ action }) => action);
    for (const action of ['consumer.created', 'app_role.created', 'app_role.assigned'])
      assert.ok(actions.includes(action), action);
    assert.ok(seen.every(({ detail }) => detail.address === undefined && detail.user_agent === undefined));
    assert.deepEqual(await list(owner.token, `?application_id=${other.id}`), []);
    const everything = await list(owner.token);
    assert.ok(everything.every((one) => one.application_id === application.id || one.target_id === owner.user.id));
    assert.ok(!(await list(person.token)).some(({ application_id }) => application_id === application.id));
    assert.equal((await api.delete(`/v3/OS-OAUTH2/consumers/${application.id}`, { token: owner.token })).status, 204);
    assert.deepEqual(await list(owner.token, `?application_id=${application.id}`), [], 'nobody manages it any more');
  });

  it('are not shown to an application that acts for a person, nor without a token', async () => {
    const [client, person] = [await KeyrockClient.make(api), await makePerson(api)];
    const { access_token } = await client.tokens(person);
    const answer = await logInByAccessToken(api, access_token);
    assert.equal(answer.status, 201, answer.text);
    const token = answer.headers.get('x-subject-token')!;
    assert.equal((await api.get(EVENTS, { token })).status, 403);
    assert.equal((await api.get(EVENTS, { token: null })).status, 401);
  });

  it('are not shown after a manager has lost the role, nor changed by anybody', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const { token, user } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
    assertOk(await api.get(EVENTS, { token }));
    await api.delete(`/v3/domains/${domain.id}/users/${user.id}/roles/${await api.roleId('manager')}`);
    assert.equal((await api.get(EVENTS, { token })).status, 401);
    const [event] = await list(api.adminToken, '?limit=1');
    for (const method of ['DELETE', 'PATCH', 'PUT', 'POST'])
      assert.ok((await api.request(method, `${EVENTS}/${event!.id}`)).status >= 404, method);
    assert.equal((await api.delete(EVENTS)).status, 405);
  });

  it('are found by no text that is made for a database', async () => {
    for (const value of ["' or 1=1 --", '%', '_', '\u0000', 'a'.repeat(5000)])
      for (const name of [
        'user_id',
        'actor_id',
        'target_id',
        'target_type',
        'domain_id',
        'application_id',
        'action',
        'after',
        'marker',
      ]) {
        const { status, body } = await api.get(`${EVENTS}?${new URLSearchParams({ [name]: value })}`);
        assert.ok(status === 400 || (status === 200 && body.events.length === 0), `${name} ${value}: ${status}`);
      }
  });
});
