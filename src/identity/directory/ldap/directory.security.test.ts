// What a directory, or somebody between it and us, may not do to us; and what nobody may do to the directory.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { TestClock } from '../../../../test/support/api.ts';
import { Cable } from '../../../../test/support/cable.ts';
import { ENTRIES, ldapSettings } from '../../../../test/support/directory.ts';
import { freePort } from '../../../../test/support/ports.ts';
import { dnOf, passwordOf, Slapd } from '../../../../test/support/slapd.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createDirectory, type Directory } from './directory.ts';

const PLACE = { key: 'the tests' };

describe('A directory', () => {
  const slapd = new Slapd({ people: 2000, entries: ENTRIES });
  const opened: Directory[] = [];
  const clock = new TestClock();
  const open = (url: string, more: Readonly<Record<string, string>> = {}): Directory => {
    const directory = createDirectory({ ldap: ldapSettings(url, more), domainId: 'd', clock, log: createLog('silent') });
    opened.push(directory);
    return directory;
  };
  /** Its line about all servers that failed just now is over. */
  const later = () => clock.advance(60);
  const isAway = (error: Error & { code?: string }): boolean => error.code === 'directory.unavailable';

  before(() => slapd.start());
  after(async () => {
    for (const directory of opened) directory.close();
    await slapd.stop();
  });

  it('is never asked about an empty password, which it would take for a visitor', async () => {
    const directory = open(slapd.url);
    const alice = await directory.findUser('alice');
    assert.equal(await directory.authenticate(alice, '', PLACE), false);
    assert.equal(await directory.authenticate({ dn: '' }, '', PLACE), false);
    assert.equal(await directory.authenticate({ dn: '' }, 'x', PLACE), false);
  });

  describe('over TLS', () => {
    for (const [name, url, use_tls] of [
      ['LDAPS', () => slapd.secureUrl, ''],
      ['StartTLS', () => slapd.url, 'true'],
    ] as const) {
      it(`works by ${name} with the authority of the settings`, async () => {
        const directory = open(url(), { use_tls, tls_cacertfile: slapd.caFile });
        const alice = await directory.findUser('alice');
        assert.equal(await directory.authenticate(alice, passwordOf('alice'), PLACE), true);
      });

      it(`is refused by ${name} when its certificate comes from another authority, or from none we know`, async () => {
        await assert.rejects(open(url(), { use_tls, tls_cacertfile: slapd.otherCaFile }).findUser('alice'), isAway);
        await assert.rejects(open(url(), { use_tls }).findUser('alice'), isAway);
        assert.ok(await open(url(), { use_tls, tls_req_cert: 'never' }).findUser('alice'));
      });
    }

    it('is refused when its certificate is of another name', async () => {
      await assert.rejects(open(slapd.secureUrlByAddress, { tls_cacertfile: slapd.caFile }).findUser('alice'), isAway);
      const byAddress = slapd.url.replace('localhost', '127.0.0.1');
      await assert.rejects(open(byAddress, { use_tls: 'true', tls_cacertfile: slapd.caFile }).findUser('alice'), isAway);
    });

    it('gets no password when somebody in between takes TLS away', async () => {
      const heard: Buffer[] = [];
      // Says no to StartTLS, and yes to everything after it.
      const server = createServer((socket) => {
        socket.on('data', (data) => {
          heard.push(data);
          const id = data[4]!;
          socket.write(Buffer.from([0x30, 0x0c, 0x02, 0x01, id, 0x78, 0x07, 0x0a, 0x01, 0x34, 0x04, 0x00, 0x04, 0x00]));
        });
        socket.on('error', () => {});
      }).listen(0, '127.0.0.1');
      const { port } = await new Promise<{ port: number }>((resolve) =>
        server.once('listening', () => resolve(server.address() as { port: number })),
      );
      try {
        const directory = open(`ldap://localhost:${port}`, { use_tls: 'true', tls_cacertfile: slapd.caFile });
        await assert.rejects(directory.findUser('alice'), isAway);
        await assert.rejects(directory.authenticate({ dn: 'uid=alice' }, 'secret word', PLACE), isAway);
        assert.doesNotMatch(Buffer.concat(heard).toString('latin1'), /secret word|reader/);
      } finally {
        server.close();
      }
    });

    it('does not take what somebody in between sends before TLS for the beginning of its answer', async () => {
      // The beginning of "yes" to the bind (the library numbers it 3). slapd's "no", 14 bytes, would be the message for the reader in it.
      const beginning = Buffer.from([0x30, 0x1a, 2, 1, 3, 0x61, 0x15, 0x0a, 1, 0, 4, 0, 4, 14]);
      const server = createServer((socket) => {
        const real = connect(slapd.port, '127.0.0.1');
        for (const one of [socket, real]) one.on('error', () => {});
        socket.pipe(real);
        real.once('data', (answer) => {
          socket.write(Buffer.concat([answer, beginning]));
          real.pipe(socket);
        });
        socket.on('close', () => real.destroy());
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const { port } = server.address() as { port: number };
        const directory = open(`ldap://localhost:${port}`, { use_tls: 'true', tls_cacertfile: slapd.caFile });
        await assert.rejects(directory.authenticate({ dn: dnOf('alice') }, 'wrong', PLACE), isAway);
      } finally {
        server.close();
      }
    });
  });

  it('with several servers uses the first that answers, and the others when that one is gone', async () => {
    const cable = new Cable('127.0.0.1', slapd.port);
    const port = await cable.listen();
    const nowhere = `ldap://localhost:${await freePort()}`;
    try {
      const directory = open(`${nowhere},ldap://localhost:${port},${slapd.url}`, { pool_size: '1' });
      assert.ok(await directory.findUser('alice'));
      cable.break();
      assert.ok(await directory.findUser('alice'), 'the connection it kept is gone, the next server is there');
      assert.equal(await directory.authenticate(await directory.findUser('alice'), passwordOf('alice'), PLACE), true);
    } finally {
      cable.close();
    }
  });

  it('that stops in the middle of a list is away, in time, and comes back', async () => {
    const cable = new Cable('127.0.0.1', slapd.port);
    const port = await cable.listen();
    try {
      const directory = open(`ldap://localhost:${port}`, { page_size: '50', connection_timeout: '1' });
      let pages = 0;
      const begun = Date.now();
      await assert.rejects(
        directory.users(async () => {
          if (++pages === 3) cable.freeze();
        }),
        isAway,
      );
      assert.ok(pages >= 3 && Date.now() - begun < 20_000);
      cable.break();
      cable.thaw();
      cable.mend();
      later();
      assert.ok(await directory.findUser('alice'));
    } finally {
      cable.close();
    }
  });

  it('that hangs lets nobody wait for ever, at whatever step, and the next ones not at all', async () => {
    const directory = open(slapd.url, { connection_timeout: '1' });
    const alice = (await directory.findUser('alice'))!;
    await slapd.freeze();
    try {
      await assert.rejects(directory.findUser('alice'), isAway);
      later();
      await assert.rejects(directory.authenticate(alice, passwordOf('alice'), PLACE), isAway);
      const begun = Date.now();
      await assert.rejects(directory.authenticate(alice, passwordOf('alice'), PLACE), isAway);
      assert.ok(Date.now() - begun < 900, 'known to be away');
      for (const more of [{ use_tls: 'true', tls_req_cert: 'never' }, { tls_req_cert: 'never' }] as Record<string, string>[]) {
        const url = more.use_tls ? slapd.url : slapd.secureUrl;
        await assert.rejects(open(url, { connection_timeout: '1', ...more }).findUser('alice'), isAway);
      }
    } finally {
      slapd.thaw();
    }
    later();
    assert.ok(await directory.findUser('alice'));
  });

  it('never gets a question on a connection that came back by itself, without a bind', async () => {
    const sockets = new Set<Socket>();
    let connections = 0;
    const front = createServer((near) => {
      connections++;
      const far = new (near.constructor as new () => Socket)();
      far.connect(slapd.port, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => [near, far].map((one) => one.destroy()));
      }
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => front.once('listening', resolve));
    try {
      const directory = open(`ldap://localhost:${(front.address() as { port: number }).port}`, { pool_size: '1' });
      assert.ok(await directory.findUser('alice'));
      for (const socket of sockets) socket.destroy();
      // This directory shows nothing to nobody: an answer proves the bind.
      for (let i = 0; i < 5; i++) assert.ok(await directory.findUser('alice'));
      assert.equal(connections, 2);
    } finally {
      front.close();
      for (const socket of sockets) socket.destroy();
    }
  });
});
