// Weak passwords are refused, wherever a password can be set.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { DEFAULT_PASSWORDS, onDatabase, TestApi, uniqueName } from '../../../../test/support/api.ts';
import { gatehouse } from '../../../../test/support/process.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { hashPassword } from './argon2.ts';
import { isCommon } from './common.ts';

const COMMON = ['12345678', 'password1', 'PassWord1', 'P@ssw0rd', 'iloveyou1', 'QWERTYUIOP'];
const SHORT = 'k7#Zq9!';
const LONG_ENOUGH = 'k7#Zq9!x';

onDatabase('SQLite', 'Weak passwords', { settings: DEFAULT_PASSWORDS }, (api) => {
  const make = (password: string) => api.post('/v3/users', { user: { name: uniqueName('user'), password } });

  it('are refused for a new user: those that are short', async () => {
    assertRefused(await make(SHORT), 400, /at least 8 characters/);
    assertRefused(await make('😀😀😀😀😀😀😀'), 400, /at least 8 characters/);
    assert.equal((await make(LONG_ENOUGH)).status, 201);
  });

  it('are refused for a new user: those that are common, in capitals too', async () => {
    for (const password of COMMON) assertRefused(await make(password), 400, /common passwords/);
  });

  it('are refused where an administrator sets one, or the person does', async () => {
    const { user, password } = await makeUser(api);
    assertRefused(await api.patch(`/v3/users/${user.id}`, { user: { password: COMMON[0] } }), 400, /common passwords/);
    const change = (fresh: string) =>
      api.post(`/v3/users/${user.id}/password`, { user: { original_password: password, password: fresh } }, { token: null });
    assertRefused(await change(SHORT), 400, /at least 8/);
    assertRefused(await change('Password1'), 400, /common passwords/);
    assert.equal((await change(LONG_ENOUGH)).status, 204);
  });

  it('are refused by SCIM', async () => {
    const answer = await api.post(
      '/scim/v2/Users',
      { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: uniqueName('user'), password: 'football1' },
      { headers: { 'Content-Type': 'application/scim+json', Authorization: `Bearer ${api.adminToken}` } },
    );
    assert.equal(answer.status, 400, answer.text);
  });

  it('are refused at /account, and said so', async () => {
    const { user, password } = await makeUser(api);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(new URL('/account/security', api.url), { name: user.name, password });
    const fresh = { new_password: 'password1', new_password_again: 'password1' };
    const answer = await browser.submit(page, 'change-password', { current_password: password, ...fresh });
    assert.match(answer.text, /too common/);
  });

  it('of existing users still work', async () => {
    const { user } = await makeUser(api);
    const db = await databaseOf(api);
    try {
      const hash = await hashPassword('secret', { memory: 64, passes: 1 });
      await db.write((tx) => tx.updateTable('passwords').set({ hash }).where('user_id', '=', user.id).execute());
    } finally {
      await db.close();
    }
    assert.equal((await api.authenticate({ id: user.id, password: 'secret' })).status, 201);
  });
});

onDatabase('SQLite', 'Weak passwords, where the settings let them through', { settings: {} }, (api) => {
  it('are taken', async () => {
    for (const password of ['x', 'password'])
      assert.equal((await api.post('/v3/users', { user: { name: uniqueName('user'), password } })).status, 201);
  });
});

it('the list is found whole words only', async () => {
  assert.ok(await isCommon('password'));
  for (const rare of ['tpasswor', 'assword","12345678', ',', '', ':']) assert.ok(!(await isCommon(rare)), rare);
});

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [password, why] of [
  ['admin', 'at least 8 characters'],
  ['admin123', 'common passwords'],
] as const)
  it(`a first start with the weak GATEHOUSE_ADMIN_PASSWORD ${password} names the key and ends with 2`, async () => {
    const service = gatehouse(['identity'], { GATEHOUSE_DATA_DIR: join(folder, password), GATEHOUSE_ADMIN_PASSWORD: password });
    assert.equal(await service.ended(), 2, service.stdout);
    const said = service.stdout + service.stderr;
    assert.match(said, /GATEHOUSE_ADMIN_PASSWORD/);
    assert.match(said, new RegExp(why));
    assert.ok(!said.includes(`"${password}"`));
  });

it('gatehouse admin-password is held to the same', async () => {
  const api = new TestApi('SQLite', { settings: DEFAULT_PASSWORDS });
  await api.start();
  try {
    await assert.rejects(api.service.resetAdminPassword('letmein123'), /GATEHOUSE_ADMIN_PASSWORD/);
  } finally {
    await api.stop();
  }
});
