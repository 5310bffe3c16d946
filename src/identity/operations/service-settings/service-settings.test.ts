import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onEachDatabase, TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';
import { MailServer } from '../../../../test/support/mail-server.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { soon } from '../../../../test/support/soon.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const PATH = '/v3/OS-SERVICE/settings';
const KEY = (name: string): string => `GATEHOUSE_IDENTITY_${name}`;

const store = (api: TestApi, settings: Record<string, string | null>, headers = {}) =>
  api.patch(
    PATH,
    { settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [KEY(name), value])) },
    { headers },
  );
const settingOf = async (api: TestApi, name: string) =>
  assertOk(await api.get(PATH)).settings.find(({ key }: { key: string }) => key === KEY(name));
const newUser = (api: TestApi, password: string) => api.post('/v3/users', { user: { name: uniqueName('user'), password } });

onEachDatabase('Settings of the service', (api) => {
  const db = usesDatabaseOf(api);

  it('take effect at once, and go back to the default', async () => {
    assertOk(await newUser(api, 'ten letter'), 201);
    const { body } = await store(api, { PASSWORD_REGEX: '\\d', PASSWORD_REGEX_DESCRIPTION: 'It needs a digit.' });
    const shown = body.settings.find(({ key }: { key: string }) => key === KEY('PASSWORD_REGEX'));
    assert.deepEqual([shown.value, shown.source, shown.group, shown.default], ['\\d', 'service', 'passwords', null]);
    assertRefused(await newUser(api, 'letters and no digit'), 400, /It needs a digit/);
    assertOk(await newUser(api, 'letters and 1 digit'), 201);
    assertOk(await store(api, { PASSWORD_REGEX: null, PASSWORD_REGEX_DESCRIPTION: null }));
    assert.equal((await settingOf(api, 'PASSWORD_REGEX')).source, 'default');
    assertOk(await newUser(api, 'ten letter'), 201);
  });

  it('are listed with what a form needs: group, range, choices, default', async () => {
    const days = await settingOf(api, 'DEVICE_DAYS');
    assert.deepEqual([days.group, days.default, days.input], ['factors', '90', { type: 'number', min: 1, max: 36_500 }]);
    assert.deepEqual((await settingOf(api, 'PASSKEYS')).input, {
      type: 'choice',
      choices: ['off', 'allowed', 'required_for_administrators'],
    });
    assert.equal((await settingOf(api, 'PORT')).group, null);
  });

  it('are stored all or none', async () => {
    assertRefused(
      await store(api, { DEVICE_DAYS: '30', INVITATION_SECONDS: '1' }),
      400,
      /INVITATION_SECONDS must be a whole number from 300/,
    );
    assert.equal((await settingOf(api, 'DEVICE_DAYS')).source, 'default');
  });

  it('are refused with the words of a start', async () => {
    for (const [settings, words] of [
      [{ REGISTRATION: 'maybe' }, /GATEHOUSE_IDENTITY_REGISTRATION must be one of off, open, invitation, not "maybe"/],
      [{ PASSWORD_REGEX: '(' }, /PASSWORD_REGEX must be a regular expression/],
      [{ SMTP_HOST: 'mail.example.org' }, /MAIL_FROM must be set with GATEHOUSE_IDENTITY_SMTP_HOST/],
      [{ SMTP_USER: 'x' }, /SMTP_HOST must be set with GATEHOUSE_IDENTITY_SMTP_USER/],
      [{ WEBHOOK_URL: 'https://hook.example.org' }, /WEBHOOK_SECRET must be set with/],
      [{ TRUSTED_DASHBOARD: 'javascript:x' }, /is not the http or https address of a dashboard/],
      [{ KEY_ATTESTATIONS: 'required' }, /nobody could attest keys/],
      [{ CREDENTIAL_OFFER_LINK: 'javascript:x' }, /CREDENTIAL_OFFER_LINK must be a scheme/],
      [{ WALLET_SIGN_IN: 'first', WALLET_LINK: 'no link' }, /WALLET_LINK must be a scheme/],
      [{ PASSKEYS: 'required_for_administrators' }, /needs an address where browsers offer passkeys/],
    ] as const)
      assertRefused(await store(api, settings as unknown as Record<string, string>), 400, words);
  });

  it('are only those that belong to the service, and that exist', async () => {
    assertRefused(await store(api, { PORT: '1' }), 400, /belongs to the machine/);
    assertRefused(await store(api, { NO_SUCH: '1' }), 400, /There is no setting/);
    assertRefused(await api.patch(PATH, { settings: { toString: '1' } }), 400, /There is no setting/);
    assertRefused(await api.patch(PATH, { settings: { [KEY('DEVICE_DAYS')]: 5 } }), 400);
    assertRefused(await store(api, { PASSWORD_COMMON: 'refuse' }), 409, /fixed by the operator/);
  });

  it('are changed by administrators only', async () => {
    const outsiders = await Promise.all([
      api.persona(['member'], { project: await adminProject(api) }),
      api.persona(['manager'], { domain: 'default' }),
      api.persona(['reader'], 'system'),
    ]);
    const body = { settings: { [KEY('DEVICE_DAYS')]: '30' } };
    await assertGuarded(
      api,
      outsiders.map(({ token }) => token),
      [{ method: 'PATCH', path: PATH, body }],
    );
  });

  it('are not overwritten by somebody who did not see the last change', async () => {
    const { headers } = await api.get(PATH);
    const etag = headers.get('etag')!;
    const first = await store(api, { DEVICE_DAYS: '30' }, { 'If-Match': etag });
    assertOk(first);
    assertRefused(await store(api, { DEVICE_DAYS: '60' }, { 'If-Match': etag }), 412);
    assert.equal((await settingOf(api, 'DEVICE_DAYS')).value, '30');
    assertOk(await store(api, { DEVICE_DAYS: null }, { 'If-Match': first.headers.get('etag')! }));
  });

  it('are stored for one of two who change them at once', async () => {
    const etag = (await api.get(PATH)).headers.get('etag')!;
    const answers = await Promise.all(['31', '32', '33'].map((days) => store(api, { DEVICE_DAYS: days }, { 'If-Match': etag })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
    assertOk(await store(api, { DEVICE_DAYS: null }));
  });

  it('leave the old and the new value in the audit log', async () => {
    const answer = await store(api, {
      BRAND_NAME: 'Harbour',
      WEBHOOK_URL: 'https://hook.example.org',
      WEBHOOK_SECRET: 'a secret of a hook',
    });
    assertOk(answer);
    const [event] = await db()
      .read.selectFrom('audit_events')
      .where('request_id', '=', answer.headers.get('x-openstack-request-id'))
      .selectAll()
      .execute();
    assert.equal(event!.action, 'settings.changed');
    assert.deepEqual(JSON.parse(event!.detail).changes, {
      [KEY('BRAND_NAME')]: { from: 'Gatehouse', to: 'Harbour' },
      [KEY('WEBHOOK_URL')]: { from: null, to: 'https://hook.example.org' },
      [KEY('WEBHOOK_SECRET')]: 'changed',
    });
    assertOk(await store(api, { BRAND_NAME: null, WEBHOOK_URL: null, WEBHOOK_SECRET: null }));
  });

  it('change the pages that people see, and pages from before still find their style', async () => {
    const browser = new TestBrowser(api);
    const before = await browser.go('/account');
    const style = /href="(\/openid\/assets\/style-[^"]+)"/.exec(before.text)![1]!;
    assertOk(await store(api, { BRAND_NAME: 'Harbour', BRAND_COLOR: '#aa2200' }));
    const page = await browser.go('/account');
    assert.match(page.text, /<title>[^<]*Harbour/);
    assert.ok(!page.text.includes(style));
    assert.equal((await fetch(api.url + style)).status, 200);
    assertOk(await store(api, { BRAND_NAME: null, BRAND_COLOR: null }));
  });

  it('lead mails to another server', async (t) => {
    const server = new MailServer();
    await server.open();
    t.after(() => server.close());
    assertOk(
      await store(api, {
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(server.port),
        SMTP_TLS: 'off',
        MAIL_FROM: 'Harbour <id@example.org>',
      }),
    );
    assertOk(
      await api.post('/v3/OS-REGISTRATION/invitations', {
        invitation: { email: 'ada@example.org', domain_id: 'default' },
      }),
      201,
    );
    await soon([], async () => assertOk(await api.get('/v3/OS-SERVICE/deliveries')).deliveries);
    assert.equal(server.received.length, 1);
    assert.match(server.received[0]!.from, /id@example\.org/);
    const test = assertOk(await api.post('/v3/OS-SERVICE/mail/test', { mail: { to: 'bob@example.org', language: 'es' } })).mail;
    assert.deepEqual([test.accepted, test.answer, server.received[1]!.to], [true, null, ['bob@example.org']]);
    assertRefused(await api.post('/v3/OS-SERVICE/mail/test', { mail: { to: 'nobody' } }), 400, /e-mail address/);
    await server.close();
    const refused = assertOk(await api.post('/v3/OS-SERVICE/mail/test', { mail: { to: 'bob@example.org' } })).mail;
    assert.deepEqual([refused.accepted, /ECONNREFUSED|ESOCKET/.test(refused.answer)], [false, true]);
    assertOk(await store(api, { SMTP_HOST: null, SMTP_PORT: null, SMTP_TLS: null, MAIL_FROM: null }));
  });

  it('that another version stored, and that are not valid here, have no effect', async () => {
    await db().write(async (tx) => {
      await tx
        .insertInto('service_settings')
        .values([
          { id: KEY('DEVICE_DAYS'), value: 'a while', sealed: null, version: '1', changed_at: 0 },
          { id: KEY('OF_TOMORROW'), value: '1', sealed: null, version: '1', changed_at: 0 },
        ])
        .execute();
    });
    assertOk(await store(api, { BRAND_NAME: 'Harbour' }));
    assert.equal((await settingOf(api, 'DEVICE_DAYS')).source, 'default');
    assert.ok(api.logged.some((line) => line.includes('a stored setting is not valid') && line.includes('DEVICE_DAYS')));
    assertOk(await store(api, { BRAND_NAME: null, DEVICE_DAYS: null }));
  });
});

async function adminProject(api: TestApi): Promise<string> {
  return assertOk(await api.get('/v3/projects?name=admin')).projects[0].id;
}

describe('Settings of the service, on replicas (PostgreSQL)', () => {
  const first = new TestApi('PostgreSQL');
  let second: TestApi;
  before(async () => {
    await first.start();
    second = await first.replica();
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  it('are followed within a second, secrets too', async () => {
    assertOk(await store(first, { PASSWORD_REGEX: '\\d', WEBHOOK_URL: 'https://hook.example.org', WEBHOOK_SECRET: 'a secret' }));
    await soon('service', async () => (await settingOf(second, 'PASSWORD_REGEX')).source);
    assertRefused(await newUser(second, 'letters and no digit'), 400);
    assert.equal((await settingOf(second, 'WEBHOOK_SECRET')).value, '********');
    assertOk(await store(second, { PASSWORD_REGEX: null, WEBHOOK_URL: null, WEBHOOK_SECRET: null }));
    await soon(201, async () => (await newUser(first, 'letters and no digit')).status);
  });
});

onDatabase('PostgreSQL', 'Settings of a service that starts again', {}, (api) => {
  it('are those that were stored', async () => {
    assertOk(await store(api, { BRAND_NAME: 'Harbour' }));
    const again = await api.replica();
    assert.equal((await settingOf(again, 'BRAND_NAME')).value, 'Harbour');
    await again.stop();
  });
});
