// Mail of real processes: settings, the start message, kill -9, workers, commands.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { identitySettings } from '../src/identity/ground/settings/index.ts';
import { openDatabase } from '../src/identity/service.ts';
import { load } from '../src/platform/config/index.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { aShareOf, inFullRun, itAtLength } from './support/extent.ts';
import { authorityPem, MailServer, smtpSettings } from './support/mail-server.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { freePort } from './support/ports.ts';
import { type GatehouseProcess, type ProcessSettings, usesProcesses } from './support/process.ts';
import { KINDS } from './support/restartable-api.ts';

const ADMIN = 'the administrator of the tests';
const [FORMER, NEW] = ['the former password', 'the next password of them'];

/** A client with the administrator's token. */
class Client {
  readonly #url: string;
  #token = '';
  constructor(url: string) {
    this.#url = url;
  }
  async #call(method: string, path: string, body: object): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', ...(this.#token ? { 'X-Auth-Token': this.#token } : {}) };
    const answer = await fetch(`${this.#url}/v3${path}`, { method, headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${answer.status} ${answer.ok ? '' : await answer.text()}`);
    return answer;
  }
  async logIn(): Promise<this> {
    const user = { name: 'admin', domain: { id: 'default' }, password: ADMIN };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const answer = await this.#call('POST', '/auth/tokens', {
      auth: { identity: { methods: ['password'], password: { user } }, scope },
    });
    this.#token = answer.headers.get('x-subject-token')!;
    return this;
  }
  /** Makes a user with this address and changes the password, which sends a mail. */
  async changeOfPassword(email: string): Promise<void> {
    const made = await this.#call('POST', '/users', { user: { name: email, email, password: FORMER } });
    const { user } = (await made.json()) as { user: { id: string } };
    await this.#call('POST', `/users/${user.id}/password`, { user: { original_password: FORMER, password: NEW } });
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !holds(); await delay(20)) assert.ok(Date.now() < end, `waited for ${what}`);
}

describe('Mail of a service', () => {
  const { run, newFolder } = usesProcesses();
  const servers: MailServer[] = [];
  after(async () => void (await Promise.all(servers.map((server) => server.close()))));

  async function start(settings: ProcessSettings, workers = 1): Promise<{ service: GatehouseProcess; url: string }> {
    const service = run(['identity'], { GATEHOUSE_ADMIN_PASSWORD: ADMIN, ...settings });
    return { service, url: await service.listening(workers) };
  }
  const clientOf = (url: string): Promise<Client> => new Client(url).logIn();
  async function newServer(options?: ConstructorParameters<typeof MailServer>[0], port = 0): Promise<MailServer> {
    const server = new MailServer(options);
    servers.push(server);
    await server.open(port);
    return server;
  }
  async function placeOf(kind: (typeof KINDS)[number]): Promise<Record<string, string>> {
    const folder = { GATEHOUSE_DATA_DIR: join(await newFolder(), 'data') };
    if (kind === 'SQLite') return folder;
    const url = await migratedPostgres('identity');
    return { ...folder, GATEHOUSE_IDENTITY_DATABASE_URL: url, GATEHOUSE_MASTER_KEY: newMasterKey() };
  }

  it('goes to a folder by default, and the start message names it', async () => {
    const place = await placeOf('SQLite');
    const folder = join(place.GATEHOUSE_DATA_DIR!, 'mail');
    const { service, url } = await start(place);
    await until('the line', () => service.stderr.includes(`Mail: files in ${folder}\n`));
    await (await clientOf(url)).changeOfPassword('ann@example.org');
    const files = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.eml'));
    await until('a file', () => files().length === 1);
    const mail = await simpleParser(readFileSync(join(folder, files()[0]!)));
    assert.deepEqual([mail.subject, mail.to?.value[0]?.address], ['Your password was changed', 'ann@example.org']);
    assert.ok(mail.text?.includes(`${url}/account`), mail.text);
    assert.equal(await service.stop(), 0);
    assert.ok(!`${service.stdout}${service.stderr}`.includes('ann@example.org'));
  });

  it('goes to a server with TLS and a login, with the password in a file', async () => {
    const folder = await newFolder();
    const credentials = { user: 'gatehouse', password: 'known to the relay' };
    writeFileSync(join(folder, 'authority.pem'), authorityPem);
    writeFileSync(join(folder, 'password'), `${credentials.password}\n`);
    for (const tls of aShareOf(['starttls', 'tls'] as const, 2)) {
      const server = await newServer({ tls, credentials });
      const { service, url } = await start({
        ...(await placeOf('SQLite')),
        ...smtpSettings(server, tls),
        GATEHOUSE_IDENTITY_SMTP_USER: credentials.user,
        GATEHOUSE_IDENTITY_SMTP_PASSWORD_FILE: join(folder, 'password'),
        NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
      });
      await (await clientOf(url)).changeOfPassword('bob@example.org');
      await until('a mail', () => server.received.length === 1);
      const [received] = server.received;
      assert.deepEqual([received!.isSecure, received!.user, received!.to], [true, 'gatehouse', ['bob@example.org']]);
      const name = tls === 'tls' ? 'SMTP over TLS' : 'SMTP with STARTTLS';
      assert.ok(service.stderr.includes(`Mail: ${name} at localhost:${server.port}\n`), service.stderr);
      assert.equal(await service.stop(), 0);
      assert.ok(!`${service.stdout}${service.stderr}`.includes(credentials.password));
    }
  });

  // Processes that share a database have more that can go wrong.
  for (const kind of inFullRun(KINDS, ['PostgreSQL']))
    itAtLength(`is sent by the next process when one was killed while sending (${kind})`, async () => {
      const server = await newServer();
      const settings = { ...(await placeOf(kind)), ...smtpSettings(server) };
      /** So that the test need not wait for the next attempt. */
      async function sooner(): Promise<void> {
        const db = await openDatabase(load(identitySettings, settings), settings.GATEHOUSE_DATA_DIR!);
        const waiting = await db.write((tx) => tx.updateTable('mails').set({ next_at: 0 }).returning('id').execute());
        await db.close();
        assert.equal(waiting.length, 1);
      }
      const to = 'carol@example.org';

      // Killed before the server accepts the message.
      const first = await start(settings);
      const held = Promise.withResolvers<undefined>();
      const begun = Promise.withResolvers<void>();
      server.onMessage = () => {
        begun.resolve();
        return held.promise.then(() => new Error('nobody is there any more'));
      };
      await (await clientOf(first.url)).changeOfPassword(to);
      await begun.promise;
      await first.service.killNow();
      held.resolve(undefined);
      await sooner();

      // Killed after the server has accepted it, before the answer arrives.
      const second = await start(settings);
      server.onMessage = async () => {
        await second.service.killNow();
        return undefined;
      };
      await until('it to be taken', () => server.received.length === 1);
      await sooner();

      const third = await start(settings);
      server.onMessage = () => undefined;
      await until('it to be sent', () => server.received.length === 2);
      assert.equal(await third.service.stop(), 0);
      const ids = server.received.map(({ mail }) => mail.messageId);
      assert.equal(new Set(ids).size, 1, 'the same message');
      const fourth = await start(settings);
      await delay(1500);
      assert.equal(await fourth.service.stop(), 0);
      assert.equal(server.received.length, 2);
    });

  itAtLength('waits while the server cannot be reached', async () => {
    const port = await freePort();
    const server = new MailServer();
    servers.push(server);
    const { service, url } = await start({
      ...(await placeOf('SQLite')),
      ...{
        GATEHOUSE_IDENTITY_SMTP_HOST: 'localhost',
        GATEHOUSE_IDENTITY_SMTP_PORT: String(port),
        GATEHOUSE_IDENTITY_SMTP_TLS: 'off',
      },
      GATEHOUSE_IDENTITY_MAIL_FROM: 'id@example.org',
    });
    await (await clientOf(url)).changeOfPassword('dave@example.org');
    await until('a first attempt', () => service.stdout.includes('a mail was not delivered'));
    assert.match(service.stdout, /"template":"password-changed","attempt":1,"status":"[^"]*ECONNREFUSED/);
    await server.open(port);
    await until('the mail', () => server.received.length === 1);
    assert.equal(await service.stop(), 0);
  });

  itAtLength('is sent once by several workers', async () => {
    const server = await newServer();
    const { service, url } = await start(
      { ...(await placeOf('PostgreSQL')), ...smtpSettings(server), GATEHOUSE_WORKERS: '2' },
      2,
    );
    const client = await clientOf(url);
    const people = Array.from({ length: 8 }, (_, index) => `person-${index}@example.org`);
    await Promise.all(people.map((address) => client.changeOfPassword(address)));
    await until('all mails', () => people.every((address) => server.to(address).length > 0));
    assert.equal(await service.stop(), 0);
    for (const address of people) assert.equal(server.to(address).length, 1);
  });

  describe('with wrong settings', () => {
    const smtp = { GATEHOUSE_IDENTITY_SMTP_HOST: 'mail.example.org', GATEHOUSE_IDENTITY_MAIL_FROM: 'id@example.org' };
    const login = { GATEHOUSE_IDENTITY_SMTP_USER: 'gatehouse', GATEHOUSE_IDENTITY_SMTP_PASSWORD: 'hidden' };
    const cases: [string, ProcessSettings, RegExp][] = [
      [
        'no sender',
        { GATEHOUSE_IDENTITY_SMTP_HOST: 'mail.example.org' },
        /GATEHOUSE_IDENTITY_MAIL_FROM must be set with GATEHOUSE_IDENTITY_SMTP_HOST/,
      ],
      [
        'a sender that is none',
        { ...smtp, GATEHOUSE_IDENTITY_MAIL_FROM: 'Example' },
        /GATEHOUSE_IDENTITY_MAIL_FROM must be an address/,
      ],
      [
        'a user without a password',
        { ...smtp, GATEHOUSE_IDENTITY_SMTP_USER: 'gatehouse' },
        /SMTP_USER and GATEHOUSE_IDENTITY_SMTP_PASSWORD go together/,
      ],
      [
        'a password without TLS',
        { ...smtp, ...login, GATEHOUSE_IDENTITY_SMTP_TLS: 'off' },
        /a password is not sent without TLS to another machine/,
      ],
      ['a login without a server', login, /GATEHOUSE_IDENTITY_SMTP_HOST must be set with GATEHOUSE_IDENTITY_SMTP_USER/],
      [
        'TLS of another kind',
        { ...smtp, GATEHOUSE_IDENTITY_SMTP_TLS: 'maybe' },
        /GATEHOUSE_IDENTITY_SMTP_TLS must be one of starttls, tls, off/,
      ],
      [
        'no folder of templates',
        { GATEHOUSE_IDENTITY_MAIL_TEMPLATES: '/nowhere' },
        /GATEHOUSE_IDENTITY_MAIL_TEMPLATES: \/nowhere cannot be read as a folder/,
      ],
    ];
    for (const [name, settings, message] of aShareOf(cases, 4, 3))
      it(`is refused at the start, before a database is made: ${name}`, async () => {
        const folder = join(await newFolder(), 'data');
        const failed = run(['identity'], { GATEHOUSE_DATA_DIR: folder, ...settings });
        assert.equal(await failed.ended(), 2, failed.stderr);
        assert.match(failed.stderr, message);
        assert.ok(!failed.stderr.includes('hidden'));
        assert.ok(!existsSync(join(folder, 'identity.sqlite')));
      });

    itAtLength('is refused at the start: a file instead of a folder', async () => {
      const folder = join(await newFolder(), 'data');
      mkdirSync(folder);
      writeFileSync(join(folder, 'mail'), '');
      const failed = run(['identity'], { GATEHOUSE_DATA_DIR: folder });
      assert.equal(await failed.ended(), 2, failed.stderr);
      assert.match(
        failed.stderr,
        /GATEHOUSE_IDENTITY_MAIL_FOLDER: cannot use .*mail \(EEXIST\); give a folder this user may write to/,
      );
    });
  });

  describe('of the command line', () => {
    it('is sent by `mail test`, which prints where it went or what failed', async () => {
      const server = await newServer();
      const folder = { GATEHOUSE_DATA_DIR: join(await newFolder(), 'data') };
      const sent = run(['mail', 'test', 'ann@example.org', '--language', 'es'], { ...folder, ...smtpSettings(server) });
      assert.equal(await sent.ended(), 0, sent.stderr);
      assert.equal(sent.stdout, `sent: SMTP without TLS at localhost:${server.port}\n`);
      assert.equal(server.received[0]?.mail.subject, 'Mensaje de prueba de Example Identity');
      const local = run(['mail', 'test', 'ann@example.org'], folder);
      assert.equal(await local.ended(), 0, local.stderr);
      assert.equal(readdirSync(join(folder.GATEHOUSE_DATA_DIR, 'mail')).length, 1);
      const settings = { ...folder, ...smtpSettings(server) };
      await server.close();
      const away = run(['mail', 'test', 'ann@example.org'], settings);
      assert.equal(await away.ended(), 2);
      assert.match(away.stderr, /^gatehouse: SMTP without TLS at localhost:\d+ did not accept the mail: .*ECONNREFUSED/m);
      const nobody = run(['mail', 'test', 'ann'], folder);
      assert.equal(await nobody.ended(), 2);
      assert.match(nobody.stderr, /^gatehouse: ann is not an e-mail address$/m);
    });

    itAtLength('can use templates that `mail templates` copied', async () => {
      const folder = await newFolder();
      const templates = join(folder, 'templates');
      const copied = run(['mail', 'templates', templates], {});
      assert.equal(await copied.ended(), 0, copied.stderr);
      writeFileSync(join(templates, 'en', 'test.txt'), 'Subject: Ours\n\nSent {{at}}.\n');
      rmSync(join(templates, 'es'), { recursive: true });
      const settings = { GATEHOUSE_DATA_DIR: join(folder, 'data'), GATEHOUSE_IDENTITY_MAIL_TEMPLATES: templates };
      assert.equal(await run(['mail', 'test', 'ann@example.org'], settings).ended(), 0);
      const [file] = readdirSync(join(folder, 'data', 'mail'));
      assert.equal((await simpleParser(readFileSync(join(folder, 'data', 'mail', file!)))).subject, 'Ours');
    });
  });
});
