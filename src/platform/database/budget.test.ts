// The time a request may wait for the database, and the line of changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget, currentBudget, patiently, withBudget } from './budget.ts';
import { DatabaseUnavailable, isAway, isUnavailable, isUnwritable } from './errors.ts';
import { Turns } from './turns.ts';

describe('The budget of a request', () => {
  it('counts waiting only, and questions asked together once', async () => {
    const budget = new Budget(10_000);
    budget.begin();
    budget.begin();
    await new Promise((resolve) => setTimeout(resolve, 30));
    budget.end();
    budget.end();
    const left = budget.left();
    assert.ok(left < 9_975, `${left}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(budget.left(), left, 'what it does otherwise is free');
  });

  it('refuses what comes after its end, as a database that is away', async () => {
    const budget = new Budget(5);
    budget.begin();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.throws(() => budget.left(), DatabaseUnavailable);
    budget.end();
    assert.throws(() => budget.left(), isUnavailable);
  });

  it('belongs to what is asked within it, and not to jobs', () => {
    assert.equal(currentBudget(), undefined);
    withBudget(() => assert.equal(currentBudget()?.isPatient, false));
    patiently(() => assert.equal(currentBudget()?.isPatient, true));
  });
});

describe('The line of changes', () => {
  it('lets so many in, the next when one leaves, and nobody wait for ever', async () => {
    const turns = new Turns(1);
    await turns.enter(1000);
    await assert.rejects(turns.enter(5), DatabaseUnavailable);
    const next = turns.enter(10_000);
    turns.leave();
    await next;
    turns.leave();
    await turns.enter(5);
  });
});

describe('An error of a database', () => {
  it('is told apart: away, storing nothing, busy, or something else', () => {
    const of = (fields: object) => Object.assign(new Error('x'), fields);
    for (const code of ['ECONNREFUSED', '57P01', '08006', '53300']) assert.ok(isAway(of({ code })), code);
    for (const code of ['25006', '53100', 'ENOSPC']) assert.ok(isUnwritable(of({ code })) && !isAway(of({ code })), code);
    for (const errcode of [8, 10, 13, 778]) assert.ok(isUnwritable(of({ errcode })), String(errcode));
    for (const code of ['57014', '55P03', '53200', '25006']) assert.ok(isUnavailable(of({ code })), code);
    for (const fields of [{ code: '23505' }, { code: '42P01' }, { errcode: 1 }, { errcode: 2067 }, {}])
      assert.ok(!isUnavailable(of(fields)), JSON.stringify(fields));
  });
});
