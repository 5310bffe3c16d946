// Attacks by people who manage an application: on others' applications, roles and names.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { assign, assignmentPath, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { askType, makeType, TYPES } from '../../../../test/support/role-credentials.ts';

onUsualDatabase('A manager of an application', (api) => {
  let manager: any;
  let application: any;
  let foreign: any;
  before(async () => {
    manager = await makePerson(api);
    application = await makeApplication(api, {}, manager.token);
    foreign = await makeApplication(api);
  });

  const asManager = () => ({ token: manager.token as string });
  const make = (values: object = {}, token: string = manager.token) => askType(api, application, values, token);
  const made = (values: object = {}, token: string = manager.token) => makeType(api, application, values, token);

  it('makes no type of another application, whether it exists or not', async () => {
    const existing = await make({ application_id: foreign.id });
    const missing = await make({ application_id: 'nothing' });
    assert.deepEqual([existing.status, missing.status], [403, 403]);
    assert.deepEqual(existing.body, missing.body);
  });

  it('adds no roles of another application, at first or later', async () => {
    const role = await makeRole(api, foreign);
    const first = await make({ targets: [foreign.id] });
    const missing = await make({ targets: ['nothing'] });
    assert.deepEqual([first.status, missing.status], [403, 403], 'and learns nothing of those that do not exist');
    assert.deepEqual(first.body, missing.body);
    const { id } = await made();
    for (const values of [{ targets: [foreign.id] }, { targets: [foreign.id], roles: [role.id] }])
      assert.equal((await api.patch(`${TYPES}/${id}`, { credential_type: values }, asManager())).status, 403);
    const guessed = await api.patch(`${TYPES}/${id}`, { credential_type: { roles: [role.id] } }, asManager());
    const unknown = await api.patch(`${TYPES}/${id}`, { credential_type: { roles: ['nothing'] } }, asManager());
    assert.equal(guessed.status, 400);
    assert.equal(guessed.text.replaceAll(role.id, 'X'), unknown.text.replaceAll('nothing', 'X'), 'nor of roles elsewhere');
  });

  it('does not widen what an administrator made with an application of others, but takes that out', async () => {
    const { id } = await made({ targets: [foreign.id], claims: [] }, api.adminToken);
    const change = (values: object) => api.patch(`${TYPES}/${id}`, { credential_type: values }, asManager());
    assert.equal((await change({ claims: ['email'] })).status, 403);
    assert.equal((await change({ claims: ['email'], targets: [] })).status, 200);
    assert.equal((await change({ targets: [foreign.id] })).status, 403);
  });

  it('neither sees nor changes types of others', async () => {
    const { id } = await made({ application_id: foreign.id }, api.adminToken);
    for (const answer of [
      await api.get(`${TYPES}/${id}`, asManager()),
      await api.patch(`${TYPES}/${id}`, { credential_type: { enabled: false } }, asManager()),
      await api.delete(`${TYPES}/${id}`, asManager()),
      await api.get(`${TYPES}/nothing`, asManager()),
      await api.get(`${TYPES}?application_id=${foreign.id}`, asManager()),
    ])
      assert.equal(answer.status, 403, answer.text);
    const { credential_types: listed } = (await api.get(TYPES, asManager())).body;
    assert.ok(listed.every((type: { application_id: string }) => type.application_id === application.id));
    assert.equal((await api.get(`${TYPES}/${id}`)).body.credential_type.enabled, true);
  });

  it('does not take the DID of another application, not even for their own', async () => {
    const path = `/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`;
    assert.equal((await api.put(path, { target: { did: 'did:web:bank.example' } }, asManager())).status, 403);
    assert.equal((await api.delete(path, asManager())).status, 403);
    const update = { consumer: { did: 'did:web:bank.example' } };
    assert.equal((await api.patch(`/v3/OS-OAUTH2/consumers/${application.id}`, update, asManager())).status, 200);
    assert.equal((await api.get(path)).status, 404, 'an attribute of that name says nothing');
  });

  it('does not take the type name of another application', async () => {
    const name = `Operator${Date.now()}`;
    await made({ application_id: foreign.id, type: name }, api.adminToken);
    assert.equal((await make({ type: name })).status, 409);
    const { id } = await made();
    assert.equal((await api.patch(`${TYPES}/${id}`, { credential_type: { type: name } }, asManager())).status, 409);
  });

  it('does not fill the list', async () => {
    const own = await makeApplication(api, {}, manager.token);
    const statuses = [];
    for (let count = 0; count < 21; count++) statuses.push((await make({ application_id: own.id })).status);
    assert.deepEqual([...new Set(statuses.slice(0, 20))], [201]);
    assert.equal(statuses[20], 409);
    assert.equal((await make({ application_id: own.id }, api.adminToken)).status, 201, 'administrators may');
  });

  it('who no longer is one changes nothing', async () => {
    const former = await makePerson(api);
    await assign(api, { ...former, application, role: { id: 'provider' } });
    const { id } = await made({}, former.token);
    await api.delete(assignmentPath({ ...former, application, role: { id: 'provider' } }));
    const change = { credential_type: { enabled: false } };
    assert.equal((await api.patch(`${TYPES}/${id}`, change, { token: former.token })).status, 403);
    assert.equal((await make({}, former.token)).status, 403);
  });

  it('gets no answer with code in it from a type', async () => {
    const { id } = await made({ name: '<script>alert(1)</script>', description: '"><img src=x>' });
    const answer = await api.get(`/openid/credential-types/${id}`, { token: null, headers: { Accept: 'text/html' } });
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  });
});

onDatabase(
  'SQLite',
  'Where only administrators make types',
  { settings: { GATEHOUSE_IDENTITY_CREDENTIAL_TYPE_MAKERS: 'administrators' } },
  (api) => {
    it('managers of applications do not', async () => {
      const manager = await makePerson(api);
      const application = await makeApplication(api, {}, manager.token);
      assert.equal((await askType(api, application, {}, manager.token)).status, 403);
      const { id } = await makeType(api, application);
      assert.equal((await api.patch(`${TYPES}/${id}`, { credential_type: { name: 'x' } }, { token: manager.token })).status, 403);
      assert.deepEqual((await api.get(TYPES, { token: manager.token })).body.credential_types, []);
    });
  },
);
