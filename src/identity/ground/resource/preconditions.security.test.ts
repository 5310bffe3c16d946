import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { makeNouns } from '../../../../test/support/nouns.ts';
import { allNouns } from '../../nouns.ts';

/** A thing that two people edit: where it is, its envelope, and a change of it. */
interface Thing {
  readonly path: string;
  readonly envelope: string;
  readonly field: string;
}

const etagOf = (answer: ApiAnswer): string => {
  const etag = answer.headers.get('etag');
  assert.match(etag ?? 'none', /^"[\w-]{22}"$/);
  return etag!;
};

async function makeThings(api: TestApi): Promise<Record<string, Thing>> {
  const name = () => uniqueName('edited');
  const nouns = await makeNouns(async (method, path, body) => assertOk(await api.request(method, path, { body }), 201), name);
  const { consumer } = assertOk(await api.post('/v3/OS-OAUTH2/consumers', { consumer: { name: name() } }));
  const part = { application_id: consumer.id };
  const { role } = assertOk(await api.post('/v3/OS-ROLES/roles', { role: { name: name(), ...part } }));
  const { permission } = assertOk(await api.post('/v3/OS-ROLES/permissions', { permission: { name: name(), ...part } }));
  const type = { id: uniqueName('edited').toLowerCase(), name: name(), ...part };
  assertOk(await api.post('/v3/OS-ROLE-CREDENTIALS/types', { credential_type: type }), 201);
  const base = async (kind: 'user' | 'group' | 'project' | 'domain' | 'role', more = {}): Promise<Thing> => {
    const { id } = await api.make(kind, { name: name(), ...more });
    return { path: `/v3/${kind}s/${id}`, envelope: kind, field: 'description' };
  };
  return {
    user: await base('user'),
    group: await base('group'),
    project: await base('project'),
    domain: await base('domain', { enabled: false }),
    role: await base('role'),
    app_role: { path: `/v3/OS-ROLES/roles/${role.id}`, envelope: 'role', field: 'name' },
    permission: { path: `/v3/OS-ROLES/permissions/${permission.id}`, envelope: 'permission', field: 'name' },
    credential_type: {
      path: `/v3/OS-ROLE-CREDENTIALS/types/${type.id}`,
      envelope: 'credential_type',
      field: 'description',
    },
    consumer: { path: `/v3/OS-OAUTH2/consumers/${consumer.id}`, envelope: 'consumer', field: 'description' },
    ...Object.fromEntries(
      // One that refers to another goes before it.
      allNouns
        .toReversed()
        .filter(({ isVersioned }) => isVersioned)
        .map(({ one, path }) => [one, { path: `${path}/${nouns[one].id}`, envelope: one, field: 'description' }]),
    ),
  };
}

underAttack('If-Match', (api) => {
  let things: Record<string, Thing>;
  before(async () => {
    things = await makeThings(api);
  });

  const change = ({ path, envelope, field }: Thing, value: string, etag?: string) =>
    api.patch(path, { [envelope]: { [field]: value } }, etag === undefined ? {} : { headers: { 'If-Match': etag } });
  const makeUser = async (): Promise<Thing> => {
    const { id } = await api.make('user', { name: uniqueName('edited'), password: 'a password of a test' });
    return { path: `/v3/users/${id}`, envelope: 'user', field: 'description' };
  };

  it('lets the first of two people change each kind of thing, tells the second, and changes nothing for them', async () => {
    for (const [kind, thing] of Object.entries(things)) {
      const seen = etagOf(await api.get(thing.path));
      assert.equal(etagOf(await api.get(thing.path)), seen, kind);
      const first = await change(thing, uniqueName('first'), seen);
      assertOk(first);
      assert.notEqual(etagOf(first), seen, kind);
      assertRefused(await change(thing, uniqueName('second'), seen), 412, /changed since.*Read it again/);
      const now = await api.get(thing.path);
      assert.match(now.body[thing.envelope][thing.field], /^first/);
      assert.equal(etagOf(now), etagOf(first), kind);
      assertOk(await change(thing, uniqueName('third'), etagOf(now)));
      assertOk(await change(thing, uniqueName('fourth')));
    }
  });

  it('does not delete what was changed since it was read', async () => {
    for (const thing of Object.values(await makeThings(api))) {
      const stale = etagOf(await api.get(thing.path));
      assertOk(await change(thing, uniqueName('changed')));
      assertRefused(await api.delete(thing.path, { headers: { 'If-Match': stale } }), 412);
      const now = etagOf(await api.get(thing.path));
      assertOk(await api.delete(thing.path, { headers: { 'If-Match': now } }), 204);
      assertRefused(await change(thing, 'gone', now), 404);
    }
  });

  it('decides in the transaction: of many changes at once with one ETag exactly one is made', async () => {
    for (const kind of ['user', 'project', 'consumer', 'region']) {
      const thing = things[kind]!;
      const seen = etagOf(await api.get(thing.path));
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => change(thing, `${kind} ${at}`, seen)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)], kind);
      const winner = answers.findIndex(({ status }) => status === 200);
      assert.equal((await api.get(thing.path)).body[thing.envelope][thing.field], `${kind} ${winner}`);
    }
  });

  it('counts the tags of a project, and nothing that nobody edited', async () => {
    const { path } = things.project!;
    const seen = etagOf(await api.get(path));
    assertOk(await api.put(`${path}/tags/blue`), 201);
    assert.notEqual(etagOf(await api.get(path)), seen);
    assertRefused(await change(things.project!, 'stale', seen), 412);

    const user = await makeUser();
    const before = etagOf(await api.get(user.path));
    await api.logIn({ id: user.path.split('/').at(-1)!, password: 'a password of a test' });
    assertOk(await api.patch(user.path, { user: { password: 'another password of a test' } }));
    assert.equal(etagOf(await api.get(user.path)), before, 'a login and a password do not show in what is edited');

    const { path: application } = things.consumer!;
    const registered = etagOf(await api.get(application));
    assertOk(await api.post(`${application}/secret`, { grace_seconds: 600 }));
    assert.equal(etagOf(await api.get(application)), registered, 'nor do secrets');
  });

  it('reads lists, weak ETags and *, and takes anything else for another version', async () => {
    const user = await makeUser();
    const etag = async () => etagOf(await api.get(user.path));
    assertOk(await change(user, 'one', `"other", ${await etag()}`));
    assertOk(await change(user, 'two', `W/${await etag()}`));
    assertOk(await change(user, 'three', '*'));
    for (const nonsense of ['', 'x', '""', (await etag()).slice(1, -1), `${await etag()} x`, '"', `"${'a,"'.repeat(2000)}`])
      assertRefused(await change(user, 'four', nonsense), 412);
    assert.equal((await api.get(user.path)).body.user.description, 'three');
  });

  it('tells nobody about things they may not change', async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const { token } = await api.persona(['member'], { project: project.id });
    for (const { path, envelope } of Object.values(things))
      for (const etag of ['*', '"guess"', etagOf(await api.get(path))]) {
        const options = { headers: { 'If-Match': etag } };
        await assertForbidden(api, [token], 'PATCH', path, { ...options, body: { [envelope]: { description: 'x' } } });
        await assertForbidden(api, [token], 'DELETE', path, options);
      }
  });
});
