// What a directory can do to us with its answers: too many, too large, without end. The server is one of ours, one thing wrong at a time.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { TestClock } from '../../../../test/support/api.ts';
import { ldapSettings } from '../../../../test/support/directory.ts';
import { entryMessage, type FakeAnswers, FakeLdap } from '../../../../test/support/fake-ldap.ts';
import { dnOf, GROUPS, PEOPLE } from '../../../../test/support/slapd.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createDirectory, type Directory } from './directory.ts';
import { createFrames } from './frames.ts';
import type { GroupWithMembers } from './membership.ts';

const isAway = (error: Error & { code?: string }): boolean => error.code === 'directory.unavailable';
const alice = { dn: dnOf('alice'), attributes: { uid: ['alice'], sn: ['alice'] } };

describe('The answers of a directory', () => {
  const running: { close(): void }[] = [];
  afterEach(() => {
    for (const one of running.splice(0)) one.close();
  });

  async function open(answers: FakeAnswers, more: Readonly<Record<string, string>> = {}): Promise<Directory> {
    const server = new FakeLdap(answers);
    const url = await server.listen();
    const clock = new TestClock();
    const directory = createDirectory({ ldap: ldapSettings(url, more), domainId: 'd', clock, log: createLog('silent') });
    running.push(directory, server);
    return directory;
  }

  it('may be thousands of messages in one piece', async () => {
    const tiny = { dn: '', attributes: {} };
    const directory = await open(
      { search: () => [], instead: (id) => Buffer.concat(Array.from({ length: 200_000 }, () => entryMessage(id, tiny))) },
      { connection_timeout: '2' },
    );
    await assert.rejects(directory.findUser('alice'), isAway);
  });

  it('that are no LDAP, or have a length nobody can have, end the connection', async () => {
    for (const bytes of [
      Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
      Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x02, 0x01, 0x02]),
      Buffer.from([0x30, 0x80, 0x02, 0x01, 0x02]),
      Buffer.from([0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
      Buffer.from([0x30, 0x03, 0x04, 0x01, 0x02]),
    ]) {
      const begun = Date.now();
      await assert.rejects(
        (await open({ search: () => [], instead: () => bytes }, { connection_timeout: '60' })).findUser('alice'),
        isAway,
      );
      assert.ok(Date.now() - begun < 30_000, 'at once, and not after the time limit');
    }
  });

  it('have limits for a message and for all messages of an answer, however they are cut', () => {
    const answer = Buffer.concat(Array.from({ length: 10 }, () => entryMessage(7, alice)));
    const size = answer.length / 10;
    const read = (limits: { message: number; answer: number }, step: number) => {
      const frames = createFrames(limits);
      let count = 0;
      for (let at = 0; at < answer.length; at += step)
        for (const message of frames(answer.subarray(at, at + step))) count += message.equals(entryMessage(7, alice)) ? 1 : 0;
      return count;
    };
    for (const step of [1, 2, 3, 17, size, 1000]) {
      assert.equal(read({ message: size, answer: answer.length }, step), 10);
      assert.throws(() => read({ message: size - 1, answer: answer.length }, step), /message of/);
      assert.throws(() => read({ message: size, answer: answer.length - 1 }, step), /answer of more/);
    }
  });

  /** As Active Directory returns long attributes. */
  const inParts = (values: readonly string[], lastAttribute: string, step: number) => {
    const first = Number(/range=(\d+)-/.exec(lastAttribute)?.[1] ?? 0);
    const last = first + step - 1;
    const isLast = last >= values.length - 1;
    return { [`member;range=${first}-${isLast ? '*' : last}`]: values.slice(first, last + 1) };
  };

  it('may have the members of a group in parts, also of the one whose members are enabled', async () => {
    const members = Array.from({ length: 25 }, (_, at) => dnOf(`user${at}`));
    const enabledDn = `cn=enabled_users,${PEOPLE}`;
    const directory = await open(
      {
        search({ base, lastAttribute }) {
          if (base === enabledDn || base === `cn=all,${GROUPS}`)
            return [{ dn: base, attributes: inParts(members, lastAttribute, 10) }];
          if (base === GROUPS) return [{ dn: `cn=all,${GROUPS}`, attributes: { cn: ['all'], ...inParts(members, '', 10) } }];
          return [24, 25].map((at) => ({ dn: dnOf(`user${at}`), attributes: { uid: [`user${at}`], sn: [`user${at}`] } }));
        },
      },
      { user_enabled_emulation: 'true', page_size: '0' },
    );
    const enabled: Record<string, boolean> = {};
    await directory.users(async (users) => {
      for (const user of users) enabled[user.name] = user.enabled;
    });
    assert.deepEqual(enabled, { user24: true, user25: false });
    let found: readonly string[] = [];
    await directory.groups(async ([group]) => {
      found = group!.members ?? [];
    });
    assert.deepEqual(found, members);
  });

  it('whose parts go round in circles are an error', async () => {
    const attributes = { 'member;range=0-1': [dnOf('a'), dnOf('b')] };
    const directory = await open(
      { search: ({ base }) => [{ dn: base, attributes: base === PEOPLE ? {} : attributes }] },
      { user_enabled_emulation: 'true' },
    );
    await assert.rejects(
      directory.users(async () => {}),
      isAway,
    );
  });

  it('of which one is missing say nothing of the members', async () => {
    // The entry is there, and the further values are not: no such attribute, another one, or no value in it.
    for (const rest of [{}, { member: [dnOf('c')] }, { 'member;range=2-*': [] }, { 'member;range=3-*': [] }]) {
      const first = { cn: ['broken'], 'member;range=0-1': [dnOf('a'), dnOf('b')] };
      const directory = await open({
        search: ({ base }) => [{ dn: `cn=broken,${GROUPS}`, attributes: base === GROUPS ? first : rest }],
      });
      const found: GroupWithMembers[] = [];
      await directory.groups(async (groups) => void found.push(...groups));
      assert.deepEqual(
        found.map(({ name, members }) => [name, members]),
        [['broken', undefined]],
        JSON.stringify(rest),
      );
    }
  });

  it('that lack members of one group say nothing of its members, and everything of the others', async () => {
    const directory = await open({
      search: ({ base }) =>
        base === GROUPS
          ? [
              { dn: `cn=broken,${GROUPS}`, attributes: { cn: ['broken'], 'member;range=0-1': [dnOf('a'), dnOf('b')] } },
              { dn: `cn=whole,${GROUPS}`, attributes: { cn: ['whole'], member: [dnOf('a')] } },
            ]
          : [],
    });
    const found = new Map<string, readonly string[] | undefined>();
    const note = async (groups: readonly GroupWithMembers[]) => {
      for (const { name, members } of groups) found.set(name, members);
    };
    const expected = new Map([
      ['broken', undefined],
      ['whole', [dnOf('a')]],
    ]);
    await directory.groups(note);
    assert.deepEqual(found, expected);
    found.clear();
    await note(await directory.groupsById(['broken', 'whole']));
    assert.deepEqual(found, expected);
  });

  it('tell when an account of Active Directory ends, which is disabled then', async () => {
    const expires = {
      never: '9223372036854775807',
      always: '0',
      ended: '132223104000000000',
      later: '200000000000000000',
      odd: '-1',
    };
    const entries = Object.entries(expires).map(([name, accountExpires]) => ({
      dn: dnOf(name),
      attributes: { uid: [name], sn: [name], accountExpires: [accountExpires] },
    }));
    const directory = await open({ search: () => entries });
    const users = await directory.usersById(Object.keys(expires));
    assert.deepEqual(
      users.filter(({ enabled }) => !enabled).map(({ name }) => name),
      ['ended'],
    );
  });

  it('do not disable everybody when the group of the enabled users is not there', async () => {
    const directory = await open({ search: ({ base }) => (base === PEOPLE ? [alice] : []) }, { user_enabled_emulation: 'true' });
    await assert.rejects(
      directory.users(async () => {}),
      isAway,
    );
  });
});
