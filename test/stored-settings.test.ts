// Settings that were stored while the service ran: at the next start, by the command line, and for `gatehouse doctor`.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { examine } from '../src/doctor/index.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { assertOk } from './support/answers.ts';
import { onEachDatabase } from './support/api.ts';
import { itAtLength } from './support/extent.ts';
import { freePort } from './support/ports.ts';
import { gatehouse } from './support/process.ts';
import { usesDatabaseOf } from './support/restartable-api.ts';

const PASSWORD = 'the administrator of the tests';
const BRAND = 'GATEHOUSE_IDENTITY_BRAND_NAME';

describe('Settings that are stored', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-settings-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function run(...args: string[]) {
    const ran = gatehouse(args, { GATEHOUSE_DATA_DIR: folder }, folder);
    return { code: await ran.ended(), stdout: ran.stdout, stderr: ran.stderr };
  }

  /** Whether the administrator gets in by the password, after another start. */
  async function logIn(): Promise<number> {
    const service = gatehouse(['identity'], { GATEHOUSE_DATA_DIR: folder });
    const url = await service.listening();
    const user = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
    const body = JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } } } });
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await fetch(`${url}/v3/auth/tokens`, { method: 'POST', headers, body });
    await service.stop();
    return status;
  }

  /** Starts the service, and returns what its settings say of the name. */
  async function whileRunning(settings: Record<string, string>, change?: Record<string, string>) {
    const service = gatehouse(['identity'], {
      GATEHOUSE_DATA_DIR: folder,
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      ...settings,
    });
    const url = await service.listening();
    const user = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const body = JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } });
    const json = { 'Content-Type': 'application/json' };
    const login = await fetch(`${url}/v3/auth/tokens`, { method: 'POST', headers: json, body });
    const headers = { ...json, 'X-Auth-Token': login.headers.get('x-subject-token')! };
    const path = `${url}/v3/OS-SERVICE/settings`;
    if (change) {
      const changed = await fetch(path, { method: 'PATCH', headers, body: JSON.stringify({ settings: change }) });
      assert.equal(changed.status, 200, await changed.text());
    }
    const listed = (await (await fetch(path, { headers })).json()) as {
      settings: { key: string; value: string; source: string }[];
    };
    await service.stop();
    const { value, source } = listed.settings.find(({ key }) => key === BRAND)!;
    return { value, source };
  }

  it('are there after the next start, unless the environment says otherwise, and can be forgotten', async () => {
    assert.deepEqual(await whileRunning({}, { [BRAND]: 'Harbour' }), { value: 'Harbour', source: 'service' });
    assert.equal((await run('settings')).stdout.trim(), BRAND);
    assert.deepEqual(await whileRunning({ [BRAND]: 'Pier' }), { value: 'Pier', source: 'environment' });
    assert.deepEqual(await whileRunning({}), { value: 'Harbour', source: 'service' });
    const unknown = await run('settings', 'forget', 'GATEHOUSE_IDENTITY_PASSKEYS');
    assert.deepEqual([unknown.code, /is not stored/.test(unknown.stderr)], [2, true]);
    assert.equal((await run('settings', 'forget', BRAND)).code, 0);
    assert.equal((await run('settings')).stdout.trim(), 'nothing is stored');
  });

  itAtLength('keep no administrator out for ever: what they are refused for is forgotten by a command', async () => {
    const key = 'GATEHOUSE_IDENTITY_TWO_FACTOR';
    await whileRunning({}, { [key]: 'required' });
    assert.equal(await logIn(), 401);
    assert.equal((await run('settings', 'forget', key)).code, 0);
    assert.equal(await logIn(), 201);
  });
});

onEachDatabase('Settings that are stored, looked at without the service', (api) => {
  const db = usesDatabaseOf(api);
  const KEY = (name: string): string => `GATEHOUSE_IDENTITY_${name}`;
  const SECRET = 'the password of the mail server';
  const HOSTILE = '\u001b]0;owned\u0007\nGATEHOUSE_IDENTITY_PORT=1';
  const MAIL = {
    [KEY('SMTP_HOST')]: 'mail.invalid',
    [KEY('SMTP_USER')]: 'gatehouse',
    [KEY('SMTP_PASSWORD')]: SECRET,
    [KEY('MAIL_FROM')]: 'Harbour <id@example.org>',
  };
  before(async () => {
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { ...MAIL, [BRAND]: HOSTILE, [KEY('DEVICE_DAYS')]: '30' } }));
  });

  const env = (more: Readonly<Record<string, string>> = {}) => ({
    GATEHOUSE_DATA_DIR: api.folder,
    ...(api.databaseUrl ? { [KEY('DATABASE_URL')]: api.databaseUrl } : {}),
    ...more,
  });

  /** What the doctor says of what is stored. */
  async function findings(more: Readonly<Record<string, string>> = {}) {
    const all = await examine({ env: env(more), service: 'identity' });
    const own = all.filter(({ check }) => check.startsWith('stored.'));
    assert.ok(!JSON.stringify(all).includes(SECRET));
    return Object.fromEntries(own.map(({ check, status, text }) => [check.slice('stored.'.length), `${status} ${text}`]));
  }

  async function config(more: Readonly<Record<string, string>> = {}): Promise<string> {
    const ran = gatehouse(['config'], env(more), api.folder);
    assert.equal(await ran.ended(), 0, ran.stderr);
    return ran.stdout;
  }

  /** Rows of another version. */
  const insert = (id: string, value: string) =>
    db().write(async (tx) => {
      await tx.insertInto('service_settings').values({ id, value, sealed: null, version: '1', changed_at: 0 }).execute();
    });
  const remove = (id: string) =>
    db().write(async (tx) => {
      await tx.deleteFrom('service_settings').where('id', '=', id).execute();
    });

  it('are good for the doctor, which checks mail and others with them', async () => {
    assert.deepEqual(await findings(), {
      valid: 'ok 6 stored',
      domains: 'ok no setting of a domain is stored',
      overridden: 'ok none',
      together: 'ok what is stored fits to the environment',
    });
    const all = await examine({ env: env(), service: 'identity' });
    const mail = all.find(({ check }) => check === 'mail')!;
    assert.match(mail.text, /^mail\.invalid does not let us send/);
  });

  it('are found by the doctor where they have no effect', async () => {
    await insert(KEY('OF_TOMORROW'), '1');
    await insert(KEY('INVITATION_SECONDS'), 'a while');
    try {
      assert.equal(
        (await findings()).valid,
        `warn stored without effect: ${KEY('INVITATION_SECONDS')} (it is not valid here), ${KEY('OF_TOMORROW')} (this version does not know it)`,
      );
      const printed = await config();
      assert.match(printed, /^# stored: GATEHOUSE_IDENTITY_INVITATION_SECONDS \(no effect: it is not valid\)$/m);
      assert.match(printed, /^# stored: GATEHOUSE_IDENTITY_OF_TOMORROW \(no effect: this version does not know it\)$/m);
    } finally {
      await remove(KEY('OF_TOMORROW'));
      await remove(KEY('INVITATION_SECONDS'));
    }
  });

  it('are found where the environment or the file overrides them, or fits no more', async () => {
    const file = join(api.folder, 'settings.env');
    await writeFile(file, `${KEY('DEVICE_DAYS')}=60\n`);
    const more = { GATEHOUSE_CONFIG_FILE: file, [BRAND]: 'Pier' };
    assert.equal(
      (await findings(more)).overridden,
      `warn stored, but the environment or the file of settings says otherwise: ${BRAND} (environment), ${KEY('DEVICE_DAYS')} (file)`,
    );
    const printed = await config(more);
    assert.match(
      printed,
      /^GATEHOUSE_IDENTITY_BRAND_NAME=Pier\n# stored: .*owned.* \(no effect: the environment says otherwise\)$/m,
    );
    assert.match(
      printed,
      /^GATEHOUSE_IDENTITY_DEVICE_DAYS=60\n# stored: GATEHOUSE_IDENTITY_DEVICE_DAYS=30 \(no effect: the file of settings says/m,
    );
    await rm(file);
    const { together } = await findings({ [KEY('SMTP_TLS')]: 'off' });
    assert.match(
      together!,
      /^fail with what is stored, the next start fails: GATEHOUSE_IDENTITY_SMTP_TLS: a password is not sent/,
    );
    assert.match((await findings({ [KEY('MAIL_FROM')]: '' })).together!, /fails: GATEHOUSE_IDENTITY_MAIL_FROM must be set with/);
  });

  it('have no effect if they are sealed under another master key', async () => {
    const { valid } = await findings({ GATEHOUSE_MASTER_KEY: newMasterKey() });
    assert.equal(valid, `warn stored without effect: ${KEY('SMTP_PASSWORD')} (it is not valid here)`);
  });

  it('are comments of `gatehouse config`, whose output stays a file of settings', async () => {
    const printed = await config();
    assert.match(printed, /^GATEHOUSE_IDENTITY_DEVICE_DAYS=90\n# stored: GATEHOUSE_IDENTITY_DEVICE_DAYS=30$/m);
    assert.match(printed, /^# stored: GATEHOUSE_IDENTITY_SMTP_PASSWORD=\*{8}$/m);
    assert.match(printed, /^# stored: GATEHOUSE_IDENTITY_BRAND_NAME=\\u001b\]0;owned\\u0007\\u000aGATEHOUSE_IDENTITY_PORT=1$/m);
    assert.doesNotMatch(printed, /(?!\n)\p{Cc}|the password of/u);
    const file = join(api.folder, 'printed.env');
    // The address of the database is masked.
    await writeFile(file, printed.replace(/^GATEHOUSE_IDENTITY_DATABASE_URL=.*\n/m, ''));
    assert.equal(
      await config({ GATEHOUSE_CONFIG_FILE: file }).then((again) => again.replaceAll(/ \(no effect: the f.*\)$/gm, '')),
      printed,
    );
    await rm(file);
  });

  itAtLength('are not missed by `gatehouse config` where there is no database that it can read', async () => {
    const without = (printed: string) => printed.replaceAll(/^# stored: .*\n/gm, '');
    const expected = without(await config());
    const nowhere = api.databaseUrl
      ? { [KEY('DATABASE_URL')]: `postgres://ann:x@127.0.0.1:${await freePort()}/x` }
      : { GATEHOUSE_DATA_DIR: join(api.folder, 'nowhere') };
    const lines = (printed: string) => printed.replace(/^GATEHOUSE_DATA_DIR=.*$/m, '');
    assert.equal(lines(await config(nowhere)), lines(expected));
  });
});
