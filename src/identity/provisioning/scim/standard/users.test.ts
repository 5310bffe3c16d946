import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { assertOk, isAlive } from '../../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../../test/support/api.ts';
import {
  assertScimRefused,
  connect,
  ENTERPRISE,
  idsIn,
  patchOf,
  SCIM_JSON,
  type ScimClient,
  USER,
} from '../../../../../test/support/scim.ts';
import { enable, Phone, tokenByCode } from '../../../../../test/support/second-factor.ts';

const PASSWORD = 'a password of a person';

const person = (userName: string) => ({
  externalId: 'External-Id/ÄÖ 7',
  userName,
  name: { formatted: 'Ms. Bärbel J Jensen, III', familyName: 'Jensen', givenName: 'Bärbel', honorificSuffix: 'III' },
  displayName: 'Bärbel  Jensen ',
  nickName: 'Babs',
  profileUrl: 'https://login.example.com/Bjensen',
  title: 'Tour Guide',
  userType: 'Employee',
  preferredLanguage: 'en-US',
  locale: 'en-US',
  timezone: 'America/Los_Angeles',
  emails: [
    { value: 'BJensen@Example.com', display: 'at work', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  phoneNumbers: [
    { value: 'tel:+1-201-555-0123', type: 'work', primary: false },
    { value: '555 ☎ 4444', type: 'mobile' },
  ],
  ims: [{ value: 'someaimhandle', type: 'aim' }],
  photos: [{ value: 'https://photos.example.com/profilephoto/72930000000Ccne/F', type: 'photo' }],
  addresses: [
    { formatted: '100 Universal City Plaza\nHollywood, CA 91608 USA', locality: 'Hollywood', type: 'work', primary: true },
    { streetAddress: '456 Hollywood Blvd', postalCode: '91608', country: 'US', type: 'home' },
  ],
  entitlements: [{ value: 'everything', display: 'Everything' }],
  roles: [{ value: 'captain', primary: true }, { value: 'cook' }],
  x509Certificates: [{ value: 'MIIDQzCCAqygAwIBAgICEAAwDQYJKoZIhvcNAQEFBQAwTjELMAkGA1UEBhMCVVM=' }],
  [ENTERPRISE]: { employeeNumber: '701984', costCenter: '4130', organization: 'Universal Studios', department: 'Tours' },
});

onBothDatabases('SCIM users', (api) => {
  let scim: ScimClient;
  let domainId: string;
  before(async () => {
    const made = await connect(api);
    scim = made.scim;
    domainId = made.domain.id;
  });

  const baseUser = async (id: string): Promise<any> => assertOk(await api.get(`/v3/users/${id}`)).user;
  const logIn = (id: string, password = PASSWORD) => api.authenticate({ id, password });

  describe('POST /Users', () => {
    it('answers 201 with where it is, its version, and every attribute as it was sent', async () => {
      const sent = person(uniqueName('Bjensen'));
      const answer = await scim.post('/Users', { schemas: [USER, ENTERPRISE], ...sent });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.headers.get('content-type'), SCIM_JSON);
      const { schemas, id, active, meta, ...rest } = answer.body;
      const location = `${api.url}/scim/v2/Users/${id}`;
      assert.equal(answer.headers.get('location'), location);
      assert.equal(answer.headers.get('etag'), meta.version);
      assert.match(meta.version, /^W\/"\d+"$/);
      assert.deepEqual([meta.resourceType, meta.location, active], ['User', location, true]);
      assert.match(meta.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(Math.abs(Date.parse(meta.lastModified) - Date.now()) < 60_000);
      assert.deepEqual(schemas, [USER, ENTERPRISE]);
      assert.deepEqual(rest, sent);
      assert.deepEqual((await scim.get(`/Users/${id}`)).body, answer.body);
      assert.equal(JSON.stringify((await scim.show(`/Users/${id}`)).emails), JSON.stringify(sent.emails));
    });

    it('takes application/json too, names in any case, and leaves out what it does not know or only it may write', async () => {
      const body = { schemas: [USER], USERNAME: uniqueName('x'), id: 'mine', favouriteColour: 'red', meta: { version: 'x' } };
      const answer = await scim.post('/Users', body, { 'Content-Type': 'application/json' });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.headers.get('content-type'), SCIM_JSON);
      assert.deepEqual(Object.keys(answer.body), ['schemas', 'id', 'userName', 'active', 'meta']);
      assert.notEqual(answer.body.id, 'mine');
      assert.equal((await scim.post('/Users', 'userName=x', { 'Content-Type': 'text/plain' })).status, 415);
    });

    it('refuses a userName that is taken, in any case, with 409 uniqueness', async () => {
      const { userName } = await scim.makeUser();
      assertScimRefused(await scim.post('/Users', { schemas: [USER], userName: userName.toUpperCase() }), 409, 'uniqueness');
      const other = await scim.makeUser();
      assertScimRefused(await scim.put(`/Users/${other.id}`, { schemas: [USER], userName }), 409, 'uniqueness');
      const change = patchOf({ op: 'replace', path: 'userName', value: userName });
      assertScimRefused(await scim.patch(`/Users/${other.id}`, change), 409, 'uniqueness');
      assert.equal((await scim.show(`/Users/${other.id}`)).userName, other.userName);
    });

    it('refuses what is no user with 400', async () => {
      const refusals: [unknown, string][] = [
        [{ schemas: [USER] }, 'invalidValue'],
        [{ schemas: [USER], userName: ' ' }, 'invalidValue'],
        [{ schemas: [USER], userName: 7 }, 'invalidValue'],
        [{ schemas: [USER], userName: 'x'.repeat(256) }, 'invalidValue'],
        [{ schemas: [USER], userName: 'a', active: 'perhaps' }, 'invalidValue'],
        [{ schemas: [USER], userName: 'a', emails: [{ value: 7 }] }, 'invalidValue'],
        [{ schemas: [USER], userName: 'a', username: 'b' }, 'invalidSyntax'],
        ['{"userName":', 'invalidSyntax'],
        ['[]', 'invalidSyntax'],
      ];
      for (const [body, scimType] of refusals) assertScimRefused(await scim.post('/Users', body), 400, scimType);
      assert.equal((await scim.list('/Users', { filter: 'userName eq "a"' })).totalResults, 0);
    });
  });

  describe('and the base API', () => {
    it('are the same user: name, enabled, and the primary e-mail address', async () => {
      const { id, userName } = await scim.makeUser({
        active: false,
        emails: [{ value: 'first@example.com' }, { value: 'main@example.com', primary: true }],
      });
      const user = await baseUser(id);
      assert.deepEqual([user.name, user.enabled, user.email, user.domain_id], [userName, false, 'main@example.com', domainId]);
    });

    it('show an address that the base API changes, and find the user by it and no longer by the old one', async () => {
      const old = `${uniqueName('old')}@example.com`;
      const other = { value: 'other@example.com', type: 'home' };
      const { id, meta } = await scim.makeUser({ emails: [{ value: old, type: 'work', primary: true }, other] });
      const email = `${uniqueName('New')}@example.com`;
      assertOk(await api.patch(`/v3/users/${id}`, { user: { email } }));
      const now = await scim.show(`/Users/${id}`);
      assert.deepEqual(now.emails, [{ value: email, type: 'work', primary: true }, other]);
      assert.notEqual(now.meta.version, meta.version);
      assert.deepEqual(idsIn(await scim.list('/Users', { filter: `emails.value eq "${email.toUpperCase()}"` })), [id]);
      assert.deepEqual(idsIn(await scim.list('/Users', { filter: `emails.value eq "${old}"` })), []);
    });

    it('show each other’s users', async () => {
      const name = uniqueName('based');
      const user = await api.make('user', { name, domain_id: domainId, email: 'based@example.com' });
      const shown = await scim.show(`/Users/${user.id}`);
      assert.deepEqual([shown.userName, shown.active], [name, true]);
      assert.deepEqual(shown.emails, [{ value: 'based@example.com', primary: true }]);
    });
  });

  describe('PUT /Users/:id', () => {
    it('replaces: what is left out goes, but not whether it is active, nor the password', async () => {
      const { id, meta } = await scim.makeUser({ ...person(uniqueName('put')), password: PASSWORD });
      const userName = uniqueName('renamed');
      const answer = await scim.put(`/Users/${id}`, { schemas: [USER], userName, title: 'New' });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(Object.keys(answer.body).sort(), ['active', 'id', 'meta', 'schemas', 'title', 'userName']);
      assert.deepEqual([answer.body.userName, answer.body.title, answer.body.schemas], [userName, 'New', [USER]]);
      assert.notEqual(answer.headers.get('etag'), meta.version);
      assert.equal(answer.body.meta.created, meta.created);
      assert.deepEqual(await scim.show(`/Users/${id}`), answer.body);
      assert.equal((await logIn(id)).status, 201);
      assert.equal((await baseUser(id)).email, undefined);
    });

    it('leaves those shut out who are', async () => {
      const { id, userName } = await scim.makeUser({ active: false });
      assert.equal((await scim.put(`/Users/${id}`, { schemas: [USER], userName })).body.active, false);
    });

    it('makes nobody: 404 for an id that is not there', async () => {
      assertScimRefused(await scim.put('/Users/nobody', { schemas: [USER], userName: uniqueName('x') }), 404);
      assertScimRefused(await scim.patch('/Users/nobody', patchOf({ op: 'add', path: 'title', value: 'x' })), 404);
      assertScimRefused(await scim.delete('/Users/nobody'), 404);
      assertScimRefused(await scim.get('/Users/nobody'), 404);
    });
  });

  describe('PATCH /Users/:id', () => {
    it('answers 204 with the version, or 200 when attributes are asked for', async () => {
      const { id, meta } = await scim.makeUser({ title: 'Old' });
      const change = patchOf({ op: 'replace', path: 'title', value: 'New' }, { op: 'add', path: 'name.givenName', value: 'Bo' });
      const quiet = await scim.patch(`/Users/${id}`, change);
      assertOk(quiet, 204);
      assert.notEqual(quiet.headers.get('etag'), meta.version);
      const shown = await scim.show(`/Users/${id}`);
      assert.deepEqual([shown.title, shown.name, shown.meta.version], ['New', { givenName: 'Bo' }, quiet.headers.get('etag')]);
      const told = await scim.patch(`/Users/${id}?attributes=title`, patchOf({ op: 'remove', path: 'title' }));
      assert.equal(told.status, 200);
      assert.deepEqual(Object.keys(told.body), ['schemas', 'id']);
    });

    it('does nothing of a patch of which one part cannot be done', async () => {
      const { id, meta } = await scim.makeUser({ title: 'Old' });
      const refusals: [Record<string, unknown>, string][] = [
        [{ op: 'replace', path: 'groups', value: [{ value: 'x' }] }, 'mutability'],
        [{ op: 'remove', path: 'userName' }, 'mutability'],
        [{ op: 'add', path: 'nothing', value: 'x' }, 'invalidPath'],
        [{ op: 'add', path: 'emails[type eq', value: 'x' }, 'invalidPath'],
        [{ op: 'add', path: 'emails[type zz "x"]', value: 'x' }, 'invalidFilter'],
        [{ op: 'replace', path: 'emails[type co "x"].value', value: 'x' }, 'noTarget'],
        [{ op: 'add', path: 'active', value: 'perhaps' }, 'invalidValue'],
        [{ op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
      ];
      for (const [operation, scimType] of refusals) {
        const change = patchOf({ op: 'replace', path: 'title', value: 'New' }, operation);
        assertScimRefused(await scim.patch(`/Users/${id}`, change), 400, scimType);
      }
      const { title, meta: after } = await scim.show(`/Users/${id}`);
      assert.deepEqual([title, after], ['Old', meta]);
    });
  });

  it('deletes with 204, and then there is nobody', async () => {
    const { id } = await scim.makeUser({ password: PASSWORD });
    assertOk(await scim.delete(`/Users/${id}`), 204);
    assertScimRefused(await scim.get(`/Users/${id}`), 404);
    assertScimRefused(await scim.delete(`/Users/${id}`), 404);
    assert.equal((await api.get(`/v3/users/${id}`)).status, 404);
    assert.equal((await logIn(id)).status, 401);
  });

  describe('passwords', () => {
    it('open the account and are in no answer, whoever asks for them', async () => {
      const made = await scim.post('/Users?attributes=password,userName', {
        schemas: [USER],
        userName: uniqueName('secret'),
        password: PASSWORD,
      });
      assert.equal(made.status, 201, made.text);
      const { id } = made.body;
      assert.equal((await logIn(id)).status, 201);
      const changed = await scim.patch(
        `/Users/${id}?attributes=password`,
        patchOf({ op: 'replace', path: 'password', value: `another ${PASSWORD}` }),
      );
      assert.equal((await logIn(id)).status, 401);
      assert.equal((await logIn(id, `another ${PASSWORD}`)).status, 201);
      const guesses = await scim.list('/Users', { filter: `password eq "another ${PASSWORD}"` });
      assert.equal(guesses.totalResults, 0);
      const shown = await scim.get(`/Users/${id}?attributes=password`);
      for (const { text } of [made, changed, shown]) assert.ok(!text.includes(PASSWORD), text);
      assert.ok(!api.logged.join('').includes(PASSWORD));
    });
  });

  describe('active', () => {
    it('set to false ends tokens and remembered devices with the same answer, and set to true lets in again', async () => {
      const { id } = await scim.makeUser({ password: PASSWORD });
      const { two_factor_auth: factor } = assertOk(await enable(api, { id }), 201);
      const phone = new Phone(api, factor.two_factor_key);
      const token = await tokenByCode(api, { user: { id }, password: PASSWORD, phone });
      assertOk(await api.request('POST', `/v3/OS-TWO-FACTOR/devices?user_id=${id}`));
      const devices = async () => (await api.get(`/v3/users/${id}/OS-TWO-FACTOR/devices`)).body.devices.length;
      assert.deepEqual([await isAlive(api, token), await devices()], [true, 1]);

      // As Entra writes it.
      assertOk(await scim.patch(`/Users/${id}`, patchOf({ op: 'Replace', path: 'active', value: 'False' })), 204);
      assert.deepEqual([await isAlive(api, token), await devices()], [false, 0]);
      assert.equal((await baseUser(id)).enabled, false);
      assert.equal((await logIn(id)).status, 401);

      assertOk(await api.delete(`/v3/users/${id}/OS-TWO-FACTOR/two_factor_auth`), 204);
      assertOk(await scim.patch(`/Users/${id}`, patchOf({ op: 'replace', value: { active: true } })), 204);
      assert.equal((await logIn(id)).status, 201);
      assert.equal(await isAlive(api, token), false);
    });

    it('set to false by PUT ends tokens too', async () => {
      const { id, userName } = await scim.makeUser({ password: PASSWORD });
      const token = await api.logIn({ id, password: PASSWORD });
      assertOk(await scim.put(`/Users/${id}`, { schemas: [USER], userName, active: true }));
      assert.equal(await isAlive(api, token), true);
      assertOk(await scim.put(`/Users/${id}`, { schemas: [USER], userName, active: false }));
      assert.equal(await isAlive(api, token), false);
    });
  });

  describe('versions', () => {
    it('let a change or a deletion through, when both name this version at the same time', async () => {
      const kinds = [
        { path: '/Users', make: scim.makeUser },
        { path: '/Groups', make: scim.makeGroup },
        { path: '/Organizations', make: scim.makeOrganization },
      ];
      // The deletion arrives later and later, to meet the change at each of its steps.
      const deleteAfter = async (milliseconds: number, path: string, match: Record<string, string>) => {
        for (const start = performance.now(); performance.now() < start + milliseconds; ) await setImmediate();
        return scim.delete(path, match);
      };
      for (let wait = 0; wait < 5; wait += 0.2)
        for (const { path, make } of kinds) {
          const { id, meta } = await make();
          const match = { 'If-Match': meta.version };
          const change = patchOf({ op: 'add', path: 'externalId', value: 'changed' });
          const answers = await Promise.all([
            scim.patch(`${path}/${id}`, change, match),
            deleteAfter(wait, `${path}/${id}`, match),
          ]);
          const done = answers.filter(({ status }) => status < 300);
          assert.equal(done.length, 1, `${path}: ${answers.map(({ status }) => status)}`);
        }
    });

    it('let a change through with If-Match of this version, * or a list with it, and refuse others with 412', async () => {
      const { id, userName } = await scim.makeUser();
      const path = `/Users/${id}`;
      const version = async () => (await scim.get(path)).headers.get('etag')!;
      const old = await version();
      const put = (match: string) => scim.put(path, { schemas: [USER], userName, title: match }, { 'If-Match': match });
      assertOk(await put(old));
      assertScimRefused(await put(old), 412);
      assertScimRefused(await put('"nonsense"'), 412);
      assert.equal((await scim.show(path)).title, old);
      assertOk(await put('*'));
      assertOk(await put(`W/"0", ${await version()}`));
      const change = patchOf({ op: 'add', path: 'title', value: 'x' });
      assertScimRefused(await scim.patch(path, change, { 'If-Match': old }), 412);
      assertOk(await scim.patch(path, change, { 'If-Match': await version() }), 204);
      assertScimRefused(await scim.delete(path, { 'If-Match': old }), 412);
      assertOk(await scim.delete(path, { 'If-Match': await version() }), 204);
    });

    it('answer 304 to If-None-Match of this version, and the user to that of another', async () => {
      const { id, meta } = await scim.makeUser();
      const known = await scim.get(`/Users/${id}`, { 'If-None-Match': meta.version });
      assert.deepEqual([known.status, known.text, known.headers.get('etag')], [304, '', meta.version]);
      assert.equal((await scim.get(`/Users/${id}`, { 'If-None-Match': `"x", ${meta.version}` })).status, 304);
      assert.equal((await scim.get(`/Users/${id}`, { 'If-None-Match': 'W/"999"' })).body.id, id);
    });
  });

  it('shows the groups of a user, and lets nobody write them', async () => {
    const { id, userName } = await scim.makeUser();
    const group = await scim.makeGroup({ members: [{ value: id }] });
    const groups = [{ value: group.id, $ref: group.meta.location, display: group.displayName, type: 'direct' }];
    assert.deepEqual((await scim.show(`/Users/${id}`)).groups, groups);
    const replaced = await scim.put(`/Users/${id}`, { schemas: [USER], userName, groups: [] });
    assert.deepEqual(replaced.body.groups, groups);
    assertScimRefused(await scim.patch(`/Users/${id}`, patchOf({ op: 'remove', path: 'groups' })), 400, 'mutability');
    assertOk(await scim.delete(`/Groups/${group.id}`), 204);
    assert.equal((await scim.show(`/Users/${id}`)).groups, undefined);
  });

  it('shows the groups of a user by name, however the user is found', async () => {
    const { id, userName } = await scim.makeUser();
    const names = ['m', 'Z', 'a', 'é'].map((name) => uniqueName(name));
    for (const displayName of names) await scim.makeGroup({ displayName, members: [{ value: id }] });
    for (const filter of [`userName eq "${userName}"`, `id eq "${id}"`, `userName sw "${userName}"`]) {
      const [user] = (await scim.get(`/Users?filter=${encodeURIComponent(filter)}`)).body.Resources;
      const shown = user.groups.map(({ display }: { display: string }) => display);
      assert.deepEqual(shown, names.toSorted(), filter);
    }
  });

  describe('/Me', () => {
    it('is the user who asks, who may look but not change', async () => {
      const { user, token } = await api.persona(['member'], { domain: domainId }, { domain_id: domainId });
      for (const headers of [{ 'X-Auth-Token': token }, { Authorization: `Bearer ${token}` }]) {
        const answer = await api.get('/scim/v2/Me', { token: null, headers });
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual([answer.body.id, answer.body.userName], [user.id, user.name]);
        assert.equal(answer.headers.get('content-location'), `${api.url}/scim/v2/Users/${user.id}`);
      }
      const change = patchOf({ op: 'replace', path: 'userName', value: 'root' });
      assertScimRefused(await api.patch('/scim/v2/Me', change, { token }), 403);
      assertScimRefused(await api.put('/scim/v2/Me', { schemas: [USER], userName: 'root' }, { token }), 403);
      assertScimRefused(await api.get('/scim/v2/Me', { token: null }), 401);
    });

    it('is 404 for a connection, which is nobody', async () => {
      assertScimRefused(await scim.get('/Me'), 404);
      assertScimRefused(await scim.put('/Me', { schemas: [USER], userName: 'x' }), 404);
      assertScimRefused(await scim.patch('/Me', patchOf({ op: 'add', path: 'title', value: 'x' })), 404);
    });
  });
});
