import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { programTokenOf } from '../../../../test/support/programs.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

const PATH = '/v3/OS-SERVICE/settings';
const DEVICE_DAYS = { settings: { GATEHOUSE_IDENTITY_DEVICE_DAYS: '30' } };
const SECRET = 'the password of the mail server';
const MAIL = {
  GATEHOUSE_IDENTITY_SMTP_HOST: 'localhost',
  GATEHOUSE_IDENTITY_SMTP_USER: 'gatehouse',
  GATEHOUSE_IDENTITY_SMTP_PASSWORD: SECRET,
  GATEHOUSE_IDENTITY_MAIL_FROM: 'id@example.org',
};
const NO_MAIL = Object.fromEntries(Object.keys(MAIL).map((key) => [key, null]));

onUsualDatabase('Attacks on the settings of the service', (api) => {
  const db = usesDatabaseOf(api);
  let projectId: string;
  before(async () => {
    projectId = assertOk(await api.get('/v3/projects?name=admin')).projects[0].id;
  });

  it('fail for an administrator whose login is old, and for programs of administrators', async () => {
    const { user, password, token } = await api.persona(['admin'], { project: projectId });
    const program = await programTokenOf(api, { user, token }, { unrestricted: true });
    const test = { body: { mail: { to: 'ada@example.org' } } };
    await assertForbidden(api, [program], 'PATCH', PATH, { body: DEVICE_DAYS });
    await assertForbidden(api, [program], 'POST', '/v3/OS-SERVICE/mail/test', test);
    api.clock.advance(901);
    assertRefused(await api.patch(PATH, DEVICE_DAYS, { token }), 401);
    assertRefused(await api.post('/v3/OS-SERVICE/mail/test', test.body, { token }), 401);
    const later = await api.logIn({ id: user.id, password }, { project: { id: projectId } });
    assertOk(await api.patch(PATH, DEVICE_DAYS, { token: later }));
    assertOk(await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_DEVICE_DAYS: null } }, { token: later }));
    api.adminToken = later;
  });

  it('learn no secret: from answers, refusals, the log, the audit log or the database', async () => {
    const answers = [
      assertOk(await api.patch(PATH, { settings: MAIL })),
      assertOk(await api.get(PATH)),
      (await api.patch(PATH, { settings: { ...MAIL, GATEHOUSE_IDENTITY_SMTP_PORT: 'no port' } })).body,
      (await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_MAIL_FROM: null } })).body,
    ];
    const rows = await db().read.selectFrom('service_settings').selectAll().execute();
    const events = await db().read.selectFrom('audit_events').where('action', '=', 'settings.changed').selectAll().execute();
    assert.ok(rows.some(({ sealed }) => sealed?.startsWith('v1.')));
    assert.ok(events.length > 0);
    for (const seen of [answers, rows, events, api.logged]) assert.ok(!JSON.stringify(seen).includes(SECRET));
    assertOk(await api.patch(PATH, { settings: NO_MAIL }));
  });

  it('do not open a sealed secret that was moved to another setting', async () => {
    assertOk(await api.patch(PATH, { settings: MAIL }));
    const { sealed } = await db()
      .read.selectFrom('service_settings')
      .where('id', '=', 'GATEHOUSE_IDENTITY_SMTP_PASSWORD')
      .select('sealed')
      .executeTakeFirstOrThrow();
    await db().write((tx) =>
      tx
        .insertInto('service_settings')
        .values({ id: 'GATEHOUSE_IDENTITY_WEBHOOK_SECRET', value: null, sealed, version: '1', changed_at: 0 })
        .execute(),
    );
    assertOk(await api.patch(PATH, DEVICE_DAYS));
    const { settings } = assertOk(await api.get(PATH));
    const webhook = settings.find(({ key }: { key: string }) => key === 'GATEHOUSE_IDENTITY_WEBHOOK_SECRET');
    assert.equal(webhook.source, 'default');
    assertOk(
      await api.patch(PATH, {
        settings: { ...NO_MAIL, GATEHOUSE_IDENTITY_WEBHOOK_SECRET: null, GATEHOUSE_IDENTITY_DEVICE_DAYS: null },
      }),
    );
  });

  it('send no password of the mail server in the clear to another machine', async () => {
    const settings = { ...MAIL, GATEHOUSE_IDENTITY_SMTP_HOST: 'mail.example.org', GATEHOUSE_IDENTITY_SMTP_TLS: 'off' };
    assertRefused(await api.patch(PATH, { settings }), 400, /not sent without TLS/);
  });

  it('send the password of the mail server to no other one, whose administrator would read it', async () => {
    assertOk(await api.patch(PATH, { settings: MAIL }));
    const other = { GATEHOUSE_IDENTITY_SMTP_HOST: '127.0.0.1' };
    assertRefused(await api.patch(PATH, { settings: other }), 400, /SMTP_PASSWORD is for the former server/);
    assertRefused(await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_SMTP_HOST: null } }), 400);
    for (const elsewhere of [{ GATEHOUSE_IDENTITY_SMTP_PORT: '2525' }, { GATEHOUSE_IDENTITY_SMTP_TLS: 'off' }])
      assertRefused(await api.patch(PATH, { settings: elsewhere }), 400, /SMTP_PASSWORD is for the former server/);
    const samePort = { GATEHOUSE_IDENTITY_SMTP_TLS: 'tls', GATEHOUSE_IDENTITY_SMTP_PORT: '587' };
    assertOk(await api.patch(PATH, { settings: samePort }));
    const none = Object.fromEntries(Object.keys(samePort).map((key) => [key, null]));
    assertOk(await api.patch(PATH, { settings: none }));
    assertOk(await api.patch(PATH, { settings: { ...other, GATEHOUSE_IDENTITY_SMTP_PASSWORD: 'of this server' } }));
    assertOk(await api.patch(PATH, { settings: { ...other, GATEHOUSE_IDENTITY_SMTP_USER: 'other' } }));
    assertOk(await api.patch(PATH, { settings: NO_MAIL }));
  });

  it('do not take what is too long, or more than there is', async () => {
    assertRefused(await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_BRAND_NAME: 'x'.repeat(20_000) } }), 400);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`GATEHOUSE_${at}`, '1']));
    assert.ok([400, 413].includes((await api.patch(PATH, { settings: many })).status));
  });
});
