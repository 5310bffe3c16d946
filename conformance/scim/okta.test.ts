// What Okta sends. Messages are from its "Okta SCIM 2.0 SPEC Test" (the Runscope file from its guide on testing a SCIM API; the tests
// below are named after its steps) and from its reference "Okta and SCIM Version 2.0".
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { onUsualDatabase, uniqueName } from '../../test/support/api.ts';
import { connect, GROUP, hasOnly, isScimError, LIST, type ProvisioningClient, USER } from './client.ts';

// Okta sends a Content-Type also with requests without a body.
const headers = {
  Accept: 'application/scim+json',
  'Accept-Charset': 'utf-8',
  'Content-Type': 'application/scim+json; charset=utf-8',
  'User-Agent': 'OKTA SCIM Integration',
};

function newUser(more: Record<string, unknown> = {}) {
  const name = `${uniqueName('Runscope')}@Atko.example`;
  return {
    schemas: [USER],
    userName: name,
    name: { givenName: 'Runscope', familyName: 'Tester' },
    emails: [{ primary: true, value: name.toLowerCase(), type: 'work' }],
    displayName: 'Runscope Tester',
    active: true,
    ...more,
  };
}

/** Reference, "Create Users": what Okta sends when it provisions. */
const provisioned = () =>
  newUser({ locale: 'en-US', externalId: randomUUID(), groups: [], password: '1mz050nq', timezone: 'America/New_York' });

const valuesOf = (group: { members?: { value: string }[] }) => (group.members ?? []).map(({ value }) => value).sort();

onUsualDatabase('Okta', (api) => {
  let okta: ProvisioningClient;
  let seeded: any;
  before(async () => {
    okta = await connect(api, headers);
    seeded = await okta.make('/Users', newUser());
  });
  const shown = async (path: string) => (await okta.get(path)).body;

  describe('its specification test', () => {
    it('Required Test: Test Users endpoint', async () => {
      const { status, body } = await okta.get('/Users?count=1&startIndex=1');
      assert.equal(status, 200);
      assert.ok(body.schemas.includes(LIST));
      for (const name of ['itemsPerPage', 'startIndex', 'totalResults']) assert.equal(typeof body[name], 'number', name);
      assert.equal(body.Resources.length, 1);
      const [user] = body.Resources;
      assert.ok(user.id && user.name.familyName && user.name.givenName && user.userName && user.emails[0].value);
      assert.equal(typeof user.active, 'boolean');
    });

    it('Required Test: Get Users/{{id}}', async () => {
      const { status, body } = await okta.get(`/Users/${seeded.id}`);
      assert.equal(status, 200);
      assert.equal(body.id, seeded.id);
      assert.ok(body.name.familyName && body.name.givenName && body.userName && body.emails[0].value);
      assert.equal(body.active, true);
    });

    it('Required Test: Test invalid User by username', async () => {
      hasOnly(await okta.find('/Users', `userName eq "${uniqueName('abcdefgh')}@atko.example"`));
    });

    it('Required Test: Test invalid User by ID', async () => {
      isScimError(await okta.get('/Users/010101001010101011001010101011'), 404);
      isScimError(await okta.get('/Users/00919288221112222'), 404);
    });

    it('Required Test: Create Okta user with realistic values, verify it, and expect failure when recreating it', async () => {
      const sent = newUser();
      hasOnly(await okta.find('/Users', `userName eq "${sent.userName}"`));
      // This one request of the test comes as application/json.
      const answer = await okta.request('POST', '/Users', sent, {
        'Content-Type': 'application/json',
        Accept: 'application/scim+json; charset=utf-8',
      });
      assert.equal(answer.status, 201, answer.text);
      const { id, active, name, schemas, userName } = answer.body;
      assert.ok(id);
      assert.deepEqual({ active, name, schemas, userName }, {
        active: true,
        name: sent.name,
        schemas: [USER],
        userName: sent.userName,
      } as object);
      assert.equal((await shown(`/Users/${id}`)).userName, sent.userName);
      hasOnly(await okta.find('/Users', `userName eq "${sent.userName}"`), id);
      isScimError(await okta.post('/Users', sent), 409, 'uniqueness');
    });

    it('Required Test: Username Case Sensitivity Check', async () => {
      hasOnly(await okta.find('/Users', `userName eq "${seeded.userName.toUpperCase()}"`), seeded.id);
      isScimError(await okta.post('/Users', { ...newUser(), userName: seeded.userName.toUpperCase() }), 409, 'uniqueness');
    });

    it('Optional Test: Verify Groups endpoint', async () => {
      const { status, body } = await okta.get('/Groups');
      assert.equal(status, 200);
      assert.ok(Array.isArray(body.Resources));
      assert.equal(typeof body.totalResults, 'number');
    });

    it('Required Test: Check status 401', async () => {
      const asked = `/Users?filter=${encodeURIComponent('userName eq "x"')}`;
      for (const Authorization of ['non-token', 'Bearer non-token', `Bearer ${okta.token}x`])
        isScimError(await okta.get(asked, { Authorization }), 401);
    });
  });

  // Reference, "SCIM User operations".
  describe('its lifecycle of a user', () => {
    it('imports users page by page', async () => {
      for (let made = 0; made < 3; made += 1) await okta.make('/Users', newUser());
      const { totalResults } = (await okta.get('/Users?startIndex=1&count=100')).body;
      const seen = new Set<string>();
      for (let startIndex = 1; startIndex <= totalResults; startIndex += 2) {
        const { body } = await okta.get(`/Users?startIndex=${startIndex}&count=2`);
        assert.equal(body.startIndex, startIndex);
        for (const { id } of body.Resources) seen.add(id);
      }
      assert.equal(seen.size, totalResults);
    });

    it('creates with a password and an empty list of groups; the password is not shown', async () => {
      const sent = provisioned();
      const user = await okta.make('/Users', sent);
      assert.ok(!('password' in user) && !('groups' in user));
      assert.deepEqual([user.locale, user.timezone], ['en-US', 'America/New_York']);
      hasOnly(await okta.find('/Users', `userName eq "${user.userName}"`, 'startIndex=1&count=100&'), user.id);
      const login = await api.authenticate({ id: user.id, password: '1mz050nq' });
      assert.equal(login.status, 201, login.text);
    });

    it('updates the whole profile with PUT, id and meta included', async () => {
      const user = await okta.make('/Users', provisioned());
      const changed = { ...user, name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' }, title: 'Agent' };
      const answer = await okta.put(`/Users/${user.id}`, changed);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body.name, changed.name);
      const now = await shown(`/Users/${user.id}`);
      assert.deepEqual([now.title, now.userName, now.active], ['Agent', user.userName, true]);
    });

    it('deactivates and reactivates without a path', async () => {
      const user = await okta.make('/Users', newUser());
      await okta.patch(`/Users/${user.id}`, { op: 'replace', value: { active: false } });
      assert.equal((await shown(`/Users/${user.id}`)).active, false);
      await okta.patch(`/Users/${user.id}`, { op: 'replace', value: { active: true } });
      assert.equal((await shown(`/Users/${user.id}`)).active, true);
    });

    it('deactivates with PUT', async () => {
      const user = await okta.make('/Users', newUser());
      assert.equal((await okta.put(`/Users/${user.id}`, { ...user, active: false })).body.active, false);
    });

    it('pushes a new password', async () => {
      const user = await okta.make('/Users', provisioned());
      await okta.patch(`/Users/${user.id}`, { op: 'replace', value: { password: 'a new one, pushed' } });
      assert.equal((await api.authenticate({ id: user.id, password: '1mz050nq' })).status, 401);
      assert.equal((await api.authenticate({ id: user.id, password: 'a new one, pushed' })).status, 201);
    });
  });

  // Reference, "SCIM Group operations": group push.
  describe('its group push', () => {
    const newGroup = () => ({ schemas: [GROUP], displayName: uniqueName('Test SCIMv2'), members: [] as unknown[] });

    it('creates a group without members and finds it by name', async () => {
      const group = await okta.make('/Groups', newGroup());
      hasOnly(await okta.find('/Groups', `displayName eq "${group.displayName}"`, 'startIndex=1&count=100&'), group.id);
    });

    it('renames with the id repeated in the value', async () => {
      const { id } = await okta.make('/Groups', newGroup());
      const displayName = uniqueName('Test SCIMv2 renamed');
      await okta.patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName } });
      const group = await shown(`/Groups/${id}`);
      assert.deepEqual([group.id, group.displayName], [id, displayName]);
    });

    it('adds a member, removes one by a filter, and replaces them all', async () => {
      const users = [await okta.make('/Users', newUser()), await okta.make('/Users', newUser())];
      const [one, two] = users.map(({ id, userName }) => ({ value: id as string, display: userName as string }));
      const { id } = await okta.make('/Groups', newGroup());
      await okta.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [one] });
      assert.deepEqual(valuesOf(await shown(`/Groups/${id}`)), [one!.value]);
      await okta.patch(
        `/Groups/${id}`,
        { op: 'remove', path: `members[value eq "${one!.value}"]` },
        { op: 'add', path: 'members', value: [two] },
      );
      assert.deepEqual(valuesOf(await shown(`/Groups/${id}`)), [two!.value]);
      await okta.patch(`/Groups/${id}`, { op: 'replace', path: 'members', value: [one, two] });
      assert.deepEqual(valuesOf(await shown(`/Groups/${id}`)), [one!.value, two!.value].sort());
      await okta.patch(`/Groups/${id}`, { op: 'replace', path: 'members', value: [] });
      assert.deepEqual(valuesOf(await shown(`/Groups/${id}`)), []);
    });

    it('updates with PUT, as integrations of the catalog do', async () => {
      const user = await okta.make('/Users', newUser());
      const group = await okta.make('/Groups', newGroup());
      const sent = {
        ...group,
        displayName: uniqueName('Test SCIMv2 put'),
        members: [{ value: user.id, display: user.userName }],
      };
      const answer = await okta.put(`/Groups/${group.id}`, sent);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.body.displayName, ...valuesOf(answer.body)], [sent.displayName, user.id]);
    });

    it('deletes', async () => {
      const { id } = await okta.make('/Groups', newGroup());
      assert.equal((await okta.delete(`/Groups/${id}`)).status, 204);
      isScimError(await okta.get(`/Groups/${id}`), 404);
    });
  });
});
