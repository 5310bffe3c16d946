import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onBothDatabases, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { divideAuditEvents } from '../../../../test/support/by-month.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { newTimedId } from '../../../platform/ids.ts';

interface EventJson {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actor_id: string | null;
  readonly target_id: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const EVENTS = '/v3/OS-AUDIT/events';

onBothDatabases('GET /v3/OS-AUDIT/events', (api) => {
  const db = usesDatabaseOf(api);
  before(() => divideAuditEvents(db(), api));
  const list = async (query: Record<string, string>): Promise<EventJson[]> =>
    assertOk(await api.get(`${EVENTS}?${new URLSearchParams(query)}`)).events;
  const textOf = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${api.url}${EVENTS}?${query}`, { headers: { 'X-Auth-Token': api.adminToken, ...headers } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const refused = async (query: string): Promise<ApiAnswer> => {
    const answer = await api.get(`${EVENTS}?${query}`);
    assert.equal(answer.status, 400, `${query}: ${answer.text}`);
    return answer;
  };

  it('has the newest first, in the order of what happened', async () => {
    const group = await api.make('group', { name: uniqueName('group') });
    for (const description of ['a', 'b']) await api.patch(`/v3/groups/${group.id}`, { group: { description } });
    await api.delete(`/v3/groups/${group.id}`);
    const [event, ...others] = await list({ target_id: group.id });
    assert.deepEqual(
      [event, ...others].map((one) => one?.action),
      ['group.deleted', 'group.updated', 'group.updated', 'group.created'],
    );
    assert.match(event!.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/);
    const { id, at, actor_id, request_id, ...rest } = event as EventJson & { request_id: string };
    assert.match(request_id, /^req-/);
    assert.deepEqual(rest, {
      action: 'group.deleted',
      outcome: 'success',
      target_type: 'group',
      target_id: group.id,
      user_id: null,
      domain_id: 'default',
      application_id: null,
      detail: { domain_id: 'default' },
    });
  });

  it('has one event for many guesses at names that nobody has, with the last of them', async () => {
    const guess = async (): Promise<string | null> =>
      (await api.authenticate({ name: uniqueName('nobody'), password: 'x' })).headers.get('x-openstack-request-id');
    api.clock.hold();
    for (let i = 0; i < 12; i++) await guess();
    const last = await guess();
    const events = (await list({ target_id: 'unknown' })) as (EventJson & { request_id: string })[];
    assert.equal(events.length, 11, 'ten, and one for the others');
    assert.ok(events.some(({ request_id: id }) => id === last));
  });

  it('has those of many months in their order, by the beginning of their actions', async () => {
    const at = (month: number): number => Math.floor(api.clock.now() / 1000) + month * 31 * 86_400;
    for (let month = 1; month < 9; month++) await divideAuditEvents(db(), { clock: { now: () => at(month) * 1000 } });
    const rows = Array.from({ length: 24 }, (_, n) => ({
      id: newTimedId(at(n % 12) * 1000 + n),
      at: at(n % 12),
      action: `odd.one_${'abc'[n % 3]}`,
      target_kind: n % 2 === 0 ? 'thing' : 'user',
      target_id: 'odd',
      outcome: 'success' as const,
      detail: '{}',
      request_id: null,
      actor_id: null,
      domain_id: null,
      application_id: null,
      user_id: null,
    }));
    await db().write((tx) => tx.insertInto('audit_events').values(rows).execute());
    const newest = rows.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
    const idsIn = async (query: Record<string, string>) => (await list({ action: 'odd.*', ...query })).map(({ id }) => id);
    try {
      for (const limit of [3, 7]) {
        const got: string[] = [];
        for (let page = await idsIn({ limit: `${limit}` }); page.length > 0; ) {
          got.push(...page);
          page = await idsIn({ limit: `${limit}`, marker: got.at(-1)! });
        }
        assert.deepEqual(got, newest);
        assert.deepEqual(await idsIn({ limit: `${limit}`, after: `${at(0) - 9}.0` }), newest.toReversed().slice(0, limit));
      }
      const since = new Date(at(3) * 1000 - 9_000).toISOString();
      const until = new Date(at(5) * 1000 + 9_000).toISOString();
      assert.deepEqual(await idsIn({ since, until }), newest.slice(12, 18));
      assert.deepEqual(await idsIn({ since, until, target_type: 'thing' }), newest.slice(14, 16));
    } finally {
      await db().write((tx) => tx.deleteFrom('audit_events').where('target_id', '=', 'odd').execute());
    }
  });

  it('has the names of what still exists, if asked', async () => {
    const [user, group] = [
      await api.make('user', { name: uniqueName('ada') }),
      await api.make('group', { name: uniqueName('g') }),
    ];
    await api.put(`/v3/groups/${group.id}/users/${user.id}`);
    const namesFor = async (query: string) => assertOk(await api.get(`${EVENTS}?target_id=${group.id}${query}`)).names;
    assert.equal(await namesFor(''), undefined);
    assert.equal(await namesFor('&include_names=false'), undefined);
    const { user: users, ...others } = await namesFor('&include_names');
    assert.equal(users[user.id], user.name);
    assert.ok(Object.values(users).includes('admin'));
    assert.deepEqual(others, { group: { [group.id]: group.name }, domain: { default: 'Default' } });
    await api.delete(`/v3/groups/${group.id}`);
    assert.equal((await namesFor('&include_names')).group, undefined);
    await refused('include_names=perhaps');
    await refused('include_names&format=csv');
  });

  it('has the names of APIs for those who may see them', async () => {
    const about = { api: { identifier: `urn:${uniqueName('api')}`, name: 'Papers' } };
    const { api: made } = assertOk(await api.post('/v3/OS-OAUTH2/apis', about), 201);
    const path = `${EVENTS}?target_id=${made.id}&include_names`;
    assert.deepEqual(assertOk(await api.get(path)).names.api, { [made.id]: 'Papers' });
    // A manager sees what happened in the domain, also what mentions things that they may not see.
    const { user, token } = await api.persona(['manager'], { domain: 'default' });
    const now = api.clock.now();
    const event = {
      ...{ id: newTimedId(now), at: Math.floor(now / 1000), request_id: null, actor_id: user.id, action: 'api.mentioned' },
      ...{ target_kind: 'api', target_id: made.id, outcome: 'success', domain_id: 'default', detail: '{}' },
    };
    await db().write((tx) => tx.insertInto('audit_events').values(event).execute());
    const { events, names } = assertOk(await api.get(path, { token }));
    assert.deepEqual(
      events.map(({ action }: EventJson) => action),
      ['api.mentioned'],
    );
    assert.deepEqual(names, { user: { [user.id]: user.name }, domain: { default: 'Default' } });
  });

  it('finds the events of a person: as actor, as target, and as the one concerned', async () => {
    const { user, token } = await api.persona(['member'], { domain: 'default' });
    await api.post(`/v3/users/${user.id}/password`, { user: { original_password: 'wrong', password: 'x' } }, { token });
    const credential = { type: 'note', blob: 'x', user_id: user.id };
    assert.equal((await api.post('/v3/credentials', { credential }, { token })).status, 201);
    const all = (await list({ user_id: user.id })).map(({ action }) => action);
    assert.deepEqual(all, ['credential.created', 'user.login_refused', 'user.logged_in', 'grant.created', 'user.created']);
    assert.deepEqual(
      (await list({ actor_id: user.id })).map(({ action }) => action),
      ['credential.created', 'user.logged_in'],
    );
    assert.deepEqual(
      (await list({ user_id: user.id, outcome: 'failure' })).map(({ action }) => action),
      ['user.login_refused'],
    );
    assert.deepEqual(
      (await list({ user_id: user.id, action: 'user.*', target_type: 'user' })).map(({ action }) => action),
      ['user.login_refused', 'user.logged_in', 'user.created'],
    );
  });

  it('filters by action, kind and outcome alone', async () => {
    const { user } = await makeUser(api);
    await api.authenticate({ id: user.id, password: 'wrong' });
    const region = await api.make('region', {});
    assert.ok((await list({ action: 'user.login_refused' })).some(({ target_id }) => target_id === user.id));
    assert.ok((await list({ outcome: 'failure' })).some(({ target_id }) => target_id === user.id));
    for (const query of [{ action: 'region.created' }, { action: 'region.*' }, { target_type: 'region' }, { action: 'regi*' }]) {
      const found = await list(query);
      assert.ok(found.some(({ target_id }) => target_id === region.id));
      assert.ok(found.every(({ action }) => action.startsWith('region.')));
    }
    assert.deepEqual(await list({ action: 'nothing.happened' }), []);
    assert.deepEqual(await list({ action: 'region.created', target_type: 'user' }), []);
    assert.deepEqual(await list({ action: 'user' }), []);
  });

  it('has pages by marker, with every event once, and since and until', async () => {
    const target = uniqueName('target');
    const row = (at: number, n: number) => ({
      ...{ id: `${n}`.padStart(32, '0'), at, request_id: null, actor_id: null, action: 'test.done', target_kind: 'test' },
      ...{ target_id: target, outcome: 'success', detail: '{}' },
    });
    const start = Date.parse('2020-01-01T00:00:00Z') / 1000;
    // Several in each second, so that the id decides.
    const rows = Array.from({ length: 25 }, (_, n) => row(start + Math.floor(n / 4), n + 1));
    await db().write((tx) => tx.insertInto('audit_events').values(rows).execute());
    const expected = rows.map(({ id }) => id).reverse();
    for (const filter of [{ target_id: target }, { action: 'test.*' }, { target_type: 'test', outcome: 'success' }]) {
      const seen: string[] = [];
      let next: string | null = `${EVENTS}?${new URLSearchParams({ ...filter, limit: '7' } as Record<string, string>)}`;
      for (let page = 0; next !== null && page < 9; page++) {
        const { events, links }: { events: EventJson[]; links: { next: string | null } } = assertOk(await api.get(next));
        seen.push(...events.map(({ id }) => id));
        next = links.next === null ? null : links.next.slice(new URL(links.next).origin.length);
      }
      assert.deepEqual(seen, expected);
    }
    const between = { target_id: target, since: '2020-01-01T00:00:01Z', until: '2020-01-01T01:00:03+01:00' };
    assert.equal((await list(between)).length, 8);
    for (const query of ['marker=nothing', 'limit=0', 'since=yesterday', 'outcome=x', 'action=A', 'action=**', 'format=xml'])
      await refused(query);
    for (const query of [
      'after=1',
      'after=x.y',
      'format=csv&marker=1',
      'format=csv&after=1.1',
      'since=2026-01-01&since=2026-01-02',
    ])
      await refused(query);
  });

  it('follows new events, the oldest first: at once, and again until they have settled', async () => {
    api.clock.hold();
    const group = await api.make('group', { name: uniqueName('group') });
    let { after } = assertOk(await api.get(`${EVENTS}?limit=1`));
    const poll = async (limit = '2'): Promise<string[]> => {
      const answer = assertOk(await api.get(`${EVENTS}?${new URLSearchParams({ target_id: group.id, after, limit })}`));
      after = answer.after;
      return answer.events.map(({ action }: EventJson) => action);
    };
    for (let times = 0; times < 2; times++) assert.deepEqual(await poll(), ['group.created']);
    api.clock.advance(31);
    assert.deepEqual(await poll(), ['group.created']);
    assert.deepEqual(await poll(), [], 'it has settled');
    for (const description of ['a', 'b']) await api.patch(`/v3/groups/${group.id}`, { group: { description } });
    await api.delete(`/v3/groups/${group.id}`);
    // A follower with small pages is late, but misses nothing.
    assert.deepEqual(await poll(), ['group.updated', 'group.updated']);
    assert.deepEqual(await poll('3'), ['group.updated', 'group.updated', 'group.deleted']);
    api.clock.advance(31);
    assert.deepEqual(await poll(), ['group.updated', 'group.updated']);
    assert.deepEqual(await poll(), ['group.deleted']);
    assert.deepEqual(await poll(), []);
  });

  it('follows an event that is stored later than newer ones', async () => {
    const target = uniqueName('target');
    const row = (name: string, at: number) => ({
      ...{ id: newTimedId(at), at: Math.floor(at / 1000), request_id: null, actor_id: null, action: name, target_kind: 'test' },
      ...{ target_id: target, outcome: 'success', detail: '{}' },
    });
    const [began, stored, mayEnd] = [api.clock.now(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const insertLate = (): Promise<unknown> =>
      db().write(async (tx) => {
        await tx.insertInto('audit_events').values(row('test.late', began)).execute();
        stored.resolve();
        await mayEnd.promise;
      });
    // SQLite has one writer at a time: there the late one begins later.
    const late = api.kind === 'PostgreSQL' ? insertLate() : undefined;
    if (late) await stored.promise;
    let after = assertOk(await api.get(`${EVENTS}?limit=1`)).after;
    const seen = new Set<string>();
    const poll = async (): Promise<void> => {
      const answer = assertOk(await api.get(`${EVENTS}?${new URLSearchParams({ target_id: target, after })}`));
      after = answer.after;
      for (const { action } of answer.events as EventJson[]) seen.add(action);
    };
    api.clock.advance(10);
    await db().write((tx) => tx.insertInto('audit_events').values(row('test.newer', api.clock.now())).execute());
    await poll();
    assert.deepEqual([...seen], ['test.newer']);
    api.clock.advance(10);
    await poll();
    mayEnd.resolve();
    await (late ?? insertLate());
    await poll();
    assert.deepEqual([...seen], ['test.newer', 'test.late']);
  });

  it('exports as CSV and as lines of JSON, in one answer over many pages', async () => {
    const target = uniqueName('target');
    const evil = '=HYPERLINK("http://evil.example")';
    const rows = Array.from({ length: 2500 }, (_, n) => ({
      ...{ id: `e${n}`.padStart(32, '0'), at: 1000 + n, request_id: n === 0 ? evil : null, actor_id: null, action: 'test.done' },
      ...{
        target_kind: 'test',
        target_id: target,
        outcome: 'success',
        detail: JSON.stringify({ name: 'a "name",\nof two lines' }),
      },
    }));
    await db().write(async (tx) => {
      for (let from = 0; from < rows.length; from += 500)
        await tx
          .insertInto('audit_events')
          .values(rows.slice(from, from + 500))
          .execute();
    });
    const csv = await textOf(`target_id=${target}`, { Accept: 'text/csv' });
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(csv.headers.get('content-disposition')!, /attachment; filename="audit-events.csv"/);
    const lines = csv.text.split('\r\n');
    assert.equal(
      lines[0],
      'id,at,action,outcome,actor_id,target_type,target_id,user_id,domain_id,application_id,request_id,detail',
    );
    assert.equal(lines.length, 2502);
    assert.ok(lines[2500]!.includes(`"'=HYPERLINK(""http://evil.example"")"`));
    assert.ok(lines[1]!.endsWith(String.raw`"{""name"":""a \""name\"",\nof two lines""}"`));
    const json = await textOf(`target_id=${target}&format=ndjson`);
    assert.equal(json.headers.get('content-type'), 'application/x-ndjson');
    const events = json.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      events.map(({ id }) => id),
      rows.map(({ id }) => id).reverse(),
    );
    assert.equal((await textOf(`target_id=${target}&format=ndjson&limit=1200`)).text.trimEnd().split('\n').length, 1200);
    const rest = await textOf(`target_id=${target}&format=csv&limit=2&marker=${rows[3]!.id}`);
    assert.deepEqual(
      rest.text
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split('"')[1]),
      [rows[2]!.id, rows[1]!.id],
      'an export goes on where another one ended, without a second head',
    );
    const head = await fetch(`${api.url}${EVENTS}?format=csv`, { method: 'HEAD', headers: { 'X-Auth-Token': api.adminToken } });
    assert.equal(head.status, 200);
  });
});

onEachDatabase('GET /v3/OS-AUDIT/counts', (api) => {
  const counts = async (query: string, token = api.adminToken) =>
    assertOk(await api.get(`/v3/OS-AUDIT/counts?${query}`, { token })).counts as {
      start: string;
      logins: number;
      refused: number;
    }[];

  it('has logins and refused ones of each hour, of the domain for its manager', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const { token, user, password } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
    await api.authenticate({ id: user.id, password });
    await api.authenticate({ id: user.id, password: 'wrong' });
    const hours = await counts('', token);
    assert.ok(hours.length === 24 || hours.length === 25);
    const sum = (all: typeof hours) => [all.reduce((n, { logins }) => n + logins, 0), all.reduce((n, one) => n + one.refused, 0)];
    assert.deepEqual(sum(hours), [2, 1]);
    const [logins, wrong] = sum(await counts('interval=day&since=2026-01-01&until=2026-01-03'));
    assert.deepEqual([logins, wrong], [0, 0]);
    assert.equal((await counts('interval=day&since=2026-01-01&until=2026-01-03')).length, 2);
    const everybody = sum(await counts(''));
    assert.ok(everybody[0]! > 2 && everybody[1]! >= 1);
  });

  it('refuses too many periods, and people without a role', async () => {
    for (const query of ['since=2020-01-01', 'interval=minute', 'since=x'])
      assert.equal((await api.get(`/v3/OS-AUDIT/counts?${query}`)).status, 400, query);
    const { token } = await api.persona(['member'], { domain: 'default' });
    assert.equal((await api.get('/v3/OS-AUDIT/counts', { token })).status, 403);
    assert.equal((await api.get('/v3/OS-AUDIT/counts', { token: null })).status, 401);
  });
});
