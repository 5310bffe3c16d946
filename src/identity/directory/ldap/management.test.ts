// A directory that is connected, changed and ended while the service runs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onEachDatabase, TestApi, uniqueName } from '../../../../test/support/api.ts';
import { ENTRIES, ldapOptions } from '../../../../test/support/directory.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';
import { dnOf, passwordOf, person, READER, Slapd } from '../../../../test/support/slapd.ts';
import { soon } from '../../../../test/support/soon.ts';

type Texts = Readonly<Record<string, string | null>>;

const slapd = new Slapd({ entries: ENTRIES });
before(() => slapd.start());
after(() => slapd.stop());

const settingsPath = (id: string): string => `/v3/OS-SERVICE/domains/${id}/settings`;
const directoryPath = (id: string): string => `/v3/OS-SERVICE/domains/${id}/directory`;
const textsOf = (more: Readonly<Record<string, string>> = {}): Texts =>
  Object.fromEntries(Object.entries(ldapOptions(slapd.url, more)).map(([key, value]) => [`ldap.${key}`, value]));
const CONNECTED = { 'identity.driver': 'ldap' };

const newDomain = async (api: TestApi): Promise<string> => (await api.make('domain', { name: uniqueName('Staff') })).id;
const store = (api: TestApi, id: string, settings: Texts) => api.patch(settingsPath(id), { settings });
const logIn = (api: TestApi, id: string, name: string) => api.authenticate({ name, password: passwordOf(name), domain: { id } });
const namesIn = async (api: TestApi, id: string): Promise<string[]> =>
  assertOk(await api.get(`/v3/users?domain_id=${id}`))
    .users.map(({ name }: { name: string }) => name)
    .sort();
const stateOf = async (api: TestApi, id: string) => assertOk(await api.get(directoryPath(id))).directory;
const readOnce = async (api: TestApi, id: string) => {
  await soon(true, async () => (await stateOf(api, id)).last_reading !== null);
  return stateOf(api, id);
};
const trial = async (api: TestApi, id: string, settings: Texts) =>
  assertOk(await api.post(`${directoryPath(id)}/test`, { test: { settings } })).test;

onEachDatabase('A directory that is connected while the service runs', (api) => {
  it('shows its people, lets them in, and refuses new ones here', async () => {
    const id = await newDomain(api);
    assert.equal((await logIn(api, id, 'alice')).status, 401);
    assertOk(await store(api, id, { ...textsOf(), ...CONNECTED }));
    assert.equal((await logIn(api, id, 'alice')).status, 201);
    assert.ok((await namesIn(api, id)).includes('alice'));
    assertRefused(await api.post('/v3/users', { user: { name: 'new', domain_id: id } }), 403, /LDAP does not support/);
    const state = await readOnce(api, id);
    assert.deepEqual([state.connected, state.operated, state.last_reading.failure], [true, false, null]);
    assert.ok(state.people >= 2 && state.last_reading.people >= 2);
  });

  it('ends with the tokens of its people; the accounts stay', async () => {
    const id = await newDomain(api);
    assertOk(await store(api, id, { ...textsOf(), ...CONNECTED }));
    const token = (await logIn(api, id, 'alice')).headers.get('x-subject-token')!;
    assertOk(await api.get('/v3/auth/projects', { token }));
    assertOk(await store(api, id, { 'identity.driver': null }));
    assertRefused(await api.get('/v3/auth/projects', { token }), 401);
    assert.equal((await logIn(api, id, 'alice')).status, 401);
    assert.ok((await namesIn(api, id)).includes('alice'));
    assert.equal((await stateOf(api, id)).connected, false);
    assertRefused(await api.post(`${directoryPath(id)}/read`, undefined), 409, /has no directory/);
    assertOk(await store(api, id, CONNECTED));
    assert.equal((await logIn(api, id, 'alice')).status, 201);
  });

  it('is read now, and the state says how it went', async () => {
    const id = await newDomain(api);
    assertOk(await store(api, id, { ...textsOf(), ...CONNECTED }));
    await soon(true, async () => (await namesIn(api, id)).includes('alice'));
    const uid = uniqueName('newcomer');
    await slapd.add(dnOf(uid), person(uid));
    assertOk(await api.post(`${directoryPath(id)}/read`, undefined), 202);
    await soon(true, async () => (await namesIn(api, id)).includes(uid));
    assertOk(await store(api, id, { 'ldap.url': 'ldap://127.0.0.1:1', 'ldap.password': READER.password }));
    await soon(true, async () => (await stateOf(api, id)).last_reading.failure !== null);
    assert.match((await stateOf(api, id)).last_reading.failure, /ECONNREFUSED|no server answers/);
    assertRefused(await logIn(api, id, 'alice'), 503);
  });

  it('is away, and not open, when what is stored of it is not valid', async () => {
    const id = await newDomain(api);
    assertRefused(await store(api, id, { ...textsOf({ user_filter: '((x)' }), ...CONNECTED }), 400, /no filter/);
    assertOk(await store(api, id, { ...textsOf({ user_filter: '(sn=alice)' }), ...CONNECTED }));
    assert.equal((await logIn(api, id, 'Zoë, the (first)*')).status, 401);
  });
});

onDatabase('SQLite', 'Trying a directory', {}, (api) => {
  let id: string;
  before(async () => {
    id = await newDomain(api);
  });
  const failedAt = ({ results }: { results: { step: string; ok: boolean }[] }) =>
    results.filter(({ ok }) => !ok).map(({ step }) => step);

  it('shows people and groups as they would appear, and stores nothing', async () => {
    const { results, users, groups } = await trial(api, id, textsOf());
    assert.deepEqual(
      results.map(({ step }: { step: string }) => step),
      ['resolve', 'connect', 'bind', 'user_tree', 'users', 'group_tree', 'groups'],
    );
    assert.deepEqual(failedAt({ results }), []);
    assert.ok(users.length >= 4 && users.length <= 10);
    const alice = users.find(({ name }: { name: string }) => name === 'alice');
    assert.deepEqual([alice.email, alice.local_id, alice.dn], ['alice@example.org', 'alice', dnOf('alice')]);
    assert.ok(groups.some(({ name }: { name: string }) => name === 'outer'));
    assert.equal((await stateOf(api, id)).connected, false);
    assertRefused(await api.get(`/v3/domains/${id}/config`), 404);
  });

  it('says which step failed', async () => {
    for (const [more, steps] of [
      [{ url: 'ldap://no-such-host.invalid' }, ['resolve']],
      [{ url: 'ldap://127.0.0.1:1' }, ['connect']],
      [{ password: 'wrong' }, ['bind']],
      [{ url: slapd.secureUrl }, ['tls']],
      [{ user_tree_dn: 'ou=Nowhere,dc=example,dc=org' }, ['user_tree']],
      [{ user_objectclass: 'device' }, ['users']],
      [{ user_id_attribute: 'employeeNumber' }, ['users']],
      [{ group_tree_dn: 'ou=Nowhere,dc=example,dc=org' }, ['group_tree']],
    ] as const)
      assert.deepEqual(
        failedAt(await trial(api, id, textsOf(more as unknown as Record<string, string>))),
        steps,
        JSON.stringify(more),
      );
    const secure = { url: slapd.secureUrl, tls_cacert: readFileSync(slapd.caFile, 'utf8') };
    assert.deepEqual(failedAt(await trial(api, id, textsOf(secure))), []);
    assert.deepEqual(failedAt(await trial(api, id, textsOf({ ...secure, url: slapd.secureUrlByAddress }))), ['tls']);
    assert.deepEqual(failedAt(await trial(api, id, textsOf({ ...secure, url: slapd.url, use_tls: 'on' }))), []);
    assertRefused(
      await api.post(`${directoryPath(id)}/test`, { test: { settings: textsOf({ page_size: 'x' }) } }),
      400,
      /page_size must be a whole number/,
    );
  });

  it('sends a stored password to no other server, and tells it to nobody', async () => {
    const own = await newDomain(api);
    assertOk(await store(api, own, { ...textsOf(), ...CONNECTED }));
    assert.deepEqual(failedAt(await trial(api, own, {})), []);
    assertRefused(
      await api.post(`${directoryPath(own)}/test`, { test: { settings: { 'ldap.url': 'ldap://127.0.0.1:1' } } }),
      400,
      /the password must be entered again/,
    );
    const answer = await trial(api, own, { 'ldap.password': 'a wrong secret' });
    assert.deepEqual(failedAt(answer), ['bind']);
    for (const seen of [answer, api.logged, await api.get('/v3/OS-AUDIT/events')])
      assert.ok(!/a wrong secret|the reader of the tests/.test(JSON.stringify(seen)));
  });

  it('is for administrators in person', async () => {
    const manager = (await api.persona(['manager'], { domain: id }, { domain_id: id })).token;
    const reader = (await api.persona(['reader'], 'system')).token;
    const body = { test: { settings: {} } };
    const missing = directoryPath('nothing');
    assertOk(await api.get(directoryPath(id), { token: reader }));
    await assertGuarded(api, [manager], [{ method: 'GET', path: directoryPath(id), missing }]);
    await assertGuarded(
      api,
      [manager, reader],
      [
        { method: 'POST', path: `${directoryPath(id)}/test`, missing: `${missing}/test`, body },
        { method: 'POST', path: `${directoryPath(id)}/read`, missing: `${missing}/read` },
      ],
    );
    api.clock.advance(901);
    assertRefused(await api.post(`${directoryPath(id)}/test`, body), 401);
    assertRefused(await api.post(`${directoryPath(id)}/read`, undefined), 401);
  });
});

describe('A directory that is connected at another replica (PostgreSQL)', () => {
  const first = new TestApi('PostgreSQL');
  let second: TestApi;
  before(async () => {
    await first.start();
    second = await first.replica();
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  it('is followed within a second, and so is its end', async () => {
    const id = await newDomain(first);
    assertOk(await store(first, id, { ...textsOf(), ...CONNECTED }));
    await soon(201, async () => (await logIn(second, id, 'alice')).status);
    assertOk(await store(second, id, { 'identity.driver': null }));
    await soon(401, async () => (await logIn(first, id, 'alice')).status);
  });
});
