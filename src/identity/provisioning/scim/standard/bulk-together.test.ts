// People who are created one after the other in a bulk request share a transaction: nobody can tell, but by the time it takes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../../test/support/api.ts';
import { itAtLength } from '../../../../../test/support/extent.ts';
import { usesDatabaseOf } from '../../../../../test/support/restartable-api.ts';
import {
  assertScimError,
  BULK_REQUEST,
  connect,
  GROUP,
  patchOf,
  type ScimClient,
  USER,
} from '../../../../../test/support/scim.ts';

type Operation = Record<string, unknown>;

const newUser = (userName: string, values: Operation = {}): Operation => ({
  method: 'POST',
  path: '/Users',
  bulkId: uniqueName('id'),
  data: { schemas: [USER], userName, ...values },
});

onBothDatabases('People who are created by one bulk request', (api) => {
  const db = usesDatabaseOf(api);
  let scim: ScimClient;
  let domain: { id: string };
  before(async () => {
    ({ scim, domain } = await connect(api));
  });

  const send = (client: ScimClient, Operations: readonly Operation[], more: Operation = {}) =>
    client.post('/Bulk', { schemas: [BULK_REQUEST], ...more, Operations });
  const run = async (operations: readonly Operation[], more: Operation = {}): Promise<any[]> =>
    assertOk(await send(scim, operations, more)).Operations;
  const statuses = (results: readonly any[]): string[] => results.map(({ status }) => status);
  const named = async (name: string): Promise<any[]> =>
    (await scim.list('/Users', { filter: `userName eq "${name}"` })).Resources;
  const names = (count: number): string[] => Array.from({ length: count }, () => uniqueName('bulk'));

  it('are found by all that they have, each with one event', async () => {
    const people = names(230);
    const count = async (): Promise<number> => (await db().read.selectFrom('audit_events').select('id').execute()).length;
    const before = await count();
    const answer = await send(
      scim,
      people.map((name, n) =>
        newUser(name, {
          externalId: `external-${name}`,
          active: n % 2 === 0,
          name: { givenName: 'Ada', familyName: `Of${name}x` },
          emails: [{ value: `${name}@Example.org`, primary: true }, { value: `${name}@example.net` }],
        }),
      ),
    );
    const results = assertOk(answer).Operations;
    assert.deepEqual(new Set(statuses(results)), new Set(['201']));
    for (const n of [0, 1, 99, 100, 229]) {
      const name = people[n]!;
      const [byName] = await named(name);
      assert.equal(byName.meta.location, results[n].location);
      assert.equal(byName.meta.version, results[n].version);
      assert.deepEqual([byName.active, byName.externalId], [n % 2 === 0, `external-${name}`]);
      for (const filter of [`emails.value eq "${name}@example.net"`, `externalId eq "external-${name}"`])
        assert.deepEqual((await scim.list('/Users', { filter })).Resources, [byName]);
      const found = assertOk(await api.get(`/v3/users?search=of${name}x&domain_id=${domain.id}`)).users;
      assert.deepEqual(
        found.map(({ id, email }: any) => [id, email]),
        [[byName.id, `${name}@Example.org`]],
      );
    }
    const events = await db()
      .read.selectFrom('audit_events')
      .where('request_id', '=', answer.headers.get('x-openstack-request-id'))
      .select(['action', 'target_id', 'domain_id'])
      .execute();
    assert.equal(new Set(events.map(({ target_id }) => target_id)).size, 230);
    assert.deepEqual(
      new Set(events.map(({ action, domain_id }) => `${action} ${domain_id}`)),
      new Set([`user.created ${domain.id}`]),
    );
    assert.equal(await count(), before + 230);
  });

  it('do not fail with one in the middle, whatever the reason', async () => {
    const taken = await scim.makeUser();
    const [first, last] = names(2) as [string, string];
    const results = await run([
      newUser(first),
      newUser(taken.userName.toUpperCase()),
      newUser(first.toUpperCase()),
      newUser(`аdmin-${first}`),
      newUser('two\u0301\u0301\u0301\u0301\u0301\u0301'),
      newUser(''),
      { ...newUser('x'), data: { schemas: [USER] } },
      { ...newUser('x'), data: { schemas: [USER], userName: 7 } },
      newUser(last, { password: 'a password of a test' }),
      newUser('y'.repeat(256)),
      newUser(`${last}-2`),
    ]);
    assert.deepEqual(statuses(results), ['201', '409', '409', '400', '400', '400', '400', '400', '201', '400', '201']);
    assertScimError(results[1].response, 409, 'uniqueness');
    assertScimError(results[2].response, 409, 'uniqueness');
    for (const name of [first, last, `${last}-2`]) assert.equal((await named(name)).length, 1);
  });

  it('do not fail with one whom the database refuses, which nobody foresaw', async () => {
    const [first, last] = names(2) as [string, string];
    // Longer than what fits into an index of PostgreSQL.
    const externalId = randomBytes(9000).toString('base64');
    const results = await run([newUser(first), newUser(uniqueName('bulk'), { externalId }), newUser(last)]);
    assert.deepEqual(statuses(results), ['201', api.kind === 'PostgreSQL' ? '500' : '201', '201']);
    for (const name of [first, last]) assert.equal((await named(name)).length, 1);
  });

  it('may not look alike, those of one request among them', async () => {
    const name = uniqueName('scope');
    const alike = name.replace('o', 'о'); // Cyrillic: a word of one script, next to none of the letters of the first
    const whole = 'сосо'; // Cyrillic, all of it
    const results = await run([newUser(`coco ${name}`), newUser(`${whole} ${name}`), newUser(alike)]);
    assert.deepEqual(statuses(results), ['201', '409', '400']);
    assert.match(results[1].response.detail, /look/i);
  });

  it('are none when all are refused, and nothing is stored', async () => {
    const { userName } = await scim.makeUser();
    const total = (await scim.list('/Users', { count: 0 })).totalResults;
    assert.deepEqual(statuses(await run([newUser(userName), newUser(userName)])), ['409', '409']);
    assert.equal((await scim.list('/Users', { count: 0 })).totalResults, total);
  });

  it('end where failOnErrors says: who comes later is neither created nor told of', async () => {
    const { userName: taken } = await scim.makeUser();
    const [a, b, c, d] = names(4) as [string, string, string, string];
    const bad = { ...newUser('x'), data: { schemas: [USER] } };
    assert.deepEqual(statuses(await run([newUser(a), bad, newUser(b), newUser(taken), newUser(c)], { failOnErrors: 2 })), [
      '201',
      '400',
      '201',
      '409',
    ]);
    assert.deepEqual(
      statuses(await run([newUser(taken), newUser(d), { method: 'DELETE', path: '/Users/x' }], { failOnErrors: 1 })),
      ['409'],
    );
    for (const [name, count] of [
      [a, 1],
      [b, 1],
      [c, 0],
      [d, 0],
    ] as const)
      assert.equal((await named(name)).length, count, name);
  });

  it('are there for what comes after them in the request, by reference or by name', async () => {
    const [a, b] = names(2) as [string, string];
    const [first, second] = [newUser(a), newUser(b)];
    const results = await run([
      first,
      second,
      { method: 'PATCH', path: `/Users/bulkId:${first.bulkId}`, data: patchOf({ op: 'add', path: 'title', value: 'Guide' }) },
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'group',
        data: { schemas: [GROUP], displayName: uniqueName('bulk'), members: [{ value: `bulkId:${second.bulkId}` }] },
      },
      { method: 'DELETE', path: `/Users/bulkId:${second.bulkId}` },
      newUser(b, { title: 'again' }),
    ]);
    assert.deepEqual(statuses(results), ['201', '201', '200', '201', '204', '201']);
    assert.equal((await named(a))[0].title, 'Guide');
    assert.equal((await named(b))[0].title, 'again');
  });

  describe('by two requests at once', () => {
    const countOf = async (tableName: 'user_name_forms' | 'user_words', ids: readonly string[]): Promise<number> => {
      const rows = await db().read.selectFrom(tableName).where('user_id', 'in', ids).select('user_id').execute();
      return new Set(rows.map(({ user_id }) => user_id)).size;
    };

    it('with the same names exist once, and one of the two is told so for each', async () => {
      for (let round = 0; round < 2; round++) {
        const people = names(120);
        const requests = [people, people.toReversed(), people.toReversed(), people];
        const answers = await Promise.all(
          requests.map((some) =>
            send(
              scim,
              some.map((name) => newUser(name)),
            ),
          ),
        );
        const done = new Map<string, string[]>();
        for (const [at, answer] of answers.entries())
          for (const [n, { status }] of assertOk(answer).Operations.entries())
            done.set(requests[at]![n]!, [...(done.get(requests[at]![n]!) ?? []), status]);
        for (const name of people) assert.deepEqual(done.get(name)!.sort(), ['201', '409', '409', '409'], name);
        const ids = await Promise.all(people.map(async (name) => (await named(name)).map(({ id }) => id)));
        assert.deepEqual(new Set(ids.map(({ length }) => length)), new Set([1]));
        assert.equal(await countOf('user_name_forms', ids.flat()), people.length);
        assert.equal(await countOf('user_words', ids.flat()), people.length);
      }
    });

    it('that look alike exist once', async () => {
      const suffix = uniqueName('x');
      const [latin, cyrillic] = ['coco', 'сосо'].map((word) => Array.from({ length: 20 }, (_, n) => `${word} ${n} ${suffix}`));
      const answers = await Promise.all(
        [latin!, cyrillic!].map((some) =>
          send(
            scim,
            some.map((name) => newUser(name)),
          ),
        ),
      );
      const [one, other] = answers.map((answer) => statuses(assertOk(answer).Operations));
      for (const [n, status] of one!.entries()) assert.deepEqual([status, other![n]!].sort(), ['201', '409']);
    });
  });

  if (api.kind === 'PostgreSQL')
    itAtLength('are refused with 503 when others hold what they need for too long, and nobody of them is there', async () => {
      const holder = new pg.Client(api.databaseUrl);
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query('select pg_advisory_xact_lock(hashtext($1))', [`gatehouse names of ${domain.id}`]);
        const people = names(20).map((name) => newUser(name));
        const elsewhere = (await connect(api)).scim;
        const [held, free] = await Promise.all([send(scim, people), send(elsewhere, people)]);
        assert.deepEqual(new Set(statuses(assertOk(held).Operations)), new Set(['503']));
        assert.deepEqual(new Set(statuses(assertOk(free).Operations)), new Set(['201']));
        await holder.query('rollback');
        assert.deepEqual(new Set(statuses(await run(people))), new Set(['201']));
      } finally {
        await holder.end();
      }
    });
});
