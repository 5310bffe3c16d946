// A directory that takes connections and does not answer: whoever asks it next must not wait for it again, and nobody else at all.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertOk } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, TestClock } from '../../../../test/support/api.ts';
import { ldapSettings } from '../../../../test/support/directory.ts';
import { DirectoryDomain } from '../../../../test/support/directory-domain.ts';
import { passwordOf, Slapd } from '../../../../test/support/slapd.ts';
import { currentDeadline, withDeadline } from '../../../platform/deadline.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createDepartures } from './departures.ts';
import type { UserEntryRow } from './directories.store.ts';
import { createDirectory, type Directory } from './directory.ts';

const TIMEOUT_SECONDS = 4;
const isAway = (error: Error & { code?: string }): boolean => error.code === 'directory.unavailable';

/** In time-outs of the directory. */
async function timeoutsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / (TIMEOUT_SECONDS * 1000);
}

describe('A directory that stalls', () => {
  const [slapd, other] = [new Slapd({ people: 20 }), new Slapd({ people: 20 })];
  const clock = new TestClock();
  const opened: Directory[] = [];
  const open = (url: string): Directory => {
    const ldap = ldapSettings(url, { connection_timeout: String(TIMEOUT_SECONDS), pool_retry_max: '3' });
    const directory = createDirectory({ ldap, domainId: 'd', clock, log: createLog('silent') });
    opened.push(directory);
    return directory;
  };
  /** However long ago it failed. */
  const later = () => clock.advance(60);
  const ask = (directory: Directory) => assert.rejects(directory.findUser('user1'), isAway);
  async function comesBack(directory: Directory): Promise<void> {
    for (;;) {
      later();
      if (await directory.findUser('user1').catch(() => undefined)) return;
      await sleep(20);
    }
  }

  before(() => Promise.all([slapd.start(), other.start()]));
  after(async () => {
    for (const directory of opened) directory.close();
    await Promise.all([slapd.stop(), other.stop()]);
  });

  it('is remembered: one request waits for it, also on connections that were kept, and those after it do not', async () => {
    const directory = open(slapd.url);
    await Promise.all(Array.from({ length: 8 }, (_, at) => directory.findUser(`user${at}`)));
    await slapd.freeze();
    try {
      assert.ok((await timeoutsOf(() => ask(directory))) < 1.9, 'neither on a second connection');
      const six = await timeoutsOf(async () => {
        for (let at = 0; at < 6; at++) {
          await ask(directory);
          later();
        }
      });
      assert.ok(six < 3, `six requests took ${six} time-outs`);
    } finally {
      slapd.thaw();
    }
    await comesBack(directory);
  });

  it('is left out for good while another server answers, until it answers again itself', async () => {
    const directory = open(`${slapd.url},${other.url}`);
    await slapd.freeze();
    try {
      assert.ok(await directory.findUser('user1'));
      const six = await timeoutsOf(async () => {
        for (let at = 0; at < 6; at++) {
          later();
          assert.ok(await directory.findUser('user1'));
          assert.equal(await directory.authenticate(await directory.findUser('user2'), passwordOf('user2'), { key: 't' }), true);
        }
      });
      assert.ok(six < 2, `six requests took ${six} time-outs`);
    } finally {
      slapd.thaw();
    }
    await other.kill();
    await comesBack(directory);
  });
});

describe('A request that asks whether somebody has left a directory which stalls', () => {
  const slapd = new Slapd({ people: 1 });
  before(() => slapd.start());
  after(() => slapd.stop());

  it('waits for a moment of its own time, and is no longer without a limit because of it', async () => {
    const [clock, log] = [new TestClock(), createLog('silent')];
    const ldap = ldapSettings(slapd.url, { connection_timeout: String(TIMEOUT_SECONDS) });
    const directory = createDirectory({ ldap, domainId: 'd', clock, log });
    const unexpected = () => assert.fail('nobody has left');
    const departures = createDepartures({
      clock,
      log,
      clients: { of: async () => directory },
      keepOne: unexpected,
      closeUsers: unexpected,
    });
    const entry = { user_id: 'u', domain_id: 'd', local_id: 'user0' } as UserEntryRow;
    await slapd.freeze();
    try {
      await withDeadline(async () => {
        const deadline = currentDeadline()!;
        const atFirst = deadline.left();
        assert.equal(await departures.hasLeft(entry), false);
        const afterwards = deadline.left();
        assert.ok(afterwards < atFirst - 1000, 'the moment counts');
        assert.equal(await departures.hasLeft(entry), false);
        assert.ok(deadline.left() > afterwards - 1000, 'and is not waited for twice');
        await sleep(100);
        assert.ok(deadline.left() < afterwards, 'so does the time after it, while the directory is still asked');
      });
    } finally {
      slapd.thaw();
      directory.close();
    }
  });
});

describe('The directory of one domain that stalls', () => {
  const domain = new DirectoryDomain('SQLite', { slapd: { people: 3 }, ldap: { connection_timeout: String(TIMEOUT_SECONDS) } });
  const { api, slapd } = domain;

  it('holds up no login of another, and its own only once', async () => {
    assertOk(await domain.logIn('user1'), 201);
    await slapd.freeze();
    try {
      let isWaiting = true;
      const first = domain.logIn('user1').finally(() => {
        isWaiting = false;
      });
      assertOk(await api.authenticate({ name: 'admin', password: ADMIN_PASSWORD }), 201);
      assert.ok(isWaiting, 'the others do not wait for it');
      assert.equal((await first).status, 503);
      const four = await timeoutsOf(async () => {
        for (let at = 0; at < 4; at++) {
          api.clock.advance(60);
          assert.equal((await domain.logIn('user1')).status, 503);
        }
      });
      assert.ok(four < 3, `four logins took ${four} time-outs`);
    } finally {
      slapd.thaw();
    }
    let status = 503;
    while (status === 503) {
      api.clock.advance(60);
      ({ status } = await domain.logIn('user1'));
    }
    assert.equal(status, 201);
  });
});
