import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../../test/support/restartable-api.ts';
import { BULK_REQUEST, connect, USER } from '../../../../../test/support/scim.ts';
import { type Fault, fault } from '../../../ground/faults.ts';
import { userType } from '../core/definitions.ts';
import { parseFilter } from '../core/filter.ts';
import { deleteExcess, insertRequests } from './requests.store.ts';
import { detailOf, KEEP, patternOf } from './requests.ts';

interface RequestEntry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly scim_type: string | null;
  readonly detail: string | null;
  readonly milliseconds: number | null;
  readonly request_id: string;
}

describe('What is stored of a request', () => {
  it('has no id, no name and no query in its path', () => {
    assert.equal(patternOf('/scim/v2/Users/:id', '/scim/v2/Users/42?filter=x'), '/scim/v2/Users/{id}');
    assert.equal(patternOf('none', '/scim/v2/v2/ann@example.org?x=secret'), '/scim/v2/v2/…');
    assert.equal(patternOf('none', '/scim/ann/Users'), '/scim/…/Users');
  });

  it('has no value that may name a person in its text', () => {
    const duplicate = fault('resource.duplicate', { kind: 'user', field: 'name', value: 'ann' });
    assert.match(detailOf(duplicate), /store user - Duplicate Entry found with name …\.$/);
    const path = 'emails[value eq "ann@example.org"].display';
    assert.equal(
      detailOf(fault('scim.no_target', { path })),
      'The path emails[value eq "…"].display matches nothing that can be changed.',
    );
    assert.ok(!detailOf(fault('scim.invalid_value', { name: 'emails', why: 'ann@example.org is taken' })).includes('ann@'));
    assert.equal(detailOf(fault('user.not_found', { id: 'ann' })), 'Could not find user: ….');
    const lost = detailOf(fault('scim.invalid_path', { path: '/User/ann', why: 'it leads to no resource' }));
    assert.equal(lost, 'The path /…/… cannot be used: it leads to no resource.');
    for (const filter of ['userName zoe', 'userName "zoe"', 'userName eq "a" zoe'])
      assert.throws(
        () => parseFilter(userType, filter),
        (refusal: Fault) => !detailOf(refusal).includes('zoe'),
        filter,
      );
  });
});

onBothDatabases('The last requests of a connection', (api) => {
  const db = usesDatabaseOf(api);
  const requestsOf = async (id: string, query = ''): Promise<RequestEntry[]> =>
    assertOk(await api.get(`/v3/OS-SCIM/connections/${id}/requests${query}`)).requests;

  it('are listed with what went wrong, the newest first, by page and by outcome', async () => {
    const { connection, domain, scim } = await connect(api);
    const userName = uniqueName('ann');
    await scim.makeUser({ userName });
    const refused = await scim.post('/Users', { schemas: [USER], userName });
    assert.equal(refused.status, 409);
    await scim.list('/Users', { filter: `userName eq "${userName}"` });
    assert.equal((await scim.get('/Users/nobody')).status, 404);
    assert.equal((await scim.get('/Nothing/at-all')).status, 404);
    const Operations = [{ method: 'PATCH', path: `/Users/${userName}`, data: {} }];
    assert.equal((await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations })).status, 200);
    const all = await requestsOf(connection.id);
    assert.deepEqual(
      all.map(({ method, path, status }) => `${method} ${path} ${status}`),
      [
        'POST /scim/v2/Bulk 200',
        'POST /scim/v2/Bulk: PATCH /Users/… 404',
        'GET /scim/v2/…/… 404',
        'GET /scim/v2/Users/{id} 404',
        'GET /scim/v2/Users 200',
        'POST /scim/v2/Users 409',
        'POST /scim/v2/Users 201',
      ],
    );
    const conflict = all[5]!;
    assert.deepEqual([conflict.scim_type, all[6]!.detail], ['uniqueness', null]);
    assert.equal(conflict.request_id, refused.headers.get('x-openstack-request-id'));
    assert.ok(conflict.milliseconds! >= 0);
    assert.ok(!JSON.stringify(all).includes(userName), 'nobody is named');
    const failures = await requestsOf(connection.id, '?outcome=failure&limit=2');
    assert.deepEqual(
      failures.map(({ id }) => id),
      [all[1]!.id, all[2]!.id],
    );
    assert.deepEqual(
      (await requestsOf(connection.id, `?outcome=failure&marker=${failures[1]!.id}`)).map(({ id }) => id),
      [all[3]!.id, conflict.id],
    );
    const listed = assertOk(await api.get('/v3/OS-SCIM/connections')).connections;
    assert.equal(listed.find(({ id }: { id: string }) => id === connection.id).failures, 4);
    const warning = async (): Promise<{ readonly count: number } | undefined> =>
      assertOk(await api.get('/v3/OS-SERVICE/overview')).overview.attention.find(
        ({ kind, target }: { kind: string; target: { id: string } | null }) =>
          kind === 'scim_connection_fails' && target?.id === connection.id,
      );
    assert.equal(await warning(), undefined, 'who is not there, or is there already, needs no attention');
    assert.equal((await scim.post('/Users', { schemas: [USER] })).status, 400);
    await requestsOf(connection.id);
    assert.equal((await warning())?.count, 1);

    assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
    assert.equal((await scim.get('/Users')).status, 401);
    const [last] = await requestsOf(connection.id);
    assert.deepEqual([last!.status, last!.detail], [401, 'The domain of this connection is disabled.']);
    assertOk(await api.delete(`/v3/OS-SCIM/connections/${connection.id}`), 204);
    assertRefused(await api.get(`/v3/OS-SCIM/connections/${connection.id}/requests`), 404);
  });

  it('are limited, and successful ones do not push the failures out', async () => {
    const { connection, scim } = await connect(api);
    assert.equal((await scim.get('/Users/nobody')).status, 404);
    assert.equal((await requestsOf(connection.id)).length, 1);
    for (let turn = 0; turn < 2; turn++) {
      await Promise.all(Array.from({ length: KEEP.success }, () => scim.get('/ServiceProviderConfig')));
      assert.equal((await requestsOf(connection.id, '?outcome=success')).length, KEEP.success);
    }
    assert.equal((await requestsOf(connection.id, '?outcome=failure')).length, 1);
    await Promise.all(Array.from({ length: KEEP.failure + 5 }, () => scim.get('/Users/nobody')));
    assert.equal((await requestsOf(connection.id, '?outcome=failure')).length, KEEP.failure);
  });

  it('are stored after an outage in which many connections had all that they keep', async () => {
    const { connection } = await connect(api);
    const row = { connection_id: connection.id, at: 1, method: 'GET', path: '/scim/v2/Users', status: 200, detail: null };
    const rows = Array.from({ length: 7000 }, (_, index) => ({
      ...row,
      id: `${connection.id.slice(0, 20)}${index}`,
      scim_type: null,
      milliseconds: 1,
      request_id: null,
    }));
    await db().write(async (tx) => {
      await insertRequests(tx, rows);
      await deleteExcess(tx, [connection.id], KEEP);
    });
    assert.equal((await requestsOf(connection.id)).length, KEEP.success);
  });

  it('are for those who may see the connection, and strangers add nothing', async () => {
    const { connection, domain } = await connect(api);
    const path = `/v3/OS-SCIM/connections/${connection.id}/requests`;
    const manager = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
    await assertForbidden(api, [manager.token], 'GET', path);
    for (const token of ['ghs_unknown', `${connection.token}x`, `${connection.id}`])
      assert.equal((await api.get('/scim/v2/Users', { token: null, headers: { Authorization: `Bearer ${token}` } })).status, 401);
    assert.deepEqual(await requestsOf(connection.id), []);
    assertRefused(await api.get(`${path}?outcome=other`), 400);
    assertRefused(await api.get(`${path}?marker=none`), 400);
  });
});
