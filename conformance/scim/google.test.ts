// What Google's auto-provisioning sends. The help of Google Workspace on automated user provisioning describes the flow (create, update,
// suspend, delete later) and the mapping of attributes, but not the messages. These are from RFC 7644, with the attributes that can be
// mapped. Values have no `type` unless the mapping names one.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onUsualDatabase, uniqueName } from '../../test/support/api.ts';
import { connect, ENTERPRISE, hasOnly, isScimError, type ProvisioningClient, USER } from './client.ts';

let accounts = 0;
/** Google's account ids: 21 digits. */
const accountId = (): string => String(100_000_000_000 + ++accounts).padStart(21, '1');

function newUser(more: Record<string, unknown> = {}) {
  const name = `${uniqueName('liz')}@example.com`;
  return {
    schemas: [USER, ENTERPRISE],
    externalId: accountId(),
    userName: name,
    name: { givenName: 'Elizabeth', familyName: 'Smith', formatted: 'Elizabeth Smith' },
    displayName: 'Elizabeth Smith',
    emails: [{ value: name, primary: true }],
    active: true,
    ...more,
  };
}

onUsualDatabase('Google', (api) => {
  let google: ProvisioningClient;
  before(async () => {
    google = await connect(api);
  });
  const shown = async (path: string) => (await google.get(path)).body;

  it('checks the endpoint and the token', async () => {
    assert.equal((await google.get('/Users?count=1')).status, 200);
    assert.equal((await google.get('/Users?startIndex=1&count=1')).status, 200);
    isScimError(await google.get('/Users?count=1', { Authorization: 'Bearer wrong' }), 401);
  });

  describe('creates', () => {
    it('with its own identifier as externalId', async () => {
      const sent = newUser();
      const user = await google.make('/Users', sent);
      assert.deepEqual([user.externalId, user.userName, user.active], [sent.externalId, sent.userName, true]);
      assert.notEqual(user.id, user.externalId);
      // The request names the extension's schema but has none of its attributes.
      assert.deepEqual(user.schemas, [USER]);
    });

    it('with values that have no type', async () => {
      const sent = {
        emails: [{ value: 'liz@example.com', primary: true }, { value: 'liz@home.example' }],
        phoneNumbers: [{ value: '+1 555 0100' }, { value: '+1 555 0101' }],
        addresses: [{ streetAddress: '1600 Amphitheatre Parkway', locality: 'Mountain View', postalCode: '94043' }],
      };
      const user = await google.make('/Users', newUser(sent));
      const { emails, phoneNumbers, addresses } = await shown(`/Users/${user.id}`);
      assert.deepEqual({ emails, phoneNumbers, addresses }, sent as object);
    });

    it('with telephones and addresses of several types', async () => {
      const sent = {
        phoneNumbers: [
          { value: '+1 555 0100', type: 'work', primary: true },
          { value: '+1 555 0102', type: 'mobile' },
        ],
        addresses: [
          { type: 'work', formatted: '1600 Amphitheatre Parkway\nMountain View', country: 'US', region: 'CA', primary: true },
          { type: 'home', streetAddress: '911 Universal City Plaza' },
        ],
        [ENTERPRISE]: { department: 'Search', employeeNumber: '701984', costCenter: '4130', organization: 'Example' },
        title: 'Engineer',
        preferredLanguage: 'en',
        locale: 'en-US',
      };
      const user = await google.make('/Users', newUser(sent));
      const now = await shown(`/Users/${user.id}`);
      for (const [name, value] of Object.entries(sent)) assert.deepEqual(now[name], value, name);
      assert.deepEqual(now.schemas, [USER, ENTERPRISE]);
    });

    it('what is there already, and is told so', async () => {
      const sent = newUser();
      await google.make('/Users', sent);
      isScimError(await google.post('/Users', { ...sent, externalId: accountId() }), 409, 'uniqueness');
    });
  });

  describe('looks up', () => {
    it('by userName and by externalId', async () => {
      const user = await google.make('/Users', newUser());
      hasOnly(await google.find('/Users', `userName eq "${user.userName}"`), user.id);
      hasOnly(await google.find('/Users', `externalId eq "${user.externalId}"`), user.id);
      hasOnly(await google.find('/Users', `externalId eq "${accountId()}"`));
      const both = `userName eq "${user.userName}" or externalId eq "${user.externalId}"`;
      hasOnly(await google.find('/Users', both), user.id);
    });

    it('by the value of an e-mail without a type', async () => {
      const user = await google.make('/Users', newUser());
      hasOnly(await google.find('/Users', `emails.value eq "${user.userName}"`), user.id);
      hasOnly(await google.find('/Users', `emails eq "${user.userName}"`), user.id);
    });
  });

  describe('suspends', () => {
    it('with PATCH, and restores', async () => {
      const { id, externalId } = await google.make('/Users', newUser());
      await google.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
      assert.equal((await shown(`/Users/${id}`)).active, false);
      const found = await google.find('/Users', `externalId eq "${externalId}"`);
      hasOnly(found, id);
      assert.equal(found.body.Resources[0].active, false);
      await google.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
      assert.equal((await shown(`/Users/${id}`)).active, true);
    });

    it('with PUT of the whole user', async () => {
      const sent = newUser();
      const { id } = await google.make('/Users', sent);
      const answer = await google.put(`/Users/${id}`, { ...sent, active: false });
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await shown(`/Users/${id}`)).active, false);
    });

    it('and the user can no longer log in', async () => {
      const { id } = await google.make('/Users', newUser({ password: 'a password of a test' }));
      assert.equal((await api.authenticate({ id, password: 'a password of a test' })).status, 201);
      await google.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
      assert.equal((await api.authenticate({ id, password: 'a password of a test' })).status, 401);
    });
  });

  describe('changes', () => {
    it('whole lists and the extension by PATCH', async () => {
      const { id } = await google.make('/Users', newUser({ phoneNumbers: [{ value: '+1 555 0100' }] }));
      await google.patch(
        `/Users/${id}`,
        { op: 'replace', path: 'phoneNumbers', value: [{ value: '+1 555 0199', type: 'work' }] },
        { op: 'replace', path: 'emails', value: [{ value: 'elizabeth@example.com' }] },
        { op: 'replace', value: { [ENTERPRISE]: { department: 'Ads' }, name: { familyName: 'Jones' } } },
      );
      const user = await shown(`/Users/${id}`);
      assert.deepEqual(user.phoneNumbers, [{ value: '+1 555 0199', type: 'work' }]);
      assert.deepEqual(user.emails, [{ value: 'elizabeth@example.com' }]);
      assert.deepEqual(user[ENTERPRISE], { department: 'Ads' });
      assert.deepEqual([user.name.givenName, user.name.familyName], ['Elizabeth', 'Jones']);
    });

    it('by PUT, and what it leaves out is gone', async () => {
      const sent = newUser({ title: 'Engineer', phoneNumbers: [{ value: '+1 555 0100' }] });
      const { id } = await google.make('/Users', sent);
      const { title: _, phoneNumbers: __, ...rest } = sent as Record<string, unknown>;
      assert.equal((await google.put(`/Users/${id}`, rest)).status, 200);
      const user = await shown(`/Users/${id}`);
      assert.ok(!('title' in user) && !('phoneNumbers' in user));
      assert.equal(user.externalId, sent.externalId);
    });

    it('the name of the account', async () => {
      const { id } = await google.make('/Users', newUser());
      const userName = `${uniqueName('elizabeth')}@example.com`;
      await google.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: userName });
      hasOnly(await google.find('/Users', `userName eq "${userName}"`), id);
    });
  });

  it('deletes after the time of suspension', async () => {
    const { id, externalId } = await google.make('/Users', newUser());
    await google.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    assert.equal((await google.delete(`/Users/${id}`)).status, 204);
    isScimError(await google.delete(`/Users/${id}`), 404);
    hasOnly(await google.find('/Users', `externalId eq "${externalId}"`));
  });
});
