// Settings of domains in set-up files.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { assertOk } from '../../test/support/answers.ts';
import { onUsualDatabase, STORABLE_PASSWORDS, TestApi, uniqueName } from '../../test/support/api.ts';
import { Operator } from '../../test/support/setup.ts';
import { parseSetup } from './document.ts';
import { planJson } from './render.ts';

const NOTHING = 'nothing to change';
const last = (text: string): string => text.split('\n').at(-1)!;

/** A file with one domain that has these settings, one in a line, from line 5 on. */
const fileOf = (domain: string, settings: Readonly<Record<string, string>>): string =>
  `version: 1\ndomains:\n  - name: ${domain}\n    settings:${Object.keys(settings).length === 0 ? ' {}' : ''}\n${Object.entries(
    settings,
  )
    .map(([key, value]) => `      ${key}: ${value}\n`)
    .join('')}`;

const RULES = {
  'passwords.min_length': '20',
  'passwords.regex': "'\\d|a/b'",
  'passwords.change_upon_first_use': 'true',
  'registration.mode': 'invitation',
  'registration.allowed_email_domains': '[example.org, example.com]',
};
/** Nobody listens there: it is prepared, not asked. */
const DIRECTORY = {
  'ldap.url': 'ldap://127.0.0.1:1',
  'ldap.user': 'cn=reader,dc=example',
  'ldap.password': '{ variable: SETUP_LDAP }',
  'ldap.suffix': 'dc=example',
  'ldap.connection_timeout': '3',
};
const env = { SETUP_LDAP: 'of the directory' };

onUsualDatabase(
  'Settings of a domain in a set-up file',
  (api) => {
    const operator = new Operator(api);
    after(() => operator.remove());
    const pathOf = (id: string): string => `/v3/OS-SERVICE/domains/${id}/settings`;
    const idOf = async (name: string, of: TestApi = api): Promise<string> =>
      assertOk(await of.get(`/v3/domains?name=${name}`)).domains[0].id;
    const stored = async (name: string, of: TestApi = api): Promise<Record<string, string | null>> =>
      Object.fromEntries(
        assertOk(await of.get(pathOf(await idOf(name, of))))
          .settings.filter(({ source }: { source: string }) => source === 'domain')
          .map(({ key, value }: { key: string; value: string | null }) => [key, value]),
      );

    it('are stored with the domain, and changed again only where they differ', async () => {
      const name = uniqueName('domain');
      const text = fileOf(name, { ...RULES, ...DIRECTORY });
      assert.match(
        await operator.shows(text, { env }),
        new RegExp(
          `\\+ settings of domain "${name}"\n {4}passwords\\.min_length: 20\n(.*\n)* {4}ldap\\.password: "\\(secret\\)"\n`,
        ),
      );
      assert.equal(await operator.apply(text, { env }), 2);
      const now = await stored(name);
      assert.deepEqual(
        [now['passwords.min_length'], now['registration.allowed_email_domains'], now['ldap.connection_timeout']],
        ['20', 'example.org,example.com', '3'],
      );
      for (const prune of [false, true]) assert.equal(await operator.shows(text, { env, prune }), NOTHING);
      const changes = { 'passwords.min_length': '25', 'passwords.regex': 'null', 'ldap.user': 'cn=other,dc=example' };
      await assert.rejects(operator.apply(fileOf(name, changes)), /user decides who gets the password, so the password must be/);
      const other = fileOf(name, { ...changes, 'ldap.password': DIRECTORY['ldap.password'] });
      assert.match(await operator.problems(other), /ldap\.password: the variable SETUP_LDAP is not set/);
      assert.equal(
        await operator.shows(other, { env }),
        [
          `~ settings of domain "${name}"`,
          '    passwords.min_length: 20 -> 25',
          '    passwords.regex: "\\\\d|a\\\\/b" -> default',
          '    ldap.user: "cn=reader,dc=example" -> "cn=other,dc=example"',
          '0 to create, 1 to change, 0 to delete',
        ].join('\n'),
      );
      assert.equal(await operator.apply(other, { env }), 1);
      assert.equal(await operator.apply(other), 0);
      assert.equal((await stored(name))['registration.mode'], 'invitation', 'what the file does not have stays');
      assert.equal(await operator.apply(fileOf(name, { 'passwords.min_length': '25' }), { prune: true }), 1);
      assert.deepEqual(await stored(name), { 'passwords.min_length': '25' });
    });

    it('are exported with a reference to the secret, and give another service the same, with its directory', async () => {
      const name = uniqueName('Harbour');
      const connected = { ...DIRECTORY, 'identity.driver': 'ldap', 'passwords.min_length': '20' };
      await operator.apply(fileOf(name, connected), { env });
      await operator.apply('version: 1\ndomains: [{name: Default, groups: [{name: not of a directory}]}]\n');
      const text = await operator.export();
      assert.equal(last(await operator.shows(text)), NOTHING, 'the directory is not asked');
      const file = `${name.toLowerCase()}-ldap-password.secret`;
      assert.match(text, new RegExp(` {6}ldap\\.password: \\{ file: ${file} \\}\n`));
      for (const secret of [env.SETUP_LDAP, '*****']) assert.ok(!text.includes(secret));
      const empty = new TestApi(api.kind, { settings: STORABLE_PASSWORDS });
      await empty.start();
      const other = new Operator(empty);
      try {
        assert.match(await other.problems(text), /ldap\.password: .*ENOENT/);
        writeFileSync(join(other.folder, file), `${env.SETUP_LDAP}\n`, { mode: 0o600 });
        await other.apply(text);
        assert.equal(await other.export(), text);
        assert.deepEqual(await stored(name, empty), await stored(name));
      } finally {
        other.remove();
        await empty.stop();
      }
    });

    it('that a directory says are no change if they are the same, and refused if not', async () => {
      const name = uniqueName('domain');
      const connected = { ...DIRECTORY, 'identity.driver': 'ldap' };
      await operator.apply(fileOf(name, connected), { env });
      assert.match(
        await operator.shows(fileOf(name, { ...connected, 'registration.mode': "'off'" })),
        /^stays: registration\.mode: the people of this domain are in a directory, which says it\nnothing to change$/,
      );
      assert.match(
        await operator.problems(fileOf(name, { ...connected, 'registration.mode': 'open' })),
        /^setup\.yaml:11: .*registration\.mode: the people of this domain are in a directory, .*: "off"; remove it from the file$/,
      );
    });

    it('are refused by the service with the words of a start, all of them', async () => {
      const name = uniqueName('domain');
      await assert.rejects(
        operator.apply(fileOf(name, { 'passwords.min_length': '20', 'identity.driver': 'ldap' })),
        /setup\.yaml:4: domains\[0\]\.settings: .*400: .*driver is ldap, but there is no \[ldap\]/,
      );
      assert.deepEqual(await stored(name), {});
    });

    it('need the right to change them: of managers, what is left to them', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const { token } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
      assert.match(
        await operator.problems(fileOf(domain.name, DIRECTORY), { token, env }),
        /ldap\.url: the service does not show it to you, or is of another version; remove it from the file/,
      );
      await assert.rejects(operator.apply(fileOf(domain.name, { 'passwords.min_length': '20' }), { token }), /40[03]: /);
      assert.deepEqual(await stored(domain.name), {});
    });

    it('show no secret in plans, and name one that is none before anything is changed', async () => {
      const name = uniqueName('domain');
      const text = fileOf(name, DIRECTORY);
      const planned = await operator.plan(text, { env });
      const json = JSON.stringify(planJson(planned, planned.document, { service: api.url, prune: false }));
      assert.ok(json.includes('(secret)') && !json.includes(env.SETUP_LDAP));
      assert.match(await operator.problems(text, { env: {} }), /ldap\.password: the variable SETUP_LDAP is not set/);
    });
  },
  { settings: STORABLE_PASSWORDS },
);

describe('The settings of a domain in a set-up file', () => {
  const refusal = (settings: Readonly<Record<string, string>>): string => {
    try {
      parseSetup('setup.yaml', fileOf('harbour', settings));
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('are refused with the line and the nearest key', () => {
    assert.equal(
      refusal({ 'passwords.min_lenght': '12' }),
      'setup.yaml:5: domains[0].settings.passwords.min_lenght: it is not a property of this object (did you mean passwords.min_length?)',
    );
    assert.match(refusal({ 'passwords.min_length': '0' }), /^setup\.yaml:5: .*passwords\.min_length: must be >= 1$/);
    assert.match(refusal({ 'ldap.password': 'in the clear' }), /^setup\.yaml:5: .*ldap\.password: must be object or null$/);
    assert.match(refusal({ 'ldap.tls_cacertfile': '/etc/ca.pem' }), /ldap\.tls_cacertfile: it is not a property/);
  });
});
