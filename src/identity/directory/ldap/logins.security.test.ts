// What strangers try at the accounts of a directory: guesses without limits, and to learn who is in it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { TestApi, uniqueName } from '../../../../test/support/api.ts';
import { ENTRIES, ldapSection } from '../../../../test/support/directory.ts';
import { DirectoryDomain } from '../../../../test/support/directory-domain.ts';
import { FakeLdap } from '../../../../test/support/fake-ldap.ts';
import { databasesInTurn } from '../../../../test/support/migrated-database.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { dnOf, PEOPLE, passwordOf, person, READER, Slapd } from '../../../../test/support/slapd.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { publicId } from './public-id.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-directories-'));
after(() => rmSync(folder, { recursive: true }));

let addresses = 0;
const newAddress = (): string => `203.0.${++addresses}.7`;
const from = (address: string) => ({ token: null, headers: { 'X-Forwarded-For': address } });

for (const kind of databasesInTurn('Accounts of a directory under attack')) {
  describe(`Accounts of a directory under attack (${kind})`, () => {
    const slapd = new Slapd({ people: 20, entries: ENTRIES });
    const name = uniqueName('Acme');
    const dir = mkdtempSync(join(folder, 'settings-'));
    const api = new TestApi(kind, {
      rateLimits: true,
      trustedProxies: ['127.0.0.1'],
      settings: { GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: dir, GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '30' },
    });
    let domain: { id: string };
    const logIn = (address: string, user: string, password: string) =>
      api.post(
        '/v3/auth/tokens',
        {
          auth: { identity: { methods: ['password'], password: { user: { name: user, password, domain: { id: domain.id } } } } },
        },
        from(address),
      );

    before(async () => {
      await slapd.start();
      writeFileSync(join(dir, `keystone.${name}.conf`), ldapSection(slapd.url));
      await api.start();
      domain = await api.make('domain', { name });
    });
    after(async () => {
      await api.stop();
      await slapd.stop();
    });

    it('are guessed at no faster than others, and unknown names count as known ones', async () => {
      assertOk(await logIn(newAddress(), 'user1', passwordOf('user1')), 201);
      const courses = [];
      for (const [user, password] of [
        ['user1', 'wrong'],
        ['user2', 'wrong'],
        ['nobody at all', 'wrong'],
        ['user1', ''],
      ] as const) {
        const address = newAddress();
        const answers = [];
        for (let at = 0; at < 13; at++) answers.push(await logIn(address, user, password));
        courses.push(answers.map(({ status }) => status));
        for (const { status, body } of answers)
          if (status === 401) assert.equal(body.error.message, 'The request you have made requires authentication.');
      }
      assert.deepEqual(new Set(courses[1]), new Set([401, 429]));
      assert.deepEqual(courses[0], courses[1]);
      assert.deepEqual(courses[1], courses[2]);
    });

    it('are not those of local users of the same name, nor the other way round', async () => {
      const made = await api.make('user', { name: 'user7', password: 'a local password' });
      assert.equal((await api.authenticate({ name: 'user7', password: passwordOf('user7') })).status, 401);
      assert.equal((await api.authenticate({ id: made.id, password: passwordOf('user7') })).status, 401);
      assertRefused(await logIn(newAddress(), 'user7', 'a local password'), 401);
      const { token } = assertOk(await logIn(newAddress(), 'user7', passwordOf('user7')), 201);
      assert.equal(token.user.id, publicId(domain.id, 'user', 'user7'));
    });

    it('get in at the sign-in page, and only with the password of the directory', async () => {
      const party = await RelyingParty.make(api);
      const wrong = new TestBrowser(api);
      const page = await wrong.go((await party.ask()).url);
      const form = page.forms.find(({ fields }) => fields.step === 'password')!;
      const refused = await wrong.send(form.action, { ...form.fields, name: 'user8', domain: name, password: 'wrong' });
      assert.equal(refused.status, 401);
      assert.match(refused.text, /not right/);
      const browser = new TestBrowser(api);
      const answers = { name: 'user8', domain: name, password: passwordOf('user8'), consent: true };
      const tokens = await party.tokensFor(answers, {}, browser);
      assert.equal(tokens.claims()?.sub, publicId(domain.id, 'user', 'user8'));
    });

    it('whose directory is away get a page that says so', async () => {
      const party = await RelyingParty.make(api);
      const browser = new TestBrowser(api);
      const page = await browser.go((await party.ask()).url);
      const form = page.forms.find(({ fields }) => fields.step === 'password')!;
      await slapd.kill();
      try {
        const answer = await browser.send(form.action, {
          ...form.fields,
          name: 'user8',
          domain: name,
          password: passwordOf('user8'),
        });
        assert.ok(answer.status === 401 || answer.status === 503, String(answer.status));
        assert.doesNotMatch(answer.text, /not right/);
      } finally {
        await slapd.run();
        // Nobody tries again for a moment.
        api.clock.advance(2);
      }
    });

    it('are closed with the domain, and open with it', async () => {
      await slapd.add(dnOf('closing'), person('closing'));
      assertOk(await logIn(newAddress(), 'closing', passwordOf('closing')), 201);
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertRefused(await logIn(newAddress(), 'closing', passwordOf('closing')), 401);
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: true } }));
      assertOk(await logIn(newAddress(), 'closing', passwordOf('closing')), 201);
    });

    it('are locked like others, whatever the directory says', async () => {
      assertOk(await logIn(newAddress(), 'user5', passwordOf('user5')), 201);
      for (let at = 0; at < 30; at++) {
        api.clock.advance(40);
        assertRefused(await logIn(newAddress(), 'user5', 'wrong'), 401);
      }
      api.clock.advance(40);
      assertRefused(await logIn(newAddress(), 'user5', passwordOf('user5')), 401);
      api.clock.advance(3600);
      assertOk(await logIn(newAddress(), 'user5', passwordOf('user5')), 201);
    });
  });
}

describe('A directory is asked', () => {
  const alice = { dn: dnOf('alice'), attributes: { uid: ['alice'], sn: ['alice'] } };
  const fake = new FakeLdap({
    search: ({ base, request }) => (base === PEOPLE && request.includes('alice') ? [alice] : []),
    async isPassword(dn, password) {
      if (dn === READER.dn) return true;
      await whileAsked?.();
      return dn === alice.dn && password === 'right';
    },
  });
  let whileAsked: (() => Promise<unknown>) | undefined;
  let url = '';
  before(async () => {
    url = await fake.listen();
  });
  after(() => fake.close());
  const domain = new DirectoryDomain('SQLite', {
    url: () => url,
    settings: { GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '4' },
    ldap: { user_enabled_emulation: '', page_size: '0' },
  });
  /** What a login asks, without the connections of the service itself. */
  async function operationsOf(name: string, password: string, status: number): Promise<string[]> {
    fake.operations.length = 0;
    assert.equal((await domain.logIn(name, password)).status, status);
    return fake.operations.filter((one) => one !== `bind ${READER.dn}`);
  }
  const kinds = (operations: readonly string[]) => operations.map((one) => one.split(' ')[0]);

  it('the same about known names, unknown ones, and those that are known here', async () => {
    const unknown = await operationsOf('nobody', 'wrong', 401);
    assert.deepEqual(kinds(unknown), ['search', 'search', 'bind']);
    assert.deepEqual(kinds(await operationsOf('alice', 'wrong', 401)), kinds(unknown));
    assert.ok((await operationsOf('alice', 'right', 201)).includes(`bind ${alice.dn}`));
    assert.deepEqual(kinds(await operationsOf('alice', 'wrong', 401)), kinds(unknown));
  });

  it('in vain, when the tokens of the person were ended meanwhile', async () => {
    await operationsOf('alice', 'right', 201);
    whileAsked = async () => assertOk(await domain.api.delete(`/v3/users/${domain.idOf('alice')}/tokens`), 204);
    assert.ok((await operationsOf('alice', 'right', 401)).includes(`bind ${alice.dn}`));
    whileAsked = undefined;
    await operationsOf('alice', 'right', 201);
  });

  it('about the password of a locked account no more, as often as otherwise', async () => {
    for (let at = 0; at < 4; at++) await operationsOf('alice', 'wrong', 401);
    for (const password of ['right', 'wrong']) {
      const operations = await operationsOf('alice', password, 401);
      assert.deepEqual(kinds(operations), ['search', 'search', 'bind']);
      assert.ok(!operations.includes(`bind ${alice.dn}`), 'neither counted nor answered there');
    }
    domain.api.clock.advance(3600);
    await operationsOf('alice', 'right', 201);
  });
});
