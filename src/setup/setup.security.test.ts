// Set-up files and callers that mean harm.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { assertOk } from '../../test/support/answers.ts';
import { underAttack } from '../../test/support/api.ts';
import { Operator } from '../../test/support/setup.ts';
import { connect } from './client.ts';
import { readCredentials, readSecretFile } from './credentials.ts';
import { parseSetup, readSetup } from './document.ts';
import { exportYaml } from './export.ts';
import { apply } from './index.ts';
import { planJson, planText } from './render.ts';
import { SetupError, safeJson } from './text.ts';
import { wantedOf } from './wanted.ts';

const refusal = (text: string): string => {
  try {
    parseSetup('setup.yaml', text);
  } catch (error) {
    assert.equal((error as Error).constructor.name, 'SetupError', String(error));
    return (error as Error).message;
  }
  assert.fail(`not refused: ${text.slice(0, 100)}`);
};

describe('A hostile set-up file', () => {
  it('cannot use anchors, aliases, merge keys or tags', () => {
    const bomb = ['version: 1', 'a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level++) {
      const name = String.fromCharCode(97 + level);
      const before = String.fromCharCode(96 + level);
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`);
    }
    const started = performance.now();
    assert.match(refusal(bomb.join('\n')), /^setup\.yaml:2: anchors and aliases .* are not used here/);
    assert.match(refusal('version: 1\nroles: &r [*r]\n'), /:2: anchors and aliases/);
    assert.match(refusal('version: 1\nroles: [{name: a, <<: {immutable: true}}]\n'), /:2: roles\[0\]\.<<: it is not a property/);
    for (const tag of ['!!js/function "x"', '!include /etc/passwd', '!<tag:yaml.org,2002:binary> AAAA'])
      assert.match(refusal(`version: 1\nroles: ${tag}\n`), /^setup\.yaml:2: .*[Tt]ag/);
    assert.ok(performance.now() - started < 10_000);
  });

  it('cannot exhaust the parser by depth or size', () => {
    for (const text of [
      '['.repeat(100_000),
      `version: 1\nroles: ${'{a: '.repeat(2000)}1`,
      `${'- '.repeat(5000)}a`,
      Array.from({ length: 600 }, (_, index) => `${' '.repeat(index * 2)}a:`).join('\n'),
    ])
      assert.match(refusal(text), /is nested too deeply|must be|not a property|required/);
  });

  it('cannot change the prototypes of objects', () => {
    assert.match(refusal('version: 1\n__proto__: {polluted: true}\n'), /__proto__/);
    assert.match(refusal('version: 1\ndomains: [{name: a, attributes: {__proto__: {x: 1}}}]\n'), /attributes\.__proto__/);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  it('cannot hide fields of the API among its attributes', () => {
    for (const name of ['id', 'name', 'domain_id', 'options', 'enabled'])
      assert.match(refusal(`version: 1\ndomains: [{name: a, attributes: {${name}: x}}]\n`), new RegExp(`attributes\\.${name}`));
    assert.match(refusal('version: 1\napplications: [{name: a, attributes: {secret: x}}]\n'), /attributes\.secret/);
  });

  it('cannot send escape sequences to the terminal', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    const harmless = /^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]*$/;
    for (const text of [
      'version: 1\n"\\e]0;owned\\a": 1\n',
      'version: 1\nroles: [{name: "\\e[2J", nothing: 1}]\n',
      'version: 1\nroles: !\u001b[31m x\n',
      'version: 1\nroles: [{"a\u202eb": 1}]\n',
      'version: 1\n\u001b[2J: \u001b[2J: 1\n',
    ])
      assert.match(refusal(text), harmless);
  });
});

describe('An export of hostile names', () => {
  it('shows no control characters, and is read back as it was', () => {
    const names = ['a\x9b2Jb', 'x\u202ey', '\u{e0041}z', 't\u2028l', 'a\x7fb', 'a\tb', 'a\nb', '\x85n', '"\\"\u0000'];
    const text = exportYaml({ version: 1, roles: names.map((name) => ({ name, description: `${name}\n\n${name}\n` })) });
    assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Zl}\u202e\u{e0041}]/u);
    const { roles } = parseSetup('setup.yaml', text).file;
    assert.deepEqual(
      roles!.map(({ name, description }) => [name, description]),
      names.map((name) => [name, `${name}\n\n${name}\n`]),
    );
    const json = safeJson({ names });
    assert.doesNotMatch(json, /(?!\n)[\p{Cc}\p{Zl}\u202e\u{e0041}]/u);
    assert.deepEqual(JSON.parse(json), { names });
  });

  it('and two secrets in one file are refused', () => {
    const text = 'version: 1\napplications: [{name: a, secret_to: {file: x}}, {name: b, secret_to: {file: ./x}}]\n';
    assert.throws(() => wantedOf(parseSetup('setup.yaml', text)), /another one has/);
  });
});

underAttack('Set-up files against a service', (api) => {
  const operator = new Operator(api);
  after(() => operator.remove());
  const openid = (secret: string) =>
    `version: 1\ndomains: [{name: Trap}]\nidentity_providers: [{id: trap, domain: Trap, openid: {issuer: 'https://evil.example.org', client_id: x, client_secret: ${secret}}}]\n`;

  it('cannot read files outside of their folder, or other variables', async () => {
    const outside = new Operator(api);
    writeFileSync(join(outside.folder, 'key'), 'a private key', { mode: 0o600 });
    symlinkSync(join(outside.folder, 'key'), join(operator.folder, 'link'));
    symlinkSync(outside.folder, join(operator.folder, 'folder'));
    writeFileSync(join(operator.folder, 'open'), 'everybody reads it', { mode: 0o644 });
    try {
      for (const file of [
        join(outside.folder, 'key'),
        `../${outside.folder.split('/').at(-1)}/key`,
        'link',
        'folder/key',
        '..',
        '.',
        '/etc/passwd',
        'a/../../x',
      ])
        assert.match(await operator.problems(openid(JSON.stringify({ file }))), /outside of|there is no folder/, file);
      assert.match(await operator.problems(openid('{file: open}')), /others can read it/);
      assert.match(await operator.problems(openid('{file: missing}')), /ENOENT/);
      const env = { GATEHOUSE_MASTER_KEY: 'x', OS_PASSWORD: 'x' };
      for (const variable of Object.keys(env))
        await assert.rejects(
          operator.problems(openid(`{variable: ${variable}}`), { env }),
          /client_secret\.variable: must match pattern/,
        );
      assert.match(await operator.problems(openid('{variable: SETUP_X}')), /SETUP_X is not set/);
    } finally {
      outside.remove();
    }
    assert.deepEqual(assertOk(await api.get('/v3/domains?name=Trap')).domains, []);
  });

  it('cannot overwrite files with secrets', async () => {
    const text = (file: string) =>
      `version: 1\napplications: [{name: Overwriting, secret_to: {file: ${JSON.stringify(file)}}}]\n`;
    mkdirSync(join(operator.folder, 'sub'));
    writeFileSync(join(operator.folder, 'precious'), 'precious');
    assert.match(await operator.problems(text('precious')), /exists already/);
    assert.match(await operator.problems(text('sub')), /exists already/);
    assert.match(await operator.problems(text('../precious')), /outside of/);
    assert.match(await operator.problems(text('none/precious')), /there is no folder/);
    symlinkSync(join(operator.folder, 'elsewhere'), join(operator.folder, 'dangling'));
    assert.match(await operator.problems(text('dangling')), /exists already/);
    assert.equal(readFileSync(join(operator.folder, 'precious'), 'utf8'), 'precious');
    assert.ok(!existsSync(join(operator.folder, 'elsewhere')));
  });

  it('lose no token when an answer is lost', async () => {
    const text = 'version: 1\ndomains: [{name: Lost, scim_connections: [{name: Okta, token_to: {file: lost.token}}]}]\n';
    const planned = await operator.plan(text);
    const { client } = planned.state;
    const { send } = client;
    Object.assign(client, {
      async send(...request: Parameters<typeof send>) {
        const answer = await send(...request);
        if (request[1] === '/v3/OS-SCIM/connections') throw new SetupError('no answer');
        return answer;
      },
    });
    await assert.rejects(
      apply(planned, operator.secrets(), () => undefined),
      /no answer/,
    );
    assert.equal(await operator.apply(text), 1);
    const token = readFileSync(join(operator.folder, 'lost.token'), 'utf8').trim();
    assertOk(await api.get('/scim/v2/Users', { token: null, headers: { Authorization: `Bearer ${token}` } }));
  });

  it('do not send settings of a provider that somebody changed after the plan', async () => {
    const text = (name: string) =>
      `version: 1\ndomains: [{name: Race}]\nidentity_providers: [{id: race, domain: Race, openid: {issuer: 'https://id.example.org', client_id: x, button_name: ${name}}}]\n`;
    await operator.apply(text('One'));
    const planned = await operator.plan(text('Two'));
    const path = '/v3/OS-FEDERATION/identity_providers/race/openid';
    assertOk(await api.put(path, { openid: { issuer: 'https://id.example.org', client_id: 'x', scopes: ['openid'] } }));
    await assert.rejects(
      apply(planned, operator.secrets(), () => undefined),
      /(button_name|scopes) was changed by somebody else meanwhile/,
    );
    assert.equal(assertOk(await api.get(path)).openid.button_name, null);
  });

  it('set the profile of a provider, and leave to it what it decides', async () => {
    const text = (more: string) =>
      `version: 1\ndomains: [{name: Strict}]\nidentity_providers: [{id: strict, domain: Strict, openid: {issuer: 'https://id.example.org', client_id: x${more}}}]\n`;
    assert.equal(await operator.apply(text('')), 3);
    assert.equal(await operator.apply(text(', profile: fapi2')), 1);
    assert.equal(await operator.apply(text(', profile: fapi2')), 0);
    const { openid: set } = assertOk(await api.get('/v3/OS-FEDERATION/identity_providers/strict/openid'));
    assert.equal(set.client_authentication, 'private_key_jwt');
    await assert.rejects(operator.apply(text(', profile: fapi2, token_binding: none')), /token_binding/);
  });

  it('do not delete the roles by which they are applied', async () => {
    for (const name of ['operators', 'nobody has it']) await api.make('role', { name });
    const domain = await api.make('domain', { name: 'Operators' });
    const { token } = await api.persona(['admin', 'operators'], { domain: domain.id }, { domain_id: domain.id });
    const shown = await operator.shows('version: 1\nroles: []\n', { prune: true, token });
    assert.match(shown, /- role "nobody has it"/);
    assert.doesNotMatch(shown, /- .*operators/);
  });

  it('show no secret in plans', async () => {
    const env = { SETUP_X: 'a very secret secret' };
    const planned = await operator.plan(openid('{variable: SETUP_X}'), { env });
    const about = { service: api.url, prune: false };
    for (const text of [planText(planned), JSON.stringify(planJson(planned, planned.document, about))]) {
      assert.doesNotMatch(text, /very secret/);
      assert.match(text, /\(secret\)/);
    }
  });

  it('show settings without escape sequences, and no text of a secret that is not valid', async () => {
    const hostile = '\u001b]0;owned\u0007\u202ex';
    const key = 'GATEHOUSE_IDENTITY_BRAND_NAME';
    const text = (value: unknown) => `version: 1\nsettings: ${JSON.stringify(value)}\n`;
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { [key]: hostile } }));
    for (const planned of [await operator.plan(text({ [key]: `${hostile}y` })), await operator.plan(text({}), { prune: true })])
      for (const shown of [
        planText(planned),
        safeJson(planJson(planned, planned.document, { service: api.url, prune: false })),
      ]) {
        assert.match(shown, /owned/);
        assert.doesNotMatch(shown, /(?!\n)[\p{Cc}\u202e]/u);
      }
    const exported = await operator.export();
    assert.doesNotMatch(exported, /(?!\n)[\p{Cc}\u202e]/u);
    assert.equal(await operator.shows(exported, { prune: true }), 'nothing to change');
    assert.equal(await operator.apply(text({}), { prune: true }), 1);
    const refused = await operator.plan(text({ GATEHOUSE_IDENTITY_INVITATION_SECONDS: hostile })).catch((error: Error) => error);
    assert.match(String(refused), /INVITATION_SECONDS: must be a whole number .*owned/);
    assert.doesNotMatch(String(refused), /[\p{Cc}\u202e]/u);
    const password = 'https://me:my password@hook.example.org';
    const hook = 'GATEHOUSE_IDENTITY_WEBHOOK_URL';
    const inFile = await operator.plan(text({ [hook]: password.replace(' ', '') })).catch((error: Error) => error);
    assert.match(String(inFile), /has a password in it: name a file or a variable/);
    assert.doesNotMatch(String(inFile), /mypassword/);
    const by = text({ [hook]: { variable: 'SETUP_HOOK' } });
    for (const SETUP_HOOK of ['not an address: my password', 'https://hook.example.org/my password']) {
      const problems = await operator.problems(by, { env: { SETUP_HOOK } });
      assert.match(problems, /^setup\.yaml:2: settings: GATEHOUSE_IDENTITY_WEBHOOK_URL: what the file or the variable has is no/);
      assert.doesNotMatch(problems, /my password/);
    }
  });

  it('cannot send files from outside of their folder as settings', async () => {
    const settings = { GATEHOUSE_IDENTITY_SMTP_PASSWORD: { file: '/etc/passwd' } };
    assert.match(await operator.problems(`version: 1\nsettings: ${JSON.stringify(settings)}\n`), /is outside of/);
    assert.match(refusal('version: 1\nsettings: {__proto__: {x: 1}}\n'), /settings\.__proto__: it is not a property/);
    assert.match(
      refusal('version: 1\nsettings: {GATEHOUSE_IDENTITY_SMTP_PASSWORD: {variable: GATEHOUSE_MASTER_KEY}}\n'),
      /SMTP_PASSWORD\.variable: must match pattern/,
    );
  });

  it('show names of the service without escape sequences', async () => {
    const name = '\u001b[2J\u001b]0;owned\u0007\u202etxt';
    await api.make('group', { name });
    const shown = await operator.shows('version: 1\ndomains: [{name: Default, groups: []}]\n', { prune: true });
    assert.match(shown, /- group "\\u001b\[2J\\u001b\]0;owned\\u0007\\u202etxt" of domain "Default"/);
    // It is still exported and found again.
    const text = await operator.export();
    assert.ok(!text.includes('\u001b'));
    assert.equal(await operator.shows(text), 'nothing to change');
  });

  it('are told what the caller may not do before anything is changed', async () => {
    const domain = await api.make('domain', { name: 'Managed' });
    const manager = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id });
    const token = manager.token;
    const own =
      'version: 1\ndomains: [{name: Managed, groups: [{name: clerks}], organizations: [{name: Desk}]}]\ngrants: {groups: [{role: member, group: {name: clerks, domain: Managed}, organization: {name: Desk, domain: Managed}}]}\n';
    const more = `${own}roles: [{name: not mine}]\n`;
    assert.match(await operator.problems(more, { token }), /you may not create role "not mine" \(identity:create_role\)/);
    await assert.rejects(
      operator.apply(`${own}catalog: {regions: [{id: Not mine}]}\n`, { token }),
      /403: You are not authorized/,
    );
    assert.deepEqual(assertOk(await api.get(`/v3/groups?domain_id=${domain.id}`)).groups, []);
    assert.equal(await operator.apply(own, { token }), 3);
    assert.equal(await operator.apply(own, { token }), 0);
    // Another domain: its things cannot even be read.
    await assert.rejects(
      operator.apply('version: 1\ndomains: [{name: Default, groups: [{name: mine}]}]\n', { token }),
      /you may not|40[34]/,
    );
    const nobody = await api.persona(['member'], { domain: domain.id }, { domain_id: domain.id });
    await assert.rejects(operator.apply(own, { token: nobody.token }), /403/);
    await assert.rejects(operator.apply(own, { token: 'no token' }), /the token is not accepted: 401/);
  });

  it('call the service by TLS, or on this machine', async () => {
    await assert.rejects(connect({ url: 'http://192.0.2.1:5000', token: 'x', outboundAllow: [] }), /only https may be called/);
    await assert.rejects(connect({ url: 'http://169.254.169.254', token: 'x', outboundAllow: [] }), /only https may be called/);
    const settings = { tokenFile: undefined, serviceUrl: api.url, outboundAllow: [] };
    for (const url of ['file:///etc/passwd', 'https://me:secret@example.org', 'https://example.org/?x=1', 'nothing'])
      assert.throws(() => readCredentials({ OS_AUTH_URL: url, OS_TOKEN: 'x' }, settings), /OS_AUTH_URL: must be/);
    assert.throws(() => readCredentials({ OS_USERNAME: 'admin' }, settings), /OS_PASSWORD/);
  });

  it('are not read from files that others can read, or that are too large', () => {
    const token = join(operator.folder, 'token');
    writeFileSync(token, 'x\n', { mode: 0o600 });
    assert.equal(readSecretFile(token), 'x');
    chmodSync(token, 0o640);
    assert.throws(() => readSecretFile(token), /others can read it/);
    const large = join(operator.folder, 'large.yaml');
    writeFileSync(large, Buffer.alloc(8 * 1024 * 1024 + 1, '#'));
    assert.throws(() => readSetup(large), /larger than 8 MiB/);
    writeFileSync(large, Buffer.from([0x76, 0xff, 0xfe]));
    assert.throws(() => readSetup(large), /not UTF-8/);
  });
});
