// Settings of the service in set-up files.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { assertOk } from '../../test/support/answers.ts';
import { onEachDatabase, TestApi } from '../../test/support/api.ts';
import { Operator } from '../../test/support/setup.ts';
import { parseSetup } from './document.ts';
import { apply, exportSetup, plan } from './index.ts';
import { planJson } from './render.ts';

const PATH = '/v3/OS-SERVICE/settings';
const NOTHING = 'nothing to change';
const KEY = (name: string): string => `GATEHOUSE_IDENTITY_${name}`;

/** A file with these settings, one in a line, from line 3 on. */
const fileOf = (settings: Readonly<Record<string, string>>): string =>
  `version: 1\nsettings:${Object.keys(settings).length === 0 ? ' {}' : ''}\n${Object.entries(settings)
    .map(([name, value]) => `  ${KEY(name)}: ${value}\n`)
    .join('')}`;

const ALL = fileOf({
  DEVICE_DAYS: '30',
  REGISTRATION: 'off',
  REGISTRATION_EMAIL_DOMAINS: '[example.org, example.com]',
  SIGNATURES_WITHOUT_TIME: 'true',
  BRAND_NAME: '\'2026 "Harbour"\'',
  PASSWORD_REGEX: "'\\d|a/b'",
  MAIL_FROM: 'Harbour <id@example.org>',
  SMTP_HOST: 'localhost',
  SMTP_USER: 'harbour',
  SMTP_PASSWORD: '{ variable: SETUP_SMTP }',
  WEBHOOK_URL: '{ variable: SETUP_HOOK }',
  WEBHOOK_SECRET: '{ variable: SETUP_SECRET }',
});
const env = { SETUP_SMTP: 'of the mail server', SETUP_HOOK: 'https://me:door@hook.example.org/x/', SETUP_SECRET: 'it signs' };

onEachDatabase('Settings in a set-up file', (api) => {
  const operator = new Operator(api);
  after(() => operator.remove());
  const stored = async (of: TestApi = api): Promise<Record<string, string | null>> =>
    Object.fromEntries(
      assertOk(await of.get(PATH))
        .settings.filter(({ source }: { source: string }) => source === 'service')
        .map(({ key, value }: { key: string; value: string | null }) => [key, value]),
    );
  const store = async (settings: Readonly<Record<string, string | null>>) =>
    assertOk(
      await api.patch(PATH, {
        settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [KEY(name), value])),
      }),
    );
  afterEach(async () => {
    const keys = Object.keys(await stored());
    if (keys.length > 0) assertOk(await api.patch(PATH, { settings: Object.fromEntries(keys.map((key) => [key, null])) }));
  });

  it('are stored in one change, and changed again only where they differ', async () => {
    const events = async () => assertOk(await api.get('/v3/OS-AUDIT/events?action=settings.changed')).events.length as number;
    const before = await events();
    assert.equal(await operator.apply(ALL, { env }), 1);
    assert.equal(await events(), before + 1, 'a mail server and its sender go together');
    assert.equal((await stored())[KEY('REGISTRATION_EMAIL_DOMAINS')], 'example.org,example.com');
    for (const prune of [false, true]) assert.equal(await operator.shows(ALL, { env, prune }), NOTHING);
    const other = fileOf({ DEVICE_DAYS: "'60'", BRAND_NAME: 'null', SMTP_PASSWORD: 'null', SMTP_USER: 'null' });
    assert.equal(
      await operator.shows(other),
      [
        '~ settings of the service',
        `    ${KEY('DEVICE_DAYS')}: 30 -> 60`,
        `    ${KEY('BRAND_NAME')}: "2026 \\"Harbour\\"" -> default`,
        `    ${KEY('SMTP_PASSWORD')}: "(secret)" -> default`,
        `    ${KEY('SMTP_USER')}: "harbour" -> default`,
        '0 to create, 1 to change, 0 to delete',
      ].join('\n'),
    );
    assert.equal(await operator.apply(other), 1);
    const now = await stored();
    assert.deepEqual([now[KEY('DEVICE_DAYS')], now[KEY('BRAND_NAME')], now[KEY('SMTP_HOST')]], ['60', undefined, 'localhost']);
    assert.equal(await operator.apply(other), 0);
  });

  it('send the password of the mail server again with another server', async () => {
    await operator.apply(ALL, { env });
    const other = { SMTP_HOST: '127.0.0.1', SMTP_PASSWORD: '{ variable: SETUP_SMTP }' };
    await assert.rejects(operator.apply(fileOf({ SMTP_HOST: '127.0.0.1' })), /SMTP_PASSWORD is for the former server/);
    assert.match(await operator.problems(fileOf(other)), /SMTP_PASSWORD: the variable SETUP_SMTP is not set/);
    assert.equal(await operator.apply(fileOf(other), { env }), 1);
    assert.equal((await stored())[KEY('SMTP_HOST')], '127.0.0.1');
    const port = { SMTP_PORT: '2525' };
    await assert.rejects(operator.apply(fileOf(port)), /SMTP_PASSWORD is for the former server/);
    assert.equal(await operator.apply(fileOf({ ...other, ...port }), { env }), 1);
  });

  it('are removed only by --prune, and only where the file has settings', async () => {
    await store({ DEVICE_DAYS: '30', BRAND_NAME: 'Harbour' });
    const text = fileOf({ DEVICE_DAYS: '30' });
    assert.equal(await operator.shows(text), NOTHING);
    assert.equal(await operator.shows('version: 1\nroles: [{name: admin}]\n', { prune: false }), NOTHING);
    assert.equal(await operator.apply('version: 1\ndomains: [{name: Default}]\n', { prune: true }), 0);
    assert.match(await operator.shows(text, { prune: true }), /\n {4}\w+_BRAND_NAME: "Harbour" -> default\n0 to create, 1 to/);
    assert.equal(await operator.apply(text, { prune: true }), 1);
    assert.deepEqual(await stored(), { [KEY('DEVICE_DAYS')]: '30' });
    assert.equal(await operator.apply(fileOf({}), { prune: true }), 1);
    assert.deepEqual(await stored(), {});
  });

  it('are exported with references to secrets, and give another service the same', async () => {
    await operator.apply(ALL, { env });
    const text = await operator.export();
    for (const prune of [false, true]) assert.equal((await operator.shows(text, { prune })).split('\n').at(-1), NOTHING);
    assert.match(
      text,
      /^version: 1\nsettings:\n {2}GATEHOUSE_IDENTITY_BRAND_NAME: .*2026 .*\n {2}GATEHOUSE_IDENTITY_DEVICE_DAYS: 30\n/,
    );
    assert.match(text, /_SIGNATURES_WITHOUT_TIME: true\n/);
    assert.match(text, /_EMAIL_DOMAINS:\n {4}- example\.org\n {4}- example\.com\n/);
    assert.match(text, /_SMTP_PASSWORD: \{ file: gatehouse-identity-smtp-password\.secret \}\n/);
    for (const secret of ['of the mail server', 'door', 'it signs', '*****']) assert.ok(!text.includes(secret));
    assert.doesNotMatch(text, /PASSWORD_COMMON/, 'the operator fixed it here');
    const empty = new TestApi(api.kind);
    await empty.start();
    const other = new Operator(empty);
    try {
      assert.match(await other.problems(text), /SMTP_PASSWORD: .*ENOENT/);
      for (const [name, secret] of [
        ['smtp-password', env.SETUP_SMTP],
        ['webhook-url', env.SETUP_HOOK],
        ['webhook-secret', env.SETUP_SECRET],
      ] as const)
        writeFileSync(join(other.folder, `gatehouse-identity-${name}.secret`), `${secret}\n`, { mode: 0o600 });
      assert.equal(await other.apply(text), 1);
      assert.equal(await other.export(), text);
      assert.deepEqual(await stored(empty), await stored());
    } finally {
      other.remove();
      await empty.stop();
    }
  });

  it('that the operator has fixed are no change if they are the same, and refused if not', async () => {
    const same = fileOf({ PASSWORD_COMMON: 'allow', PASSWORD_MIN_LENGTH: "'1'" });
    assert.equal(
      await operator.shows(same),
      [
        `stays: ${KEY('PASSWORD_COMMON')}: the operator has fixed it in the environment of the service`,
        `stays: ${KEY('PASSWORD_MIN_LENGTH')}: the operator has fixed it in the environment of the service`,
        NOTHING,
      ].join('\n'),
    );
    assert.equal(
      await operator.problems(fileOf({ DEVICE_DAYS: '30', PASSWORD_MIN_LENGTH: '12' })),
      `setup.yaml:4: settings.${KEY('PASSWORD_MIN_LENGTH')}: the operator has fixed it in the environment of the service: 1; remove it from the file`,
    );
  });

  it('are not overwritten if somebody else changed them after the plan', async () => {
    const planned = await operator.plan(fileOf({ DEVICE_DAYS: '30' }));
    await store({ DEVICE_DAYS: '60' });
    await assert.rejects(
      apply(planned, operator.secrets(), () => undefined),
      /setup\.yaml:2: settings: settings of the service: GATEHOUSE_IDENTITY_DEVICE_DAYS was changed by somebody else meanwhile/,
    );
    // Between the last read and the request.
    const late = await operator.plan(fileOf({ DEVICE_DAYS: '30' }));
    const { client } = late.state;
    const { send } = client;
    Object.assign(client, {
      async send(...request: Parameters<typeof send>) {
        await store({ DEVICE_DAYS: '90' });
        return send(...request);
      },
    });
    await assert.rejects(
      apply(late, operator.secrets(), () => undefined),
      /was changed by somebody else meanwhile; plan again/,
    );
    assert.deepEqual(await stored(), { [KEY('DEVICE_DAYS')]: '90' });
  });

  it('are refused by the service with the words of a start, before anything else is changed', async () => {
    const text = `${fileOf({ SMTP_HOST: 'mail.example.org' })}roles: [{name: after the settings}]\n`;
    await assert.rejects(operator.apply(text), /setup\.yaml:2: settings: .*400: .*MAIL_FROM must be set with/);
    assert.ok(!assertOk(await api.get('/v3/roles')).roles.some(({ name }: { name: string }) => name === 'after the settings'));
  });

  it('that the service does not know are told, and neither pruned nor exported silently', async () => {
    const client = await operator.client();
    const { list } = client;
    Object.assign(client, {
      async list(...request: Parameters<typeof list>) {
        const all = await list(...request);
        if (request[0] !== PATH) return all;
        const known = all.filter(({ key }) => key !== KEY('DEVICE_DAYS'));
        return [...known, { key: KEY('OF_TOMORROW'), value: '1', source: 'service', group: 'mail' }];
      },
    });
    const planned = (text: string, prune = false) =>
      plan(client, parseSetup('setup.yaml', text), { prune, sendSecrets: false, secrets: operator.secrets() });
    assert.deepEqual((await planned(fileOf({ DEVICE_DAYS: '30' }))).problems, [
      `setup.yaml:3: settings.${KEY('DEVICE_DAYS')}: the service, which is of another version, does not know it; remove it from the file`,
    ]);
    assert.deepEqual((await planned(fileOf({}), true)).changes, []);
    assert.deepEqual((await exportSetup(client, false)).notices, [
      `setting ${KEY('OF_TOMORROW')}: this version does not know it`,
    ]);
  });

  it('that were stored empty are exported so that they are the same again', async () => {
    await store({ BRAND_NAME: '', SMTP_PORT: '', REGISTRATION_EMAIL_DOMAINS: '', SMTP_PASSWORD: '', PASSWORD_REGEX: '' });
    const text = await operator.export();
    assert.match(text, /_BRAND_NAME: ""\n(.*\n)*.*_REGISTRATION_EMAIL_DOMAINS: \[\]\n(.*\n)*.*_SMTP_PORT: ""\n/);
    assert.doesNotMatch(text, /SMTP_PASSWORD/, 'no secret is there');
    assert.equal((await operator.shows(text, { prune: true })).split('\n').at(-1), NOTHING);
  });

  it('need the right to change them', async () => {
    const domain = await api.make('domain', { name: 'Of a manager' });
    const { token } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
    await assert.rejects(operator.apply(fileOf({ DEVICE_DAYS: '30' }), { token }), /OS-SERVICE\/settings: 403: /);
    assert.deepEqual(await stored(), {});
  });

  it('show no secret in plans, and send it again only if that is asked for', async () => {
    await operator.apply(ALL, { env });
    const planned = await operator.plan(ALL, { env, sendSecrets: true });
    const json = JSON.stringify(planJson(planned, planned.document, { service: api.url, prune: false }));
    assert.match(json, /SMTP_PASSWORD":\{"from":"\(secret\)","to":"\(secret\)"\}/);
    for (const secret of Object.values(env)) assert.ok(!json.includes(secret));
    assert.match(await operator.problems(ALL, { env: {}, sendSecrets: true }), /the variable SETUP_SMTP is not set/);
    assert.equal(await operator.shows(ALL, { env: {} }), NOTHING);
  });
});

describe('The settings of a set-up file', () => {
  const refusal = (settings: Readonly<Record<string, string>>): string => {
    try {
      parseSetup('setup.yaml', fileOf(settings));
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('are refused with the line and the nearest key', () => {
    assert.equal(
      refusal({ DEVICE_DAYS: '30', PASWORD_REGEX: 'x' }),
      `setup.yaml:4: settings.${KEY('PASWORD_REGEX')}: it is not a property of this object (did you mean ${KEY('PASSWORD_REGEX')}?)`,
    );
    assert.match(refusal({ PORT: '80' }), /_PORT: it is not a property .*: it belongs to the machine, and is set in the env/);
    assert.match(refusal({ DEVICE_DAYS: '0' }), /^setup\.yaml:3: settings\.\w+_DEVICE_DAYS: must be >= 1$/);
    assert.match(refusal({ PASSKEYS: 'maybe' }), /^setup\.yaml:3: settings\.\w+_PASSKEYS: it must be one of off, /);
    assert.match(refusal({ BRAND_NAME: '5' }), /^setup\.yaml:3: settings\.\w+_BRAND_NAME: must be string/);
    assert.match(refusal({ REGISTRATION_EMAIL_DOMAINS: "['a,b']" }), /^setup\.yaml:3: .*must match pattern/);
    assert.match(
      refusal({ SMTP_PASSWORD: 'in the clear' }),
      /^setup\.yaml:3: settings\.\w+_SMTP_PASSWORD: must be object or null$/,
    );
  });
});
