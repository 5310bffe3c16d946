// The settings that the guide shows, against a real server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TestClock } from '../../../../test/support/api.ts';
import { domainSettingsIn, ENTRIES } from '../../../../test/support/directory.ts';
import { blocksOf } from '../../../../test/support/guides.ts';
import { passwordOf, READER, Slapd } from '../../../../test/support/slapd.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createDirectory } from './directory.ts';

describe('The settings in the guide', () => {
  const slapd = new Slapd({ entries: ENTRIES, people: 3 });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-directories-'));
  const [openldap, activeDirectory] = blocksOf('docs/guide/ldap.md').filter(({ language }) => language === 'ini');
  /** With the addresses, files and the account of the test. */
  const here = (text: string): string => {
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, READER.password);
    return text
      .replace(/^url = .*$/m, `url = ${slapd.secureUrl}`)
      .replace(/^tls_cacertfile = .*$/m, `tls_cacertfile = ${slapd.caFile}`)
      .replace(/^user = .*$/m, `user = ${READER.dn}`)
      .replace(/^password_file = .*$/m, `password_file = ${passwordFile}`);
  };
  before(() => slapd.start());
  after(async () => {
    await slapd.stop();
    rmSync(folder, { recursive: true });
  });

  it('for OpenLDAP find people and groups, and check passwords', async () => {
    const { ldap, identity } = domainSettingsIn(here(openldap!.text));
    assert.equal(identity.driver, 'ldap');
    const directory = createDirectory({ ldap, domainId: 'd', clock: new TestClock(), log: createLog('silent') });
    try {
      const alice = (await directory.findUserByName('alice'))!;
      assert.match(alice.localId, /^[0-9a-f]{8}-/, 'entryUUID');
      assert.equal(await directory.authenticate(alice, passwordOf('alice'), { key: 'the tests' }), true);
      const { groups } = await directory.groupsOf(alice);
      assert.deepEqual(groups.map(({ name }) => name).sort(), ['inner', 'middle', 'outer']);
      assert.equal(await directory.findUserByName('nobody'), undefined);
      assert.equal((await directory.usersById([alice.localId]))[0]?.name, 'alice');
    } finally {
      directory.close();
    }
  });

  it('for Active Directory are read as they are meant', () => {
    const { ldap } = domainSettingsIn(here(activeDirectory!.text));
    assert.deepEqual(
      [ldap.userIdAttribute, ldap.userEnabledMask, ldap.groupAdNesting, ldap.pageSize],
      ['objectGUID', 2, true, 500],
    );
  });
});
