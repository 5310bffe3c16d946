import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { onEachDatabase, TestApi } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { ConfigError, load } from '../../../platform/config/index.ts';
import { createLog } from '../../../platform/log/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { RunChange } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { identitySettings } from '../../ground/settings/index.ts';
import { readDomainFile } from './files.ts';
import { createDomainSettings } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-domains-'));
after(() => rmSync(folder, { recursive: true }));
let folders = 0;

/** A folder with these files. */
function filesIn(files: Readonly<Record<string, string>>): string {
  const path = join(folder, String(++folders));
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const KEYSTONE = `
[identity]
driver = ldap

[ldap]
url = ldap://one.example,ldap://two.example:1389
user = cn=reader,dc=example
password = secret
suffix = dc=example
query_scope = sub
page_size = 500
user_tree_dn = ou=People,dc=example
user_filter = (memberOf=cn=staff,ou=Groups,dc=example)
user_enabled_attribute = userAccountControl
user_enabled_mask = 2
user_enabled_default = 512
user_attribute_ignore = password,tenant_id
user_additional_attribute_mapping = telephoneNumber:phone, title:job
use_tls = True
tls_req_cert = demand
connection_timeout = -1
`;

/** What these tests do not use. */
const others = {
  log: createLog('silent'),
  seal: {} as Seal,
  change: (() => assert.fail()) as RunChange,
  serviceSettings: { sourceOf: () => 'default' as const },
};
const read = (text: string, env = {}) => readDomainFile('keystone.x.conf', text, load(identitySettings, env));

describe('The file of a domain', () => {
  it('of Keystone is taken as it is', () => {
    const { identity, ldap } = read(KEYSTONE);
    assert.equal(identity.driver, 'ldap');
    assert.deepEqual(ldap.url, ['ldap://one.example', 'ldap://two.example:1389']);
    assert.equal(ldap.userFilter, '(memberOf=cn=staff,ou=Groups,dc=example)');
    assert.deepEqual(ldap.userAdditionalAttributeMapping, [
      { ldap: 'telephoneNumber', name: 'phone' },
      { ldap: 'title', name: 'job' },
    ]);
    assert.deepEqual([ldap.useTls, ldap.userEnabledMask, ldap.userEnabledDefault, ldap.pageSize], [true, 2, '512', 500]);
    assert.equal(ldap.connectionTimeout, 10, 'nobody waits for ever');
  });

  it('has a directory where it has [ldap], unless it says otherwise', () => {
    assert.equal(read('[ldap]\n').identity.driver, 'ldap');
    assert.equal(read('[identity]\ndriver = sql\n[ldap]\n').identity.driver, 'sql');
    assert.equal(read('').identity.driver, 'sql');
    assert.throws(() => read('[identity]\ndriver = ldap\n'), /line 2 of keystone\.x\.conf: \[identity\] driver is ldap, but/);
  });

  it('goes by the settings of the service where it says nothing', () => {
    const env = {
      GATEHOUSE_IDENTITY_REGISTRATION: 'open',
      GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS: 'a.example, b.example',
      GATEHOUSE_IDENTITY_REGISTRATION_CONFIRMED_BY: 'administrator',
      GATEHOUSE_IDENTITY_REGISTRATION_GIVEN_NAME: 'required',
      GATEHOUSE_IDENTITY_PASSKEYS: 'required_for_administrators',
      GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'second',
      GATEHOUSE_IDENTITY_ACCOUNT_DELETION: 'allowed',
      GATEHOUSE_IDENTITY_ACCOUNT_DELETION_GRACE_DAYS: '3',
    };
    const { registration, passkeys, wallet, account } = read('', env);
    assert.deepEqual(wallet, { signIn: 'second' });
    assert.deepEqual(read('[wallet]\nsign_in = first\n', env).wallet, { signIn: 'first' });
    const { mode, allowedEmailDomains, confirmedBy, givenName } = registration;
    assert.deepEqual([mode, allowedEmailDomains], ['open', ['a.example', 'b.example']]);
    assert.deepEqual([confirmedBy, givenName], ['administrator', 'required']);
    assert.deepEqual(passkeys, { policy: 'required_for_administrators' });
    assert.deepEqual(account, { deletion: 'allowed', deletionGraceDays: 3 });
    const own = read('[registration]\nmode = invitation\nallowed_email_domains =\n[account]\ndeletion = off\n', env);
    assert.deepEqual([own.registration.mode, own.registration.allowedEmailDomains], ['invitation', []]);
    assert.deepEqual(own.account, { deletion: 'off', deletionGraceDays: 3 });
  });

  it('of a directory lets nobody register or delete themselves', () => {
    const env = { GATEHOUSE_IDENTITY_REGISTRATION: 'open', GATEHOUSE_IDENTITY_ACCOUNT_DELETION: 'allowed' };
    const { registration, account } = read('[ldap]\n', env);
    assert.deepEqual([registration.mode, account.deletion], ['off', 'off']);
    assert.throws(() => read('[ldap]\n[registration]\nmode = open\n'), /line 3 of .*mode must be off/);
    assert.throws(() => read('[ldap]\n[account]\ndeletion = allowed\n'), /line 3 of .*deletion must be off/);
  });

  it('is refused where it cannot mean what it says', () => {
    const refused: readonly (readonly [string, RegExp])[] = [
      ['url = http://x', /url must be addresses as ldap:/],
      ['url = ldap://', /url must be addresses/],
      ['url =', /url must be at least one address/],
      ['user_treedn = ou=x', /user_treedn is not a setting of \[ldap\]; did you mean user_tree_dn\?/],
      ['user_name_attribute = uid)(cn=*', /must be the name of an attribute/],
      ['user_objectclass = *', /must be the name of an object class/],
      ['user_filter = memberOf=x', /must be a filter in brackets/],
      ['user_additional_attribute_mapping = phone', /must be pairs/],
      ['chase_referrals = True', /cannot be on: referrals are not followed/],
      ['user = cn=reader', /user needs its password/],
      ['password = x', /password needs user/],
      ['connection_timeout = 0', /must be a whole number from 1 to 3600/],
      ['use_tls = yes\nurl = ldaps://x', /use_tls is for ldap:\/\/ servers/],
    ];
    for (const [line, why] of refused)
      assert.throws(
        () => read(`[ldap]\n${line}\n`),
        (error: Error) => error instanceof ConfigError && why.test(error.message) && /^line \d of keystone/.test(error.message),
        line,
      );
  });
});

onEachDatabase('Settings of domains', (api) => {
  let db: Database;
  before(async () => {
    db = await databaseOf(api);
  });
  after(() => db.close());
  const settingsWith = (files: Readonly<Record<string, string>>) =>
    createDomainSettings({
      ...others,
      db,
      config: load(identitySettings, { GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: filesIn(files) }),
    });

  it('are found by the id of the domain, and go by its name', async () => {
    const domain = await api.make('domain', { name: 'Acme, Inc.' });
    const other = await api.make('domain', { name: 'Other' });
    const settings = settingsWith({ 'keystone.Acme, Inc..conf': '[passkeys]\npolicy = off\n', 'notes.txt': 'none of ours' });
    assert.equal((await settings.of(domain.id)).passkeys.policy, 'off');
    assert.equal(await settings.of(other.id), settings.defaults());
    assert.equal(await settings.of('nobody'), settings.defaults());
    assert.deepEqual(
      (await settings.domains()).map(({ domainId }) => domainId),
      [domain.id],
    );
    await api.patch(`/v3/domains/${domain.id}`, { domain: { name: 'Renamed' } });
    assert.equal(await settings.of(domain.id), settings.defaults());
  });

  it('are those of no project that has the name of a domain', async () => {
    const project = await api.make('project', { name: 'Lookalike' });
    const settings = settingsWith({ 'keystone.Lookalike.conf': '[passkeys]\npolicy = off\n' });
    assert.equal(await settings.of(project.id), settings.defaults());
    assert.deepEqual(await settings.domains(), []);
  });

  it('are the defaults without a folder', async () => {
    const settings = createDomainSettings({ ...others, db, config: load(identitySettings, {}) });
    assert.equal((await settings.of('default')).registration.mode, 'invitation');
    assert.deepEqual(await settings.domains(), []);
  });
});

describe('A service whose domain has a file', () => {
  const starting = async (dir: string) => {
    const api = new TestApi('SQLite', { settings: { GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: dir } });
    try {
      await api.start();
      return api.logged.join('');
    } finally {
      if (api.url) await api.stop();
      rmSync(api.folder, { recursive: true, force: true });
    }
  };

  it('does not start with one that is wrong, and says where', async () => {
    const dir = filesIn({ 'keystone.Default.conf': '[passkeys]\n\npolicy = maybe\n' });
    await assert.rejects(starting(dir), (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.equal(
        error.message,
        `line 3 of ${dir}/keystone.Default.conf: [passkeys] policy must be one of off, allowed, required_for_administrators, not "maybe"`,
      );
      return true;
    });
    await assert.rejects(starting(filesIn({ 'Default.conf': '' })), /must be called keystone\.<domain name>\.conf/);
    await assert.rejects(starting('/nowhere'), /GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: cannot read \/nowhere \(ENOENT\)/);
  });

  it('says when there is no such domain', async () => {
    assert.match(await starting(filesIn({ 'keystone.Defualt.conf': '' })), /"domain":"Defualt".*does not exist/);
  });
});
