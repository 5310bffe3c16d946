// The API of imports: runs, batches, and what becomes of records that are wrong.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies, assertGuarded } from '../../../../test/support/guarded.ts';

const PATH = '/v3/OS-IMPORT/imports';

interface Record {
  readonly key: string;
  readonly outcome: string;
  readonly id?: string;
  readonly why?: string;
}

onEachDatabase('An import', (api: TestApi) => {
  async function begin(more: object = {}): Promise<string> {
    const body = { import: { source: uniqueName('source'), kind: 'csv', rehearsal: false, ...more } };
    return assertOk(await api.post(PATH, body), 201).import.id;
  }
  const take = async (id: string, kind: string, ...records: unknown[]): Promise<readonly Record[]> =>
    assertOk(await api.post(`${PATH}/${id}/batches`, { batch: { kind, records } })).records;
  const outcomes = (records: readonly Record[]) => records.map(({ key, outcome }) => [key, outcome]);

  it('takes what is good of a batch, and says of the rest why not', async () => {
    const id = await begin();
    const domain = uniqueName('domain');
    const taken = await take(
      id,
      'domain',
      { key: 'a', name: domain },
      { key: 'b', name: 7 },
      { name: 'without a key' },
      { key: 'a', name: uniqueName('twice') },
      { key: 'c', name: uniqueName('domain'), surprise: true },
    );
    assert.deepEqual(outcomes(taken).sort(), [
      ['', 'refused'],
      ['a', 'made'],
      ['a', 'refused'],
      ['b', 'refused'],
      ['c', 'refused'],
    ]);
    const people = [
      { key: 'ann', name: 'ann', domain: 'a' },
      { key: 'bob', name: 'bob', domain: 'b' },
      // The database decides: the id is taken.
      { key: 'eve', id: 'same', name: 'eve', domain: 'a' },
      { key: 'joe', id: 'same', name: 'joe', domain: 'a' },
    ];
    const taken2 = await take(id, 'user', ...people);
    assert.deepEqual(outcomes(taken2).sort(), [
      ['ann', 'made'],
      ['bob', 'refused'],
      ['eve', 'made'],
      ['joe', 'refused'],
    ]);
    assert.match(taken2.find(({ key }) => key === 'bob')!.why!, /the domain b was not taken/);
  });

  it('makes parents before children, in whatever order they come, and leaves out those that are above each other', async () => {
    const id = await begin();
    await take(id, 'domain', { key: 'd', name: uniqueName('domain') });
    const taken = await take(
      id,
      'project',
      { key: '3', name: 'three', domain: 'd', parent: '2' },
      { key: '2', name: 'two', domain: 'd', parent: '1' },
      { key: '1', name: 'one', domain: 'd' },
      { key: 'x', name: 'x', domain: 'd', parent: 'y' },
      { key: 'y', name: 'y', domain: 'd', parent: 'x' },
    );
    assert.deepEqual(outcomes(taken).sort(), [
      ['1', 'made'],
      ['2', 'made'],
      ['3', 'made'],
      ['x', 'refused'],
      ['y', 'refused'],
    ]);
  });

  it('puts people without a domain into the one that was chosen, and does not bring back who was deleted here', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const source = uniqueName('source');
    const id = await begin({ source, domain_id: domain.id });
    const [ann] = await take(id, 'user', { key: 'ann', name: 'ann', attributes: { email: 'ann@harbour.example' } });
    const { user } = assertOk(await api.get(`/v3/users/${ann!.id}`));
    assert.deepEqual([user.domain_id, user.email], [domain.id, 'ann@harbour.example']);
    assertOk(await api.delete(`/v3/users/${ann!.id}`), 204);
    assert.deepEqual(outcomes(await take(id, 'user', { key: 'ann', name: 'ann2' })), [['ann', 'gone']]);
    assertOk(await api.patch(`${PATH}/${id}`, { import: { report: { left: 'nothing' }, state: 'finished' } }));
    assertRefused(await api.post(`${PATH}/${id}/batches`, { batch: { kind: 'user', records: [] } }), 409);
    const { import: shown } = assertOk(await api.get(`${PATH}/${id}`));
    assert.deepEqual([shown.state, shown.report, shown.source], ['finished', { left: 'nothing' }, source]);
  });

  it('changes what exists only if its kind is merged, and two sources do not share things', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain'), description: 'ours' });
    const record = { key: 'd', name: domain.name, description: 'theirs' };
    assert.deepEqual(outcomes(await take(await begin(), 'domain', record)), [['d', 'clash']]);
    assert.deepEqual(outcomes(await take(await begin({ merge: ['user'] }), 'domain', record)), [['d', 'clash']]);
    const merging = await begin({ merge: ['domain'] });
    assert.deepEqual(outcomes(await take(merging, 'domain', record)), [['d', 'merged']]);
    assert.deepEqual(outcomes(await take(merging, 'domain', record)), [['d', 'unchanged']]);
    assert.equal(assertOk(await api.get(`/v3/domains/${domain.id}`)).domain.description, 'theirs');
    assert.deepEqual(outcomes(await take(await begin(), 'domain', record)), [['d', 'clash']]);
  });

  it('refuses wrong bodies, unknown kinds and whoever is no administrator', async () => {
    const id = await begin();
    await assertBadBodies(api, 'POST', PATH, [
      ['import', {}],
      ['source', { import: { source: 'a b', kind: 'csv', rehearsal: true } }],
    ]);
    assertRefused(await api.post(PATH, { import: { source: 'a', kind: 'csv', rehearsal: true, merge: ['nobody'] } }), 400);
    assertRefused(await api.post(PATH, { import: { source: 'a', kind: 'csv', rehearsal: true, domain_id: 'none' } }), 404);
    assertRefused(await api.post(`${PATH}/${id}/batches`, { batch: { kind: 'nothing', records: [] } }), 400);
    const user = await api.make('user', { name: uniqueName('user'), password: 'a password' });
    await assertGuarded(
      api,
      [await api.logIn({ id: user.id, password: 'a password' })],
      [
        { method: 'GET', path: PATH },
        { method: 'POST', path: PATH, body: { import: { source: 'a', kind: 'csv', rehearsal: true } } },
        { method: 'GET', path: `${PATH}/${id}`, missing: `${PATH}/none` },
        { method: 'PATCH', path: `${PATH}/${id}`, missing: `${PATH}/none`, body: { import: { report: {} } } },
        {
          method: 'POST',
          path: `${PATH}/${id}/batches`,
          missing: `${PATH}/none/batches`,
          body: { batch: { kind: 'user', records: [] } },
        },
      ],
    );
  });
});
