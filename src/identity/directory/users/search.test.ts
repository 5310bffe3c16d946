import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { plansOf } from '../../../../test/support/plans.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import type { Database } from '../../ground/database/index.ts';
import { nameKey } from './name-key.ts';
import { listUsers, updateUser } from './users.store.ts';
import { fillMissingWords } from './words.store.ts';
import { searchedWords, wordsOf } from './words.ts';

describe('Words of people', () => {
  it('have no case and no accents, and none begins another', () => {
    const profile = {
      displayName: 'María José García-López',
      name: { givenName: 'María', familyName: 'GARCÍA' },
      emails: [{ value: 'Maria.Garcia@Example.org' }, { value: 'mj@example.com' }, {}, 'nonsense'],
    };
    const words = ['garcia-lopez', 'jose', 'maria.garcia@example.org', 'mj@example.com'];
    assert.deepEqual(wordsOf('maria.garcia', profile), words);
    assert.deepEqual(wordsOf('x', { emails: 'y', name: null, displayName: 7 }), ['x']);
    assert.deepEqual(searchedWords('  Jo  GARCÍA jo '), ['garcia', 'jo']);
  });

  it('are few and short, and storable, whatever clients send', () => {
    const long = Array.from({ length: 500 }, (_, at) => `w${at}${'\u{1f600}'.repeat(300)}`).join(' ');
    const words = wordsOf('name', { displayName: long, nickName: 'a\u0000b\ud800c' });
    assert.equal(words.length, 20);
    assert.ok(words.every((word) => [...word].length <= 64));
    assert.deepEqual(wordsOf('name', { nickName: 'a\u0000b\ud800c' }), ['abc', 'name']);
    assert.equal(searchedWords(long).length, 5);
  });
});

onEachDatabase('Search and order of lists', (api) => {
  const db = usesDatabaseOf(api);
  let domain: { id: string };
  /** By user name. */
  const people = new Map<string, string>();

  const find = async (search: string, more = '', token?: string): Promise<string[]> => {
    const path = `/v3/users?search=${encodeURIComponent(search)}${more}`;
    const { users } = assertOk(await api.get(path, token === undefined ? {} : { token }));
    return users.map(({ name }: { name: string }) => name);
  };

  before(async () => {
    domain = await api.make('domain', { name: uniqueName('domain') });
    for (const [name, email] of [
      ['zoe', 'anna@example.org'],
      ['Anton', 'toni@example.org'],
      ['anna', undefined],
      ['Böse', '100%@example.org'],
      ['annabel', 'annabel@example.org'],
    ] as const)
      people.set(name, (await api.make('user', { name, domain_id: domain.id, ...(email ? { email } : {}) })).id);
  });

  describe('people', () => {
    it('are found by the beginning of name or e-mail address, each once, in the order of what was found', async () => {
      const here = `&domain_id=${domain.id}`;
      assert.deepEqual(await find('ANN', here), ['anna', 'zoe', 'annabel']);
      assert.deepEqual(await find('annab', here), ['annabel']);
      assert.deepEqual(await find('toni@', here), ['Anton']);
      assert.deepEqual(await find('bose', here), ['Böse']);
      assert.deepEqual(await find('100%', here), ['Böse']);
      for (const nothing of ['nna', '%', '_', '\u{10ffff}', '\u0301', 'anna anton'])
        assert.deepEqual(await find(nothing, here), []);
      assert.equal((await find('  ', here)).length, 5);
    });

    it('are found by several words, and by their id alone', async () => {
      const user = await api.make('user', { name: uniqueName('maria'), email: 'garcia@words.example' });
      assert.deepEqual(await find('Gar MAR'), [user.name]);
      assert.deepEqual(await find(user.id), [user.name]);
      assert.deepEqual(await find(user.id.slice(0, 31)), []);
      assert.deepEqual(await find(user.id, `&domain_id=${domain.id}`), []);
      for (const filter of ['&enabled=false', '&password_expires_at=lt:2020-01-01T00:00:00Z'])
        for (const text of ['gar', user.id]) assert.deepEqual(await find(text, filter), [], filter);
    });

    it('are paged there and back', async () => {
      const path = `/v3/users?search=a&domain_id=${domain.id}&limit=1`;
      const names: string[] = [];
      let [next, previous] = [`${api.url}${path}` as string | null, null as string | null];
      while (next !== null) {
        const { users, links } = assertOk(await api.get(next.slice(api.url.length)));
        names.push(...users.map(({ name }: { name: string }) => name));
        ({ next, previous } = links);
      }
      assert.deepEqual(names, ['anna', 'zoe', 'annabel', 'Anton']);
      const back: string[] = [];
      while (previous !== null) {
        const { users, links } = assertOk(await api.get(previous.slice(api.url.length)));
        back.unshift(...users.map(({ name }: { name: string }) => name));
        ({ previous } = links);
      }
      assert.deepEqual(back, ['anna', 'zoe', 'annabel']);
      assertRefused(await api.get(`${path}&marker=${people.get('Böse')}`), 400, /'marker'/);
    });

    it('are found by what they are called now', async () => {
      const [first, second] = [uniqueName('before'), uniqueName('after')];
      const { id } = await api.make('user', { name: first, email: `${first}@example.org` });
      assertOk(await api.patch(`/v3/users/${id}`, { user: { name: second, email: `${second}@example.org` } }));
      assert.deepEqual(await find(first), []);
      assert.deepEqual(await find(second), [second]);
      assertOk(await api.patch(`/v3/users/${id}`, { user: { email: null } }));
      assert.deepEqual(await find(`${second}@`), []);
      assertOk(await api.delete(`/v3/users/${id}`), 204);
      const words = await db().read.selectFrom('user_words').where('user_id', '=', id).selectAll().execute();
      assert.deepEqual(words, []);
    });

    it('whom an older version created or renamed are found after a while, and changes in between hide none of them', async () => {
      const [old, renamed] = [uniqueName('old'), uniqueName('renamed')];
      const { id } = await api.make('user', { name: old });
      await db().write(async (tx) => {
        const values = { name: renamed, name_key: nameKey(renamed) };
        await tx
          .updateTable('users')
          .set((eb) => ({ ...values, version: eb('version', '+', 1) }))
          .where('id', '=', id)
          .execute();
      });
      // A change of this version that leaves the name as it is.
      await db().write((tx) => updateUser(tx, id, { enabled: 0, updated_at: 1 }));
      assert.deepEqual(await find(renamed), []);
      while ((await fillMissingWords(db(), 2)) > 0);
      assert.deepEqual(await find(renamed), [renamed]);
      assert.deepEqual(await find(old), []);
    });

    it('are sorted by name regardless of case, and by creation', async () => {
      const sorted = async (sort: string): Promise<string[]> => {
        const names: string[] = [];
        let next: string | null = `${api.url}/v3/users?domain_id=${domain.id}&limit=2&sort=${sort}`;
        while (next !== null) {
          const { users, links } = assertOk(await api.get(next.slice(api.url.length)));
          names.push(...users.map(({ name }: { name: string }) => name));
          next = links.next;
        }
        return names;
      };
      const names = ['anna', 'annabel', 'Anton', 'Böse', 'zoe'];
      assert.deepEqual(await sorted('name'), names);
      assert.deepEqual(await sorted('-name'), [...names].reverse());
      assert.deepEqual((await sorted('created_at')).sort(), [...names].sort());
      assert.deepEqual(await sorted('-created_at'), (await sorted('created_at')).reverse());
    });
  });

  it('finds groups, projects, domains, roles, consumers and invitations by the beginning of their name', async () => {
    const prefix = uniqueName('Find');
    const names = ['b', 'A', 'É', 'c'].map((end) => `${prefix}-${end}`);
    const create = async (kind: 'group' | 'project' | 'domain' | 'role') => {
      for (const name of names) await api.make(kind, { name });
    };
    for (const kind of ['group', 'project', 'domain', 'role'] as const) await create(kind);
    for (const name of names) assertOk(await api.post('/v3/OS-OAUTH2/consumers', { consumer: { name } }));
    for (const name of ['b', 'A'])
      assertOk(
        await api.post('/v3/OS-REGISTRATION/invitations', { invitation: { email: `${prefix}-${name}@example.org` } }),
        201,
      );
    const list = async (path: string) => {
      const body = assertOk(await api.get(path));
      return Object.entries<{ id: string; name: string; email: string }[]>(body).find(([key]) => key !== 'links')![1];
    };
    for (const path of ['groups', 'projects', 'domains', 'roles', 'OS-OAUTH2/consumers'].map((name) => `/v3/${name}`)) {
      const found = await list(`${path}?search=${prefix.toLowerCase()}-`);
      assert.deepEqual(
        found.map(({ name }) => name),
        ['A', 'b', 'c', 'É'].map((end) => `${prefix}-${end}`),
        path,
      );
      assert.deepEqual(await list(`${path}?search=${found[1]!.id}`), [found[1]]);
      assert.deepEqual(await list(`${path}?search=${prefix}-&limit=2&marker=${found[1]!.id}`), found.slice(2), path);
      assert.deepEqual(await list(`${path}?search=ind-`), []);
      const sorted = (await list(`${path}?sort=-name`)).filter(({ name }) => name.startsWith(prefix));
      assert.deepEqual(sorted, found.toReversed(), path);
      assertRefused(await api.get(`${path}?sort=id`), 400, /'sort'/);
      assertRefused(await api.get(`${path}?search=a&sort=name`), 400, /'sort'/);
      assertRefused(await api.get(`${path}?search=${'a'.repeat(256)}`), 400, /'search'/);
      assertRefused(await api.get(`${path}?search=a&search=b`), 400, /'search'/);
    }
    const invited = await list(`/v3/OS-REGISTRATION/invitations?search=${prefix.toLowerCase()}`);
    assert.deepEqual(
      invited.map(({ email }) => email),
      ['A', 'b'].map((end) => `${prefix}-${end}@example.org`),
    );
    for (const sort of ['email', '-email', 'created_at', '-created_at'])
      assert.ok((await list(`/v3/OS-REGISTRATION/invitations?sort=${sort}`)).length >= 2);
  });

  it('finds by every address of a person those who may read these addresses, and nobody else', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const second = `${uniqueName('second')}@example.org`;
    const [{ token }, other] = [
      await api.persona(['reader'], { domain: domain.id }, { domain_id: domain.id }),
      await api.persona(['reader'], { domain: 'default' }),
    ];
    const user = await api.make('user', { name: uniqueName('user'), domain_id: domain.id });
    const emails = [
      { value: `${uniqueName('first')}@example.org`, primary: true },
      { value: second, primary: false },
    ];
    const manager = await api.persona(['admin'], { domain: domain.id }, { domain_id: domain.id });
    const patch = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'emails', value: emails }],
    };
    assertOk(await api.patch(`/scim/v2/Users/${user.id}`, patch, { token: manager.token }), 204);
    assert.deepEqual(await find(second, '', token), [user.name]);
    const { emails: shown } = assertOk(await api.get(`/scim/v2/Users/${user.id}`, { token }));
    assert.ok(shown.some(({ value }: { value: string }) => value === second));
    assert.deepEqual(await find(second, '', other.token), []);
  });

  it('shows a manager only what is in the domain, whatever is searched for', async () => {
    const { token } = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id });
    const outside = await api.make('user', { name: uniqueName('anna-outside') });
    assert.deepEqual(await find('anna', '', token), ['anna', 'zoe', 'annabel']);
    assert.deepEqual(await find(outside.id, '', token), []);
    assert.deepEqual(await find('anna', '&domain_id=default', token), []);
    assertRefused(await api.get(`/v3/users?search=anna&marker=${outside.id}`, { token }), 400, /'marker'/);
    const project = await api.make('project', { name: uniqueName('project') });
    const { token: nobody } = await api.persona(['member'], { project: project.id });
    assertRefused(await api.get('/v3/users?search=anna', { token: nobody }), 403);
  });

  it('reads only the rows of a page, by an index', async () => {
    const { dialect } = db();
    const group = await api.make('group', { name: uniqueName('everybody') });
    const ids = Array.from({ length: 3000 }, (_, at) => `plan${String(at).padStart(28, '0')}`);
    const domainOf = (id: string) => (/[0-4]$/.test(id) ? domain.id : 'default');
    const model = await db().read.selectFrom('users').where('id', '=', people.get('anna')!).selectAll().executeTakeFirstOrThrow();
    await db().write(async (tx) => {
      for (let at = 0; at < ids.length; at += 500) {
        const some = ids.slice(at, at + 500);
        // Each with a time of its own: PostgreSQL sorts the few that it expects of a single second.
        const users = some.map((id, n) => ({
          ...model,
          id,
          created_at: model.created_at - at - n,
          domain_id: domainOf(id),
          name: id,
          name_key: id,
        }));
        await tx.insertInto('users').values(users).execute();
        const words = some.map((id) => ({ user_id: id, domain_id: domainOf(id), word: id }));
        await tx.insertInto('user_words').values(words).execute();
        const members = some.map((id) => ({
          group_id: group.id,
          user_id: id,
          display: null,
          expires_at: null,
          kept: 1 as const,
        }));
        await tx.insertInto('group_members').values(members).execute();
      }
    });
    if (dialect === 'postgres') await sql`analyze users, user_words, group_members`.execute(db().read);
    const here = [{ column: 'users.domain_id', comparison: 'equals', value: domain.id }] as const;
    const creation = { by: 'created_at', descending: true } as const;
    const [words, users] = [
      'user_words_by_(word|domain)',
      'users_(name|by_name|by_name_key|by_domain|by_creation|by_domain_and_creation)',
    ];
    for (const [index, visible, request] of [
      [words, [], { search: 'plan' }],
      [words, [], { search: 'plan0 plan' }],
      [words, [], { search: 'plan00 plan000 plan' }],
      [words, here, { search: 'plan' }],
      [users, [], { sort: { by: 'name_key' } }],
      [users, here, { sort: { by: 'name_key' } }],
      [users, [], { sort: creation }],
      [users, here, { sort: creation }],
      [users, [], { group: { groupId: group.id, now: 0 } }],
      [users, here, { group: { groupId: group.id, now: 0 } }],
    ] as const)
      for (const marker of [undefined, ids[1000]]) {
        const plans = await plansOf(db(), (watched) =>
          listUsers(watched, { limit: 5, marker }, { criteria: [], visible }, request),
        );
        const [list] = plans.filter((plan) => new RegExp(`using (covering )?(index )?(${index})\\b`, 'i').test(plan));
        assert.ok(list, `${index}: ${plans.join('\n')}`);
        // Words that are counted, up to a limit, may be read from the table when it is small.
        for (const plan of plans.filter((one) => !one.includes('Aggregate'))) {
          assert.doesNotMatch(plan, /SCAN (users|user_words)(?! USING)|Seq Scan/, index);
          assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY|-> {2}Sort /, index);
        }
      }
  });

  it('lists the present members of a group page by page, whether it sorts them or reads people in their order', async () => {
    const group = await api.make('group', { name: uniqueName('group') });
    const now = 1000;
    // Of two members the time has come.
    const ends = new Map([
      ['anna', null],
      ['annabel', now],
      ['Anton', now + 1],
      ['Böse', null],
      ['zoe', now - 1],
    ]);
    const members = [...ends].map(([name, expires_at]) => {
      return { group_id: group.id, user_id: people.get(name)!, display: null, expires_at, kept: 1 };
    });
    const model = await db().read.selectFrom('users').where('id', '=', people.get('anna')!).selectAll().executeTakeFirstOrThrow();
    // So many that the members are fewer than half.
    const others = members.map((_, at) => ({ ...model, id: `beside${at}`, name: `beside${at}`, name_key: `beside${at}` }));
    await db().write(async (tx) => {
      await tx.insertInto('group_members').values(members).execute();
      await tx.insertInto('users').values(others).execute();
    });
    const ids = ['anna', 'Anton', 'Böse'].map((name) => people.get(name)!);
    const rows = await db().read.selectFrom('users').select('id').where('id', 'in', ids).orderBy('name').execute();
    const [first, second, third] = rows.map(({ id }) => id);
    for (const [many, sorts] of [
      [6, true],
      [5, false],
      [1, false],
    ] as const) {
      const read = (from: Database, marker: string | undefined) =>
        listUsers(from, { limit: 2, marker }, { criteria: [], visible: [] }, { group: { groupId: group.id, now, many } });
      const pageAfter = async (marker: string | undefined) => {
        const { items, ...markers } = (await read(db(), marker))!;
        return { ids: items.map(({ id }) => id), ...markers };
      };
      assert.deepEqual(await pageAfter(undefined), { ids: [first, second], next: second, previous: null }, String(many));
      assert.deepEqual(await pageAfter(second), { ids: [third], next: null, previous: '' }, String(many));
      const plans = (await plansOf(db(), (watched) => read(watched, undefined))).join('\n');
      if (db().dialect === 'sqlite') assert.equal(plans.includes('TEMP B-TREE FOR ORDER BY'), sorts, plans);
    }
  });

  it('finds the same people by broad words, in whatever order, each once on its pages', async () => {
    const prefix = `${uniqueName('broad').replaceAll(/[^a-z]/g, '')}x`;
    const ids = Array.from({ length: 2400 }, (_, at) => `${prefix}${String(at).padStart(4, '0')}`.padStart(32, '0').slice(-32));
    const model = await db().read.selectFrom('users').where('id', '=', people.get('anna')!).selectAll().executeTakeFirstOrThrow();
    // Everybody has the first word. The second one is missing among the first thousand, the third is only there.
    const wordsOfOne = (at: number) => [`${prefix}a${String(at).padStart(4, '0')}`, `${prefix}${at < 1200 ? 'c' : 'b'}${at}`];
    await db().write(async (tx) => {
      for (let at = 0; at < ids.length; at += 400) {
        const some = ids.slice(at, at + 400);
        await tx
          .insertInto('users')
          .values(some.map((id) => ({ ...model, id, name: id, name_key: id })))
          .execute();
        const words = some.flatMap((id, n) =>
          wordsOfOne(at + n).map((word) => ({ user_id: id, domain_id: model.domain_id, word })),
        );
        await tx.insertInto('user_words').values(words).execute();
      }
    });
    for (const [search, count] of [
      [`${prefix}a ${prefix}b`, 1200],
      [`${prefix}c ${prefix}a`, 1200],
      [`${prefix}b ${prefix}c`, 0],
    ] as const) {
      const found: string[] = [];
      let next: string | null = `/v3/users?search=${encodeURIComponent(search)}&limit=500`;
      while (next !== null) {
        const { users, links } = assertOk(await api.get(next));
        found.push(...users.map(({ id }: { id: string }) => id));
        next = links.next?.slice(api.url.length) ?? null;
      }
      assert.deepEqual([found.length, new Set(found).size], [count, count], search);
    }
  });
});
