import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../../../../test/support/api.ts';
import {
  assertScimError,
  assertScimRefused,
  BULK_REQUEST,
  BULK_RESPONSE,
  connect,
  GROUP,
  patchOf,
  SCIM_JSON,
  type ScimClient,
  USER,
} from '../../../../../test/support/scim.ts';

type Operation = Record<string, unknown>;

const newUser = (bulkId: string, values: Operation = {}): Operation => ({
  method: 'POST',
  path: '/Users',
  bulkId,
  data: { schemas: [USER], userName: uniqueName('bulk'), ...values },
});
const newGroup = (bulkId: string, ...members: string[]): Operation => ({
  method: 'POST',
  path: '/Groups',
  bulkId,
  data: { schemas: [GROUP], displayName: uniqueName('bulk'), members: members.map((value) => ({ value })) },
});

onEachDatabase('SCIM bulk operations', (api) => {
  let scim: ScimClient;
  before(async () => {
    scim = (await connect(api)).scim;
  });

  const send = (Operations: unknown, more: Operation = {}) =>
    scim.post('/Bulk', { schemas: [BULK_REQUEST], ...more, Operations });
  const run = async (operations: readonly Operation[], more: Operation = {}): Promise<any[]> => {
    const answer = await send(operations, more);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('content-type'), SCIM_JSON);
    assert.deepEqual(answer.body.schemas, [BULK_RESPONSE]);
    return answer.body.Operations;
  };
  const statuses = (results: readonly any[]): string[] => results.map(({ status }) => status);
  const idIn = ({ location }: { location: string }): string => location.split('/').at(-1)!;
  const membersOf = async ({ location }: { location: string }): Promise<string[]> =>
    ((await scim.show(`/Groups/${idIn({ location })}`)).members ?? []).map(({ value }: { value: string }) => value);

  describe('bulkId', () => {
    it('refers to resources created earlier or later, and results are in the order of the request', async () => {
      const results = await run([
        newGroup('late', 'bulkId:anna', 'bulkId:bo'),
        newUser('anna'),
        newUser('bo'),
        newGroup('early', 'bulkId:anna'),
      ]);
      assert.deepEqual(statuses(results), ['201', '201', '201', '201']);
      assert.deepEqual(
        results.map(({ method, bulkId }) => [method, bulkId]),
        ['late', 'anna', 'bo', 'early'].map((bulkId) => ['POST', bulkId]),
      );
      const [late, anna, bo, early] = results;
      assert.equal(anna.location, `${api.url}/scim/v2/Users/${idIn(anna)}`);
      assert.equal(anna.version, (await scim.show(`/Users/${idIn(anna)}`)).meta.version);
      assert.deepEqual((await membersOf(late)).sort(), [idIn(anna), idIn(bo)].sort());
      assert.deepEqual(await membersOf(early), [idIn(anna)]);
    });

    it('leads there in paths, in patches and in the manager of a user', async () => {
      const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
      const [patched, , user, boss] = await run([
        { method: 'PATCH', path: '/Users/bulkId:u', data: patchOf({ op: 'add', path: 'title', value: 'Guide' }) },
        {
          method: 'PATCH',
          path: '/Groups/bulkId:g',
          data: patchOf({ op: 'add', path: 'members', value: [{ value: 'bulkId:u' }] }),
        },
        newUser('u', { [enterprise]: { manager: { value: 'bulkId:boss' } } }),
        newUser('boss'),
        newGroup('g'),
      ]);
      assert.equal(patched.status, '200');
      const shown = await scim.show(`/Users/${idIn(user)}`);
      assert.deepEqual([shown.title, shown[enterprise].manager.value, shown.groups.length], ['Guide', idIn(boss), 1]);
      assert.equal(shown[enterprise].manager.$ref, boss.location);
    });

    it('in a circle, unknown, or of a failed operation is 409, and the rest is done', async () => {
      const taken = await scim.makeUser();
      const results = await run([
        newUser('a', { externalId: 'bulkId:b' }),
        newUser('b', { externalId: 'bulkId:a' }),
        newGroup('nowhere', 'bulkId:nothing'),
        newUser('failing', { userName: taken.userName }),
        newGroup('of failing', 'bulkId:failing'),
        newUser('fine'),
      ]);
      assert.deepEqual(statuses(results), ['409', '409', '409', '409', '409', '201']);
      assertScimError(results[2].response, 409, undefined, /bulkId nothing/);
      assertScimError(results[3].response, 409, 'uniqueness');
      assertScimError(results[4].response, 409, undefined, /bulkId failing/);
    });
  });

  it('replaces, patches and deletes, with and without a version', async () => {
    const [one, two, three] = [await scim.makeUser(), await scim.makeUser(), await scim.makeUser()];
    const title = patchOf({ op: 'add', path: 'title', value: 'x' });
    const put = { schemas: [USER], userName: one.userName, nickName: 'Nick' };
    const results = await run([
      { method: 'PUT', path: `/Users/${one.id}`, version: one.meta.version, data: put },
      { method: 'PUT', path: `/Users/${one.id}`, version: one.meta.version, data: put },
      { method: 'patch', path: `/Users/${two.id}`, version: two.meta.version, data: title },
      { method: 'PATCH', path: `/Users/${two.id}`, version: two.meta.version, data: title },
      { method: 'DELETE', path: `/Users/${three.id}`, version: 'W/"77"' },
      { method: 'DELETE', path: `/Users/${three.id}`, version: three.meta.version },
      { method: 'DELETE', path: `/Users/${three.id}` },
    ]);
    assert.deepEqual(statuses(results), ['200', '412', '200', '412', '412', '204', '404']);
    assert.deepEqual(results[5], { method: 'DELETE', location: three.meta.location, status: '204' });
    const shown = await scim.show(`/Users/${one.id}`);
    assert.deepEqual([shown.nickName, shown.meta.version], ['Nick', results[0].version]);
    assert.equal((await scim.show(`/Users/${two.id}`)).title, 'x');
    assertScimError(results[1].response, 412);
    assertScimError(results[6].response, 404);
    assert.equal('response' in results[0], false);
  });

  it('tells of each operation that fails in SCIM’s words, and does the others', async () => {
    const user = await scim.makeUser();
    const results = await run([
      { method: 'POST', path: '/Users', bulkId: 'x', data: { schemas: [USER] } },
      { method: 'POST', path: '/Nothing', bulkId: 'y', data: {} },
      { method: 'POST', path: `/Users/${user.id}`, bulkId: 'z', data: {} },
      { method: 'PUT', path: '/Users', data: {} },
      { method: 'PATCH', path: `/Users/${user.id}`, data: {} },
      { method: 'PATCH', path: `/Users/${user.id}`, data: patchOf({ op: 'remove', path: 'userName' }) },
      { method: 'POST', path: '/Users', bulkId: 'none' },
      { method: 'DELETE', path: '/Users/../Groups' },
      newUser('fine'),
    ]);
    assert.deepEqual(statuses(results), ['400', '400', '400', '400', '400', '400', '400', '400', '201']);
    const types = results.slice(0, -1).map(({ response }) => response.scimType);
    assert.deepEqual(types, [
      'invalidValue',
      'invalidPath',
      'invalidPath',
      'invalidPath',
      'invalidSyntax',
      'mutability',
      'invalidSyntax',
      'invalidPath',
    ]);
    for (const { response } of results.slice(0, -1)) assertScimError(response, 400, response.scimType);
  });

  it('stops after failOnErrors errors: what comes later is neither done nor told of', async () => {
    const bad = (): Operation => ({ method: 'DELETE', path: '/Users/nobody' });
    const [first, last] = [newUser('first'), newUser('last')];
    const results = await run([first, bad(), bad(), last], { failOnErrors: 2 });
    assert.deepEqual(statuses(results), ['201', '404', '404']);
    const nameOf = (operation: Operation) => (operation.data as { userName: string }).userName;
    const count = async (operation: Operation) =>
      (await scim.list('/Users', { filter: `userName eq "${nameOf(operation)}"` })).totalResults;
    assert.deepEqual([await count(first), await count(last)], [1, 0]);
    assert.deepEqual(statuses(await run([bad(), newUser('x'), bad()], { failOnErrors: 1 })), ['404']);
    assert.deepEqual(statuses(await run([bad(), bad(), newUser('x')], { failOnErrors: 3 })), ['404', '404', '201']);
    assert.deepEqual(statuses(await run([bad(), bad(), newUser('x')])), ['404', '404', '201']);
  });

  describe('limits', () => {
    const nothing = Array.from({ length: 1001 }, () => ({ method: 'DELETE', path: '/Users/nobody' }));

    it('are 1000 operations: one more is 413, and nothing is done', async () => {
      const { id } = await scim.makeUser();
      const answer = await send([{ method: 'DELETE', path: `/Users/${id}` }, ...nothing.slice(1)]);
      assertScimRefused(answer, 413, undefined, /1000/);
      await scim.show(`/Users/${id}`);
      assert.equal((await run(nothing.slice(1))).length, 1000);
    });

    it('are 1 MiB: one byte more is 413, and a body just as large is read', async () => {
      const body = (size: number): string => {
        const head = `{"schemas":["${BULK_REQUEST}"],"Operations":[${JSON.stringify(nothing[0])}],"padding":"`;
        return `${head}${'x'.repeat(size - head.length - 2)}"}`;
      };
      assert.equal((await scim.post('/Bulk', body(1_048_576))).status, 200);
      assertScimRefused(await scim.post('/Bulk', body(1_048_577)), 413);
    });
  });

  it('refuses a message that is none with 400', async () => {
    const refusals: [unknown, string][] = [
      [{ Operations: [newUser('a')] }, 'invalidSyntax'],
      [{ schemas: [USER], Operations: [newUser('a')] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], Operations: [] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], Operations: {} }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], Operations: ['x'] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], Operations: [null] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], Operations: [{ method: 'GET', path: '/Users' }] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], Operations: [{ method: 'DELETE' }] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], Operations: [{ ...newUser('a'), bulkId: undefined }] }, 'invalidSyntax'],
      [{ schemas: [BULK_REQUEST], failOnErrors: -1, Operations: [newUser('a')] }, 'invalidValue'],
      [{ schemas: [BULK_REQUEST], failOnErrors: 'x', Operations: [newUser('a')] }, 'invalidValue'],
    ];
    const before = (await scim.list('/Users', { count: 0 })).totalResults;
    for (const [body, scimType] of refusals) assertScimRefused(await scim.post('/Bulk', body), 400, scimType);
    assert.equal((await scim.list('/Users', { count: 0 })).totalResults, before);
  });

  it('refuses the same bulkId twice, which could mean either', async () => {
    const answer = await send([newUser('twice'), newUser('twice'), newGroup('g', 'bulkId:twice')]);
    assertScimRefused(answer, 400, 'invalidSyntax', /twice/);
  });
});
