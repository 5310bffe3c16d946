import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationExample } from './recorder.ts';
import { saysTheSame } from './same.ts';
import { stabilizer } from './stable.ts';

const before: OperationExample = {
  request: { thing: { name: 'Boxes of papers', service_id: '22d537bdded7c7be957e74dc5550daf8' } },
  answers: { 201: { thing: { id: 'a1', owner: null }, things: [{ id: 'b2' }, { id: 'c3', size: 4 }] } },
};
const thing = { name: 'Boxes of papers', service_id: '1dfcb7133b44a2b47d84bbdb75d2feb9' };
const answer = { thing: { id: 'x9', owner: null }, things: [{ id: 'y8', size: 1 }] };

describe('A recorded example', () => {
  it('stays when only ids and the choice of items in a list differ', () => {
    assert.ok(saysTheSame(before, { request: { thing }, answers: { 201: answer } }));
    assert.ok(saysTheSame(before, { request: { thing }, answers: { 201: { ...answer, things: [] } } }));
  });

  it('is written anew when a word of the request or a field of an answer differs', () => {
    const differs = (now: OperationExample) =>
      assert.ok(!saysTheSame(before, { request: { thing }, answers: { 201: answer }, ...now }));
    differs({ request: { thing: { ...thing, name: 'Boxes of books' } } });
    differs({ request: { thing: { name: thing.name } } });
    differs({ answers: { 200: answer } });
    differs({ answers: { 201: { ...answer, more: 1 } } });
    differs({ answers: { 201: { thing: answer.thing } } });
    differs({ answers: { 201: { ...answer, things: [{ id: 'y8' }] } } });
    differs({ answers: { 201: { ...answer, thing: { id: 'x9', owner: { id: 'z7' } } } } });
  });

  it('has ids that follow from the operation that showed them first, whatever was called before', () => {
    const [one, other] = ['22d537bdded7c7be957e74dc5550daf8', '1dfcb7133b44a2b47d84bbdb75d2feb9'];
    const [stable, later] = [stabilizer({}), stabilizer({})];
    const created = stable('createThing', `{"id":"${one}"}`);
    later('createOther', `{"id":"${other}"}`);
    assert.equal(later('createThing', `{"id":"${one}"}`), created);
    assert.equal(later('getThing', `{"id":"${one}"}`), created);
    assert.notEqual(created, `{"id":"${one}"}`);
  });
});
