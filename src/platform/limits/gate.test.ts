import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, fail, fault } from '../faults/index.ts';
import { Gate } from './gate.ts';

const RULES = { account: { attempts: 3, perSeconds: 60 }, address: { attempts: 6, perSeconds: 60 } };
const clock = { now: () => 0 };
const here = { address: '192.0.2.1' };
const there = { address: '192.0.2.2' };
const right = async () => true;
const wrong = async () => false;
const refused = (error: unknown): boolean => error instanceof Fault && error.status === 429;

describe('The gate for guesses', () => {
  it('counts wrong guesses at one account from one address, before they are checked', async () => {
    const gate = new Gate(RULES, clock);
    let looked = 0;
    const look = async () => {
      looked++;
      await new Promise((resolve) => setImmediate(resolve));
      return false;
    };
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => gate.guess(here, 'somebody', look)));
    assert.equal(looked, 3);
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 7);
    assert.throws(() => gate.check(here, 'somebody'), refused);
    gate.check(here, 'somebody else');
    gate.check(there, 'somebody');
  });

  it('counts all wrong guesses of one address together, whatever name is typed', async () => {
    const gate = new Gate(RULES, clock);
    for (let i = 0; i < 6; i++) await gate.guess(here, `stranger ${i}`, wrong);
    await assert.rejects(gate.guess(here, 'stranger 7', right), refused);
    assert.equal(await gate.guess(there, 'stranger 7', right), true);
  });

  it('counts a /64 of IPv6 as one address', async () => {
    const gate = new Gate(RULES, clock);
    for (let i = 0; i < 6; i++) await gate.guess({ address: `2001:db8:1:2:${i}::${i}` }, `stranger ${i}`, wrong);
    await assert.rejects(gate.guess({ address: '2001:db8:1:2:ffff::1' }, 'stranger', right), refused);
    assert.equal(await gate.guess({ address: '2001:db8:1:3::1' }, 'stranger', right), true);
  });

  it('does not count right guesses, nor those that could not be checked', async () => {
    const gate = new Gate(RULES, clock);
    for (let i = 0; i < 20; i++) await gate.guess(here, 'somebody', right);
    for (let i = 0; i < 20; i++)
      await assert.rejects(gate.guess(here, 'somebody', () => Promise.reject(fault('server.unavailable'))));
    assert.equal(await gate.guess(here, 'somebody', right), true);
  });

  it('counts a guess that was checked, even if an error follows', async () => {
    const gate = new Gate(RULES, clock);
    const lost = async (looked: () => void) => {
      looked();
      throw fault('server.unavailable');
    };
    for (let i = 0; i < 3; i++) await assert.rejects(gate.guess(here, 'somebody', lost), /database/);
    await assert.rejects(gate.guess(here, 'somebody', right), refused);
  });

  it('counts a guess that is refused by an exception', async () => {
    const gate = new Gate(RULES, clock);
    for (let i = 0; i < 3; i++) await assert.rejects(gate.guess(here, 'somebody', async () => fail('route.not_found')));
    await assert.rejects(gate.guess(here, 'somebody', right), refused);
  });

  it('does not count a guess at a locked account against the address', async () => {
    const gate = new Gate(RULES, clock);
    for (let i = 0; i < 3; i++) await gate.guess(here, 'somebody', wrong);
    for (let i = 0; i < 20; i++) await assert.rejects(gate.guess(here, 'somebody', right), refused);
    assert.equal(await gate.guess(here, 'somebody else', right), true);
  });

  it('counts wrong passwords and wrong long secrets separately', async () => {
    const gate = new Gate(RULES, clock);
    for (let i = 0; i < 6; i++) await gate.guess(here, `stranger ${i}`, wrong);
    gate.checkSecret(here, 'application');
    gate.checkSecret(here, undefined);
    for (let i = 0; i < 3; i++) gate.wrongSecret(there, 'application');
    assert.throws(() => gate.checkSecret(there, 'application'), refused);
    gate.checkSecret(there, 'another application');
    gate.checkSecret(there, undefined);
    for (let i = 0; i < 6; i++) gate.wrongSecret(there, undefined);
    assert.throws(() => gate.checkSecret(there, undefined), refused);
    assert.equal(await gate.guess(there, 'somebody', right), true);
  });

  it('limits nothing without rules', async () => {
    const gate = new Gate(undefined, clock);
    for (let i = 0; i < 1000; i++) await gate.guess(here, 'somebody', wrong);
  });
});
