import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';

const CREDENTIALS = '/v3/credentials';
const MISSING = '0'.repeat(32);
const KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

type Person = Awaited<ReturnType<typeof makePerson>>;

onBothDatabases('Credentials', (api) => {
  let person: Person;
  let other: Person;
  before(async () => {
    [person, other] = [await makePerson(api), await makePerson(api)];
  });

  const create = (credential: unknown, token?: string) =>
    api.post(CREDENTIALS, { credential }, token === undefined ? {} : { token });
  const make = async (values: Record<string, unknown> = {}, token?: string): Promise<any> =>
    assertOk(await create({ type: 'cert', blob: 'a secret', user_id: person.user.id, ...values }, token), 201).credential;
  const one = (credential: { id: string }) => `${CREDENTIALS}/${credential.id}`;
  const listed = async (query = '', token?: string): Promise<string[]> =>
    assertOk(await api.get(CREDENTIALS + query, token === undefined ? {} : { token })).credentials.map(({ id }: any) => id);

  describe('POST', () => {
    it('is 201 with the credential, its blob and a link', async () => {
      const answer = await create({ type: 'cert', blob: 'a secret', user_id: person.user.id });
      assert.equal(answer.status, 201);
      const { id } = answer.body.credential;
      assert.match(id, /^[0-9a-f]{32}$/);
      assert.deepEqual(answer.body, {
        credential: {
          id,
          type: 'cert',
          blob: 'a secret',
          user_id: person.user.id,
          project_id: null,
          links: { self: `${api.url}${CREDENTIALS}/${id}` },
        },
      });
      assert.deepEqual(assertOk(await api.get(`${CREDENTIALS}/${id}`)), answer.body);
    });

    it('keeps an ec2 blob as it was sent', async () => {
      const blob = '{"access": "181920",  "secret":"sécret \\u00e9"}';
      const made = await make({ type: 'ec2', blob, project_id: person.organization.id });
      assert.equal(made.blob, blob);
      assert.equal(made.project_id, person.organization.id);
      const read = assertOk(await api.get(one(made))).credential;
      assert.deepEqual(read, made);
      assert.equal(JSON.parse(read.blob).access, '181920');
    });

    it('keeps any text, and attributes we do not know', async () => {
      const blob = 'line one\nline two \t "quoted" 🔑';
      const made = await make({ blob, colour: 'green', nested: { a: [1, null] } });
      const read = assertOk(await api.get(one(made))).credential;
      assert.equal(read.blob, blob);
      assert.equal(read.colour, 'green');
      assert.deepEqual(read.nested, { a: [1, null] });
    });

    it('decides the id and the links itself', async () => {
      const made = await make({ id: MISSING, links: { self: 'https://evil.example' }, last_step: 7 });
      assert.notEqual(made.id, MISSING);
      assert.equal(made.links.self, `${api.url}${one(made)}`);
      await make({ last_step: 'text' });
    });

    it('is for the caller when no user is named', async () => {
      const made = assertOk(await create({ type: 'cert', blob: 'x' }, person.token), 201).credential;
      assert.equal(made.user_id, person.user.id);
    });

    it('takes the key of an app in groups, in lower case and padded', async () => {
      for (const blob of [KEY, KEY.toLowerCase(), KEY.replace(/(.{4})/g, '$1 ').trim(), `${KEY}======`])
        assert.equal((await make({ type: 'totp', blob })).blob, blob);
    });

    it('takes any text as the key of an app, as Keystone does; it has no codes and locks nobody out', async () => {
      const { user, password } = await makePerson(api);
      for (const blob of ['not base32!', '0189', '===='])
        assert.equal((await make({ type: 'totp', blob, user_id: user.id })).blob, blob);
      const identity = { methods: ['password'], password: { user: { id: user.id, password } } };
      assertOk(await api.post('/v3/auth/tokens', { auth: { identity } }, { token: '' }), 201);
      const both = { ...identity, methods: ['password', 'totp'], totp: { user: { id: user.id, passcode: '000000' } } };
      assertRefused(await api.post('/v3/auth/tokens', { auth: { identity: both } }, { token: '' }), 401);
    });

    it('is 400 and names the field that is wrong', async () => {
      const good = { type: 'cert', blob: 'x', user_id: person.user.id };
      const { type: _, ...noType } = good;
      const { blob: __, ...noBlob } = good;
      const ec2 = { ...good, type: 'ec2', project_id: person.organization.id };
      const refusals: [unknown, RegExp][] = [
        [noType, /type/],
        [noBlob, /blob/],
        [{ ...good, type: null }, /type/],
        [{ ...good, type: '' }, /type/],
        [{ ...good, type: 'x'.repeat(256) }, /type/],
        [{ ...good, blob: { access: 'a' } }, /blob/],
        [{ ...good, blob: null }, /blob/],
        [{ ...good, blob: '' }, /blob/],
        [{ ...good, user_id: 7 }, /user_id/],
        [{ ...good, project_id: 7 }, /project_id/],
        [{ ...good, type: 'ec2', blob: '{"access":"a"}' }, /project_id/],
        [{ ...good, type: 'EC2', blob: '{"access":"a"}', project_id: null }, /project_id/],
        [{ ...ec2, blob: 'no json' }, /'blob'/],
        [{ ...ec2, blob: '[]' }, /'blob'/],
        [{ ...ec2, blob: 'null' }, /'blob'/],
        [{ ...ec2, blob: '{"secret":"s"}' }, /'blob'.*access/],
        [null, /credential/],
        ['x', /credential/],
      ];
      for (const [credential, message] of refusals) assertRefused(await create(credential), 400, message);
      assertRefused(await api.post(CREDENTIALS, {}), 400, /credential/);
      assertRefused(await api.post(CREDENTIALS, `{"credential":{"type":"x","blob":"y","__proto__":{}}}`), 400);
    });

    it('never repeats a blob that it refuses', async () => {
      const answer = await create({
        type: 'ec2',
        blob: 'my secret key 1',
        user_id: person.user.id,
        project_id: person.organization.id,
      });
      assertRefused(answer, 400);
      assert.ok(!answer.text.includes('my secret key'));
    });

    it('is 404 for a user or project that does not exist', async () => {
      assertRefused(await create({ type: 'x', blob: 'y', user_id: MISSING }), 404, /user/);
      assertRefused(await create({ type: 'x', blob: 'y', user_id: person.user.id, project_id: MISSING }), 404, /project/);
    });
  });

  describe('GET of all', () => {
    it('filters by user, by type, and by both', async () => {
      const { user } = await makePerson(api);
      const type = uniqueName('type');
      const [a, b] = [await make({ user_id: user.id, type }), await make({ user_id: user.id, type: 'cert' })];
      const c = await make({ type });
      assert.deepEqual((await listed(`?user_id=${user.id}`)).sort(), [a.id, b.id].sort());
      assert.deepEqual((await listed(`?type=${type}`)).sort(), [a.id, c.id].sort());
      assert.deepEqual(await listed(`?type=${type}&user_id=${user.id}`), [a.id]);
      assert.deepEqual(await listed(`?user_id=${MISSING}`), []);
      assert.ok((await listed()).length >= 3);
      assert.deepEqual(await listed(`?type=${type}&type=cert`), []);
      assert.deepEqual(await listed(`?user_id=${user.id}&user_id=${person.user.id}`), []);
    });

    it('comes in the envelope of lists, in pages, each credential as it is alone', async () => {
      const { user } = await makePerson(api);
      const made = [await make({ user_id: user.id, note: 'mine' }), await make({ user_id: user.id })];
      const { credentials, links } = assertOk(await api.get(`${CREDENTIALS}?user_id=${user.id}`));
      assert.deepEqual(links, { self: `${api.url}${CREDENTIALS}?user_id=${user.id}`, previous: null, next: null });
      const byId = (a: any, b: any) => (a.id < b.id ? -1 : 1);
      assert.deepEqual(credentials.sort(byId), made.sort(byId));
      const page = assertOk(await api.get(`${CREDENTIALS}?user_id=${user.id}&limit=1`));
      assert.equal(page.credentials.length, 1);
      assert.ok(page.links.next);
      assertRefused(await api.get(`${CREDENTIALS}?marker=${MISSING}`), 400, /marker/);
    });
  });

  describe('PATCH', () => {
    it('changes what is named, keeps the rest, and is 200 with all of it', async () => {
      const made = await make({ note: 'first', other: 'stays' });
      const changed = assertOk(await api.patch(one(made), { credential: { blob: 'a new secret', note: 'second' } })).credential;
      assert.deepEqual(changed, { ...made, blob: 'a new secret', note: 'second' });
      assert.deepEqual(assertOk(await api.get(one(made))).credential, changed);
      const moved = { type: 'totp', blob: KEY, project_id: other.organization.id, user_id: other.user.id };
      assertOk(await api.patch(one(made), { credential: moved }));
      assert.deepEqual(assertOk(await api.get(one(made))).credential, { ...changed, ...moved });
      assertOk(await api.patch(one(made), { credential: { project_id: null, id: made.id } }));
      assert.equal(assertOk(await api.get(one(made))).credential.project_id, null);
    });

    it('is 400 for what could not be created, and changes nothing', async () => {
      const made = await make();
      const ec2 = await make({ type: 'ec2', blob: '{"access":"a"}', project_id: person.organization.id });
      const refusals: [{ id: string }, unknown, RegExp][] = [
        [made, { type: 'ec2', blob: '{"access":"a"}' }, /project_id/],
        [made, { blob: '' }, /blob/],
        [made, { type: 7 }, /type/],
        [made, { user_id: null }, /user_id/],
        [made, { id: MISSING }, /ID/],
        [ec2, { project_id: null }, /project_id/],
        [ec2, { blob: 'no json' }, /'blob'/],
      ];
      for (const [credential, changes, message] of refusals)
        assertRefused(await api.patch(one(credential), { credential: changes }), 400, message);
      assertRefused(await api.patch(one(made), {}), 400, /credential/);
      assert.deepEqual(assertOk(await api.get(one(made))).credential, made);
    });

    it('loses nothing of two at the same time, and changes nothing that was given away or deleted meanwhile', async () => {
      const patch = (credential: { id: string }, values: object, token?: string) =>
        api.patch(one(credential), { credential: values }, token === undefined ? {} : { token });
      for (let round = 0; round < 10; round++) {
        const both = await make();
        for (const answer of await Promise.all([patch(both, { type: 'note' }), patch(both, { blob: 'changed' })]))
          assertOk(answer);
        const { type, blob } = assertOk(await api.get(one(both))).credential;
        assert.deepEqual([type, blob], ['note', 'changed']);

        const credential = await make();
        const [, own] = await Promise.all([
          patch(credential, { user_id: other.user.id }),
          patch(credential, { blob: 'mine' }, person.token),
        ]);
        assert.equal(assertOk(await api.get(one(credential))).credential.user_id, other.user.id, own.text);

        const deleted = await make();
        const [gone, late] = await Promise.all([api.delete(one(deleted)), patch(deleted, { blob: 'x' })]);
        assertOk(gone, 204);
        assert.ok(late.status === 200 || late.status === 404, late.text);
        assertRefused(await patch(deleted, { blob: 'x' }), 404);
      }
    });

    it('is 404 for a user, project or credential that does not exist', async () => {
      const made = await make();
      assertRefused(await api.patch(one(made), { credential: { user_id: MISSING } }), 404, /user/);
      assertRefused(await api.patch(one(made), { credential: { project_id: MISSING } }), 404, /project/);
      assertRefused(await api.patch(one({ id: MISSING }), { credential: { blob: 'x' } }), 404, /credential/);
    });
  });

  describe('DELETE', () => {
    it('is 204, then 404 whatever is asked', async () => {
      const made = await make();
      assertOk(await api.delete(one(made)), 204);
      assertRefused(await api.get(one(made)), 404, new RegExp(`credential: ${made.id}`));
      assertRefused(await api.delete(one(made)), 404, /credential/);
      assertRefused(await api.patch(one(made), { credential: { blob: 'x' } }), 404, /credential/);
    });

    it('of the user deletes their credentials, and no others', async () => {
      const { user } = await makePerson(api);
      const [gone, kept] = [await make({ user_id: user.id }), await make()];
      assertOk(await api.delete(`/v3/users/${user.id}`), 204);
      assertRefused(await api.get(one(gone)), 404);
      assertOk(await api.get(one(kept)));
      const db = await databaseOf(api);
      try {
        assert.deepEqual(await db.read.selectFrom('credentials').where('user_id', '=', user.id).selectAll().execute(), []);
      } finally {
        await db.close();
      }
    });
  });

  describe('Permissions', () => {
    it('need a token', async () => {
      const made = await make();
      const credential = { type: 'x', blob: 'y' };
      await assertNeedsToken(api, 'GET', CREDENTIALS);
      await assertNeedsToken(api, 'POST', CREDENTIALS, { credential });
      await assertNeedsToken(api, 'GET', one(made));
      await assertNeedsToken(api, 'PATCH', one(made), { credential });
      await assertNeedsToken(api, 'DELETE', one(made));
    });

    it('give a user all of their own', async () => {
      const made = await make({}, person.token);
      assert.deepEqual(assertOk(await api.get(one(made), { token: person.token })).credential, made);
      assertOk(await api.patch(one(made), { credential: { blob: 'changed' } }, { token: person.token }));
      assertOk(await api.delete(one(made), { token: person.token }), 204);
    });

    it('refuse everyone else with 403, whether it exists or not: managers and strangers', async () => {
      const made = await make();
      const tokens = [
        other.token,
        (await api.persona(['manager'], { domain: 'default' })).token,
        (await api.persona(['reader'], { project: person.organization.id })).token,
      ];
      for (const credential of [made, { id: MISSING }]) {
        await assertForbidden(api, tokens, 'GET', one(credential));
        await assertForbidden(api, tokens, 'PATCH', one(credential), { body: { credential: { blob: 'x' } } });
        await assertForbidden(api, tokens, 'DELETE', one(credential));
      }
      for (const user_id of [person.user.id, MISSING]) {
        const body = { credential: { type: 'totp', blob: KEY, user_id } };
        await assertForbidden(api, tokens, 'POST', CREDENTIALS, { body });
      }
      assert.deepEqual(assertOk(await api.get(one(made))).credential, made);
    });

    it('let a system reader read, but not the keys of authenticator apps, nor change anything', async () => {
      const { user } = await makePerson(api);
      const { token } = await api.persona(['reader'], 'system');
      const [note, app] = [await make({ user_id: user.id }), await make({ user_id: user.id, type: 'totp', blob: KEY })];
      assert.deepEqual(assertOk(await api.get(one(note), { token })).credential, note);
      await assertForbidden(api, [token], 'GET', one(app));
      assert.deepEqual(await listed(`?user_id=${user.id}`, token), [note.id]);
      await assertForbidden(api, [token], 'PATCH', one(note), { body: { credential: { blob: 'x' } } });
      await assertForbidden(api, [token], 'DELETE', one(note));
      await assertForbidden(api, [token], 'POST', CREDENTIALS, {
        body: { credential: { type: 'x', blob: 'y', user_id: user.id } },
      });
    });

    it('let nobody give a credential to another, nor take one', async () => {
      const mine = await make({ user_id: other.user.id });
      const credential = { user_id: person.user.id };
      await assertForbidden(api, [other.token], 'PATCH', one(mine), { body: { credential } });
      await assertForbidden(api, [person.token], 'PATCH', one(mine), { body: { credential } });
      assert.equal(assertOk(await api.get(one(mine))).credential.user_id, other.user.id);
    });

    it('show everyone but administrators and system readers their own in lists, whatever they ask for', async () => {
      const [mine, theirs] = [await makePerson(api), await makePerson(api)];
      const made = await make({ user_id: mine.user.id });
      const hidden = await make({ user_id: theirs.user.id });
      assert.deepEqual(await listed('', mine.token), [made.id]);
      assert.deepEqual(await listed(`?user_id=${mine.user.id}`, mine.token), [made.id]);
      for (const query of [`?user_id=${theirs.user.id}`, '?user_id__contains=', '?type=cert&user_id__startswith=a']) {
        assert.ok(!(await listed(query, mine.token)).includes(hidden.id), query);
      }
      assert.ok((await listed()).includes(hidden.id));
      const guess = await api.get(`${CREDENTIALS}?marker=${hidden.id}`, { token: mine.token });
      const miss = await api.get(`${CREDENTIALS}?marker=${MISSING}`, { token: mine.token });
      assert.deepEqual(guess.status, miss.status, 'a marker tells nothing about what others have');
    });
  });
});

onBothDatabases(
  'The number of credentials',
  (api) => {
    it('of one user is limited, also when one is given to them', async () => {
      const [ann, bob] = [await makePerson(api), await makePerson(api)];
      const ask = (person: Person) => api.post(CREDENTIALS, { credential: { type: 'cert', blob: 'x', user_id: person.user.id } });
      const anns = assertOk(await ask(ann), 201).credential;
      assertOk(await ask(bob), 201);
      assertOk(await ask(bob), 201);
      assertRefused(await ask(bob), 403, /maximum of 2/);
      const give = { credential: { user_id: bob.user.id } };
      assertRefused(await api.patch(`${CREDENTIALS}/${anns.id}`, give), 403, /maximum of 2/);
      assert.equal(assertOk(await api.get(`${CREDENTIALS}/${anns.id}`)).credential.user_id, ann.user.id);
      assertOk(await api.patch(`${CREDENTIALS}/${anns.id}`, { credential: { user_id: ann.user.id, blob: 'y' } }));
      const [first] = assertOk(await api.get(`${CREDENTIALS}?user_id=${bob.user.id}`)).credentials;
      assertOk(await api.patch(`${CREDENTIALS}/${first.id}`, { credential: { user_id: ann.user.id } }));
      assertOk(await api.patch(`${CREDENTIALS}/${anns.id}`, give));
    });
  },
  { settings: { GATEHOUSE_IDENTITY_CREDENTIAL_LIMIT: '2' } },
);
