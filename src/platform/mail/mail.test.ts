// Mail to a real SMTP server, and to a folder.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { MailServer, type MailServerOptions, smtpError, trustAuthority } from '../../../test/support/mail-server.ts';
import { freePort } from '../../../test/support/ports.ts';
import {
  createFolderTransport,
  createSmtpTransport,
  isAddress,
  MailError,
  type Message,
  mailboxOf,
  type SmtpOptions,
  type Transport,
} from './index.ts';

const AT = Date.UTC(2026, 10, 16, 12, 30, 15);
const MESSAGE: Message = {
  id: '0123456789abcdef',
  from: { name: 'Identität', address: 'id@example.org' },
  to: 'ann@example.org',
  subject: 'Elija una contraseña nueva',
  text: 'Hola, Ana.\n.\nUn punto solo no es el fin.\n',
  html: '<p>Hola, Ana.</p>',
  language: 'es',
  at: AT,
};
const CREDENTIALS = { user: 'gatehouse', password: 'pässword of the relay' };

/** The error of sending. */
async function refusalOf(transport: Transport, message = MESSAGE, stopping?: AbortSignal): Promise<MailError> {
  const error = await transport.send(message, stopping).then(
    () => assert.fail('it was sent'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MailError, String(error));
  return error;
}

describe('SMTP', () => {
  const servers: MailServer[] = [];
  before(trustAuthority);
  after(() => Promise.all(servers.map((server) => server.close())));

  async function serverWith(options: MailServerOptions): Promise<MailServer> {
    const server = new MailServer(options);
    servers.push(server);
    await server.open();
    return server;
  }
  const transportTo = ({ port }: { port: number }, options: Partial<SmtpOptions> = {}): Transport =>
    createSmtpTransport({ host: 'localhost', port, tls: 'off', timeoutMs: 5_000, ...options });

  for (const tls of ['off', 'starttls', 'tls'] as const)
    it(`delivers a message whole, with and without a login (${tls})`, async () => {
      for (const credentials of [undefined, CREDENTIALS]) {
        const server = await serverWith({ tls, ...(credentials ? { credentials } : {}) });
        await transportTo(server, { tls, credentials }).send(MESSAGE);
        const [received, ...more] = server.received;
        assert.ok(received);
        assert.deepEqual(more, []);
        assert.deepEqual([received.from, received.to], ['id@example.org', ['ann@example.org']]);
        assert.deepEqual([received.isSecure, received.user], [tls !== 'off', credentials?.user]);
        const { mail } = received;
        assert.deepEqual(
          [mail.subject, mail.from?.value[0]?.name, mail.to?.value],
          [MESSAGE.subject, 'Identität', [{ address: 'ann@example.org', name: '' }]],
        );
        assert.equal(mail.text?.trimEnd(), MESSAGE.text.trimEnd());
        assert.equal((mail.html || '').trim(), MESSAGE.html);
        assert.deepEqual([mail.messageId, mail.date?.getTime()], ['<0123456789abcdef@example.org>', AT]);
        assert.equal(mail.headers.get('auto-submitted'), 'auto-generated');
        assert.equal(mail.headers.get('content-language'), 'es');
        assert.deepEqual(mail.attachments, []);
      }
    });

  it('sends nothing to a server without TLS or with a certificate for another name', async () => {
    const plain = await serverWith({ tls: 'off' });
    assert.ok((await refusalOf(transportTo(plain, { tls: 'starttls' }))).isAway);
    assert.ok((await refusalOf(transportTo(plain, { tls: 'tls' }))).isAway);
    for (const tls of ['starttls', 'tls'] as const) {
      const other = await serverWith({ tls, otherName: true });
      const refusal = await refusalOf(transportTo(other, { tls, credentials: CREDENTIALS }));
      assert.match(refusal.message, /altnames/);
      assert.deepEqual([refusal.isAway, refusal.isFinal, other.received.length], [true, false, 0]);
    }
    assert.deepEqual(plain.received, []);
  });

  it('reports a final refusal of a recipient or a message, and no other, as final', async () => {
    const server = await serverWith({});
    const outcomes: [string, () => void, Partial<MailError>][] = [
      [
        'recipient 550',
        () => (server.onRecipient = () => smtpError(550, '5.1.1 <ann@example.org> is unknown')),
        { isFinal: true },
      ],
      ['recipient 450', () => (server.onRecipient = () => smtpError(450, '4.2.1 later')), { isFinal: false, isAway: false }],
      ['message 554', () => (server.onMessage = () => smtpError(554, '5.7.1 no http://secret.example/')), { isFinal: true }],
      ['message 451', () => (server.onMessage = () => smtpError(451, '4.3.0 later')), { isFinal: false, isAway: false }],
      // The sender is the same for all mails.
      [
        'sender 550',
        () => (server.onSender = () => smtpError(550, '5.7.1 id@example.org may not')),
        { isFinal: false, isAway: true },
      ],
    ];
    for (const [name, set, expected] of outcomes) {
      Object.assign(server, { onRecipient: () => undefined, onMessage: () => undefined, onSender: () => undefined });
      set();
      const refusal = await refusalOf(transportTo(server));
      for (const [key, value] of Object.entries(expected))
        assert.equal(refusal[key as keyof MailError], value, `${name}: ${key}`);
      assert.match(refusal.message, /was answered \d{3}/);
      assert.doesNotMatch(refusal.message, /example|secret|unknown|later/, 'the text of the server is not repeated');
    }
    assert.deepEqual(server.received, []);
  });

  it('does not report wrong credentials as final', async () => {
    const server = await serverWith({ tls: 'starttls', credentials: CREDENTIALS });
    const wrong = { ...CREDENTIALS, password: 'another one' };
    const refusal = await refusalOf(transportTo(server, { tls: 'starttls', credentials: wrong }));
    assert.deepEqual([refusal.isFinal, refusal.isAway], [false, true]);
    assert.match(refusal.message, /^AUTH \S+ was answered 535/);
    assert.ok(!refusal.message.includes(wrong.password));
  });

  it('reports a server that cannot be reached', async () => {
    const refused = await refusalOf(transportTo({ port: await freePort() }));
    assert.match(refused.message, /ECONNREFUSED/);
    assert.deepEqual([refused.isAway, refused.isFinal], [true, false]);
    const unknown = await refusalOf(createSmtpTransport({ host: 'mail.invalid', tls: 'off', timeoutMs: 5_000 }));
    assert.ok(unknown.isAway && !unknown.isFinal, unknown.message);
  });

  it('refuses an invalid recipient before it connects', async () => {
    const server = await serverWith({});
    for (const to of [
      'ann@example.org, bob@example.org',
      'ann@example.org\r\nRCPT TO:<bob@example.org>',
      'Ann <ann@example.org>',
      '',
    ])
      assert.ok((await refusalOf(transportTo(server), { ...MESSAGE, to })).isFinal, to);
    assert.equal(server.connections, 0);
  });

  it('sends to addresses that are not ASCII', async () => {
    const server = await serverWith({});
    await transportTo(server).send({ ...MESSAGE, to: 'ann@españa.example' });
    await transportTo(server).send({ ...MESSAGE, to: 'aña@example.org' });
    // The test server decodes domains.
    assert.deepEqual(
      server.received.map(({ to }) => to[0]),
      ['ann@españa.example', 'aña@example.org'],
    );
    assert.match(server.received[0]!.raw, /^To: ann@xn--espaa-rta\.example\r$/m);
  });

  describe('with a server that does not answer', () => {
    const sockets = new Set<Socket>();
    let server: Server;
    let behave: (socket: Socket) => void;
    before(async () => {
      server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {}).on('close', () => sockets.delete(socket));
        // A socket that is not read does not emit close.
        socket.resume();
        behave(socket);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const port = (): { port: number } => ({ port: (server.address() as AddressInfo).port });
    const ways: [string, (socket: Socket) => void][] = [
      ['says nothing', () => {}],
      ['greets, and says no more', (socket) => void socket.write('220 mail\r\n')],
      [
        'sends a byte now and then',
        (socket) => {
          const timer = setInterval(() => socket.write('2'), 50);
          socket.on('close', () => clearInterval(timer));
        },
      ],
      [
        'takes everything but the last word',
        (socket) => {
          socket.write('220 mail\r\n');
          let isData = false;
          socket.on('data', (chunk) => {
            const text = chunk.toString();
            if (isData) return;
            isData = /^DATA/m.test(text);
            socket.write(isData ? '354 go on\r\n' : '250 yes\r\n');
          });
        },
      ],
    ];
    for (const [name, way] of ways)
      it(`stops at the time limit and closes the connection (${name})`, async () => {
        behave = way;
        const began = performance.now();
        const refusal = await refusalOf(transportTo(port(), { timeoutMs: 400 }));
        assert.ok(performance.now() - began < 2_000);
        assert.deepEqual([refusal.isFinal, refusal.isAway], [false, true], refusal.message);
        for (let tries = 0; sockets.size > 0 && tries < 300; tries++) await delay(20);
        assert.equal(sockets.size, 0);
      });

    it('is interrupted when the service stops, unless the message is being transferred', async () => {
      behave = () => {};
      const stopping = new AbortController();
      setTimeout(() => stopping.abort(), 50);
      const began = performance.now();
      await refusalOf(transportTo(port()), MESSAGE, stopping.signal);
      await refusalOf(transportTo(port()), MESSAGE, stopping.signal);
      assert.ok(performance.now() - began < 2_000);
      const slow = await serverWith({});
      const late = new AbortController();
      slow.onMessage = async () => {
        late.abort();
        await delay(100);
        return undefined;
      };
      await transportTo(slow).send(MESSAGE, late.signal);
      assert.equal(slow.received.length, 1);
    });
  });
});

describe('A folder for mails', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-mail-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('gets each message as a file that only the owner can read', async () => {
    const path = join(folder, 'made', 'by it');
    const transport = createFolderTransport(path);
    assert.equal(transport.about, `files in ${path}`);
    await transport.send(MESSAGE);
    await transport.send(MESSAGE);
    await transport.send({ ...MESSAGE, id: 'ffff', to: 'aña@example.org', at: AT + 1000 });
    assert.deepEqual(readdirSync(path), ['20261116T123015Z-0123456789abcdef.eml', '20261116T123016Z-ffff.eml'], 'once each');
    const mails = await Promise.all(readdirSync(path).map((name) => simpleParser(readFileSync(join(path, name)))));
    assert.deepEqual(
      mails.map(({ subject, to }) => [subject, to?.value[0]?.address]),
      [
        [MESSAGE.subject, 'ann@example.org'],
        [MESSAGE.subject, 'aña@example.org'],
      ],
    );
    assert.equal(statSync(path).mode & 0o777, 0o700);
    for (const name of readdirSync(path)) assert.equal(statSync(join(path, name)).mode & 0o777, 0o600);
  });

  it('keeps a limited number of files, and does not remove other files', async () => {
    const path = join(folder, 'swept');
    const transport = createFolderTransport(path, { kept: 3 });
    assert.equal(transport.sweep(), 0);
    for (let i = 0; i < 5; i++) await transport.send({ ...MESSAGE, id: `mail-${i}`, at: AT + i * 1000 });
    writeFileSync(join(path, 'notes.eml'), 'mine');
    for (const name of ['20261116T123015Z-dead.eml.1-1.tmp', '20261116T123015Z-live.eml.2-1.tmp'])
      writeFileSync(join(path, name), '');
    utimesSync(join(path, '20261116T123015Z-dead.eml.1-1.tmp'), 0, 0);
    assert.equal(transport.sweep(), 3);
    assert.deepEqual(
      readdirSync(path).map((name) => name.replace(/^\w+Z-/, '')),
      ['live.eml.2-1.tmp', 'mail-2.eml', 'mail-3.eml', 'mail-4.eml', 'notes.eml'],
    );
  });
});

describe('Addresses', () => {
  it('are checked', () => {
    const good = [
      'ann@example.org',
      'a.b+c_d@sub.example.org',
      "o'neil@example.org",
      'ann@localhost',
      'ann@españa.example',
      'aña@example.org',
    ];
    for (const address of good) assert.ok(isAddress(address), address);
    const bad = [
      '',
      'ann',
      '@example.org',
      'ann@',
      'ann@@example.org',
      'ann@example..org',
      '.ann@example.org',
      'ann.@example.org',
      'an n@example.org',
      'ann@exam ple.org',
      'ann@example.org\n',
      '\rann@example.org',
      'ann\0@example.org',
      'ann@example.org,bob@example.org',
      'ann@example.org;bob@example.org',
      'Ann <ann@example.org>',
      '<ann@example.org>',
      '"ann"@example.org',
      'ann(comment)@example.org',
      'ann@[127.0.0.1]',
      'ann@127.0.0.1',
      'ann@0x7f.1',
      'ann@example.org/path',
      'ann@example.org:25',
      'ann@user:pw@example.org',
      'ann@-example.org',
      'ann@exa_mple.org',
      'ann\u202e@example.org',
      `${'a'.repeat(65)}@example.org`,
      `ann@${'a'.repeat(64)}.org`,
      `ann@${'a.'.repeat(130)}org`,
    ];
    for (const address of bad) assert.ok(!isAddress(address), JSON.stringify(address));
  });

  it('of a sender can have a name', () => {
    assert.deepEqual(mailboxOf('id@example.org'), { name: '', address: 'id@example.org' });
    assert.deepEqual(mailboxOf('Example Identity <id@example.org>'), { name: 'Example Identity', address: 'id@example.org' });
    assert.deepEqual(mailboxOf('"Example, Inc." <id@example.org>'), { name: 'Example, Inc.', address: 'id@example.org' });
    for (const bad of [
      'Example',
      'Example <id>',
      'A <a@example.org> B',
      'Ex\nample <id@example.org>',
      '<a@example.org> <b@example.org>',
    ])
      assert.equal(mailboxOf(bad), undefined, bad);
  });
});
