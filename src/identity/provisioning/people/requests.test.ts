// When requests of strangers for mails are worked on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../../platform/log/index.ts';
import { createMailRequests } from './requests.ts';

const by = { address: '192.0.2.1', requestId: 'req-1' };
const make = (ping = async () => {}) =>
  createMailRequests({ db: { ping }, clock: { now: () => 0 }, log: createLog('silent'), rateLimits: true });

describe('Requests for mails', () => {
  it('are worked on after the answer, in their order, and before the service stops', async () => {
    const requests = make();
    const done: number[] = [];
    for (const number of [1, 2, 3])
      await requests.accept(by, async () => {
        if (number === 2) throw new Error('a failure concerns one request');
        done.push(number);
      });
    assert.deepEqual(done, []);
    await requests.settled();
    assert.deepEqual(done, [1, 3]);
  });

  it('are counted by mailbox, whatever is added to its name', () => {
    const { mayMail } = make();
    const aliases = ['ann@example.org', 'ann+1@example.org', 'ANN+2@Example.ORG', 'ann+a+b@example.org', 'ann+@example.org'];
    for (const alias of aliases) assert.equal(mayMail(alias, 'registration'), true);
    for (const alias of [...aliases, 'ann+3@example.org']) assert.equal(mayMail(alias, 'registration'), false, alias);
    assert.equal(mayMail('ann+3@example.org', 'new password'), true);
    for (const other of ['anna+1@example.org', '+ann@example.org', 'ann@sub+ann.example.org', 'ann@example.com'])
      assert.equal(mayMail(other, 'registration'), true, other);
  });

  it('need no stop to be worked on', async () => {
    const requests = make();
    await new Promise<void>((resolve) => void requests.accept(by, async () => resolve()));
  });

  it('are refused while the database is away', async () => {
    const requests = make(() => Promise.reject(new Error('away')));
    await assert.rejects(
      requests.accept(by, async () => assert.fail('nobody was told')),
      /away/,
    );
    await requests.settled();
  });
});
