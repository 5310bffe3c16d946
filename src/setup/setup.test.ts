// Set-up files: planned, applied and exported through the API.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { assertOk } from '../../test/support/answers.ts';
import { ADMIN_PASSWORD, onDatabase, onEachDatabase, TestApi } from '../../test/support/api.ts';
import { certify } from '../../test/support/certificates.ts';
import { Operator } from '../../test/support/setup.ts';
import { BUILT_IN_APPLICATION } from '../identity/applications/consumers/index.ts';
import { WALLET_CONSUMER } from '../identity/openid/first-party-clients/index.ts';
import { parseSetup } from './document.ts';
import { apply } from './index.ts';
import { definitionOf, OWN_APPLICATIONS } from './kinds/index.ts';
import { checkSavedPlan, planJson } from './render.ts';

const FULL = readFileSync('test/support/fixtures/setup.yaml', 'utf8');
const env = { SETUP_CORPORATE_SECRET: 'a secret of the provider' };
const NOTHING = 'nothing to change';

onEachDatabase('A set-up file', (api) => {
  const operator = new Operator(api);
  after(() => operator.remove());

  it('is applied, and changes nothing when it is applied again', async () => {
    assert.equal(await operator.apply(FULL, { env }), 37);
    assert.equal(await operator.shows(FULL, { env }), NOTHING);
    assert.equal(await operator.apply(FULL, { env }), 0);
    const { consumers } = assertOk(await api.get('/v3/OS-OAUTH2/consumers?name=Reports'));
    assert.deepEqual(consumers[0].post_logout_redirect_uris, ['https://reports.example.org/']);
    const { openid } = assertOk(await api.get('/v3/OS-FEDERATION/identity_providers/corporate/openid'));
    assert.equal(openid.has_client_secret, true);
    const { projects } = assertOk(await api.get('/v3/projects?name=Children'));
    assert.equal(projects[0].enabled, false);
  });

  it('gets the secrets that the service made, in files for the owner only', async () => {
    const { consumers } = assertOk(await api.get('/v3/OS-OAUTH2/consumers?name=Reports'));
    const { consumer } = assertOk(await api.get(`/v3/OS-OAUTH2/consumers/${consumers[0].id}`));
    const file = join(operator.folder, 'reports.secret');
    assert.equal(readFileSync(file, 'utf8'), `${consumer.secret}\n`);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const token = readFileSync(join(operator.folder, 'entra.token'), 'utf8').trim();
    assertOk(await api.get('/scim/v2/Users', { token: null, headers: { Authorization: `Bearer ${token}` } }));
  });

  it('is what export writes: planned on the same service it changes nothing, on an empty one it gives the same', async () => {
    // A name with everything that YAML could take for something else.
    const strange = 'yes: "no" #1 {*&!} \u{1F4DA} \\ \' 0x1f null';
    assertOk(
      await api.post('/v3/groups', { group: { name: strange, description: '- a\n- "b"\n', city: ['x', null, 1.5] } }),
      201,
    );
    const text = await operator.export();
    for (const prune of [false, true]) assert.equal((await operator.shows(text, { prune })).split('\n').at(-1), NOTHING);
    assert.doesNotMatch(text, /a secret of the provider|ghs_/);
    const empty = new TestApi(api.kind);
    await empty.start();
    const other = new Operator(empty);
    try {
      writeFileSync(join(other.folder, 'corporate.secret'), 'another secret\n', { mode: 0o600 });
      await other.apply(text);
      assert.equal(await other.export(), text);
      assert.equal(await other.apply(text), 0);
    } finally {
      other.remove();
      await empty.stop();
    }
  });

  it('changes only what differs, and leaves alone what it does not name', async () => {
    const { consumers } = assertOk(await api.get('/v3/OS-OAUTH2/consumers?name=Reports'));
    assertOk(
      await api.patch(`/v3/OS-OAUTH2/consumers/${consumers[0].id}`, {
        consumer: { tos_uri: 'https://reports.example.org/terms' },
      }),
    );
    const changed = FULL.replace('https://reports.example.org/callback', 'https://reports.example.org/back');
    const shown = await operator.shows(changed, { env });
    assert.equal(
      shown,
      [
        '~ application "Reports"',
        '    redirect_uris: ["https://reports.example.org/callback"] -> ["https://reports.example.org/back"]',
        '0 to create, 1 to change, 0 to delete',
      ].join('\n'),
    );
    assert.equal(await operator.apply(changed, { env }), 1);
    const after = assertOk(await api.get(`/v3/OS-OAUTH2/consumers/${consumers[0].id}`)).consumer;
    assert.deepEqual(after.redirect_uris, ['https://reports.example.org/back']);
    assert.equal(after.tos_uri, 'https://reports.example.org/terms');
    assert.equal(await operator.apply(FULL, { env }), 1);
  });

  it('deletes nothing without --prune, and with it only of the kinds and in the domains that it names', async () => {
    const before = await operator.export();
    const domain = assertOk(await api.get('/v3/domains?name=Library')).domains[0].id;
    await api.make('group', { name: 'left over', domain_id: domain });
    await api.make('group', { name: 'elsewhere' });
    const above = await api.make('project', { name: 'left over', domain_id: domain });
    await api.make('project', { name: 'below it', domain_id: domain, parent_id: above.id });
    const text = 'version: 1\ndomains:\n  - name: Library\n    groups: [{name: staff}]\n';
    assert.equal(await operator.shows(text), NOTHING);
    assert.match(
      await operator.shows(text, { prune: true }),
      /^- group "left over" of domain "Library"\n0 to create, 0 to change, 1 to delete$/,
    );
    assert.equal(await operator.apply(text, { prune: true }), 1);
    // Children are deleted before their parents.
    assert.equal(await operator.apply(FULL, { env, prune: true }), 2);
    const { groups } = assertOk(await api.get('/v3/groups?name=elsewhere'));
    assertOk(await api.delete(`/v3/groups/${groups[0].id}`), 204);
    assert.equal(await operator.export(), before);
  });

  it('never deletes built-in things, those of the service, or what the caller needs', async () => {
    const text =
      'version: 1\nroles: []\napplications: []\ndomains: [{name: Default, organizations: []}]\ncatalog: {services: [], regions: []}\ngrants: {users: [{role: admin, user: {name: admin, domain: Default}, system: true}]}\n';
    const planned = await operator.plan(text, { prune: true });
    const deleted = planned.changes.map(({ kind, key }) => [kind, ...key].join(' '));
    assert.deepEqual(deleted.toSorted(), [
      'application Archive',
      'application Reports',
      'region South',
      'region Spain',
      'role  auditor',
      'service reports reports',
    ]);
    assert.doesNotMatch(planned.notices.join('\n'), /built in/);
    assert.match(planned.notices.join('\n'), /of user "admin" of domain "Default" on domain "Default": it is your own/);
    assert.deepEqual([...OWN_APPLICATIONS], [BUILT_IN_APPLICATION, WALLET_CONSUMER]);
  });

  it('keeps a region that another one is below which stays', async () => {
    for (const region of [{ id: 'Above' }, { id: 'Below', parent_region_id: 'Above' }])
      assertOk(await api.post('/v3/regions', { region }), 201);
    const { changes, notices } = await operator.plan('version: 1\ncatalog: {regions: [{id: Below}]}\n', { prune: true });
    assert.ok(!changes.some(({ key: [id] }) => id === 'Above'));
    assert.ok(notices.includes('stays: region "Above": something below it stays'), notices.join('\n'));
    for (const id of ['Below', 'Above']) assertOk(await api.delete(`/v3/regions/${id}`), 204);
  });

  it('has no attribute that it must not have when it is exported', async () => {
    const { id } = await api.make('group', { name: 'with attributes', enabled: 'yes', city: 'Town' });
    const text = await operator.export();
    assert.match(text, /name: with attributes\n +description: .*\n +attributes:\n +city: Town\n(?! +enabled)/);
    assert.equal((await operator.shows(text)).split('\n').at(-1), NOTHING);
    assertOk(await api.delete(`/v3/groups/${id}`), 204);
  });

  it('does what was planned, or nothing', async () => {
    const text = 'version: 1\ndomains:\n  - name: Library\n    description: Another\n';
    const about = { service: api.url, prune: false };
    const planned = await operator.plan(text);
    const saved = JSON.stringify(planJson(planned, planned.document, about));
    checkSavedPlan(saved, planJson(planned, planned.document, about));
    const id = assertOk(await api.get('/v3/domains?name=Library')).domains[0].id;
    assertOk(await api.patch(`/v3/domains/${id}`, { domain: { description: 'Somebody was faster' } }));
    await assert.rejects(
      apply(planned, operator.secrets(), () => {}),
      /setup\.yaml:3: domains\[0\]: domain "Library": description was changed by somebody else/,
    );
    const again = await operator.plan(text);
    assert.throws(
      () => checkSavedPlan(saved, planJson(again, again.document, about)),
      /the service was changed since this was planned/,
    );
    const other = parseSetup('setup.yaml', `${text}roles: []\n`);
    assert.throws(() => checkSavedPlan(saved, planJson(again, other, about)), /the file was changed/);
    assert.throws(() => checkSavedPlan(saved, planJson(again, again.document, { ...about, prune: true })), /without --prune/);
    assertOk(await api.patch(`/v3/domains/${id}`, { domain: { description: 'The public library' } }));
  });

  it('stops where the service refuses, names the line, and goes on from there', async () => {
    const text = (uri: string) =>
      `version: 1\ndomains:\n  - name: Resumed\napplications:\n  - name: Resumed\n    redirect_uris: ["${uri}"]\n    secret_to: {file: resumed.secret}\n`;
    await assert.rejects(
      operator.apply(text('https://a.example.org/#fragment')),
      /setup\.yaml:5: applications\[0\]: application "Resumed": .*400: .*fragment/,
    );
    assert.ok(!existsSync(join(operator.folder, 'resumed.secret')));
    assert.equal(await operator.apply(text('https://a.example.org/')), 1);
    assert.ok(readFileSync(join(operator.folder, 'resumed.secret'), 'utf8').length > 20);
  });

  it('writes the secret of an interrupted run, and replaces a token that nobody has', async () => {
    const text =
      'version: 1\ndomains: [{name: Resumed, scim_connections: [{name: Okta, token_to: {file: okta.token}}]}]\napplications: [{name: Resumed, secret_to: {file: resumed.secret}}]\n';
    assert.equal(await operator.apply(text), 1);
    const [secret, token] = ['resumed.secret', 'okta.token'].map((name) => join(operator.folder, name));
    const before = readFileSync(secret!, 'utf8');
    for (const file of [secret!, token!]) writeFileSync(file, '');
    assert.equal(await operator.apply(text), 0, 'somebody emptied them');
    for (const file of [secret!, token!]) writeFileSync(file, 'reserved by gatehouse apply\n');
    assert.equal(await operator.apply(text), 2);
    assert.equal(readFileSync(secret!, 'utf8'), before);
    assertOk(
      await api.get('/scim/v2/Users', {
        token: null,
        headers: { Authorization: `Bearer ${readFileSync(token!, 'utf8').trim()}` },
      }),
    );
    assert.equal(await operator.apply(text), 0);
    const { connections } = assertOk(await api.get('/v3/OS-SCIM/connections'));
    assert.equal(connections.filter((one: { name: string }) => one.name === 'Okta').length, 1);
  });

  it('renames an application by its id, and asks for it where a name is not enough', async () => {
    const ids = await Promise.all(
      [1, 2].map(
        async () => assertOk(await api.post('/v3/OS-OAUTH2/consumers', { consumer: { name: 'Twin' } })).consumer.id as string,
      ),
    );
    assert.match(await operator.problems('version: 1\napplications: [{name: Twin, description: x}]\n'), /by its id/);
    const text = `version: 1\napplications:\n  - {name: Elder, id: ${ids[0]}}\n`;
    assert.match(await operator.shows(text), /name: "Twin" -> "Elder"/);
    await operator.apply(text);
    assert.equal(assertOk(await api.get(`/v3/OS-OAUTH2/consumers/${ids[0]}`)).consumer.name, 'Elder');
    assert.match(
      await operator.problems('version: 1\napplications: [{name: Twin, id: nobody}]\n'),
      /no application with this id/,
    );
    assert.equal((await operator.shows(await operator.export())).split('\n').at(-1), NOTHING);
  });

  it('enables, disables and protects in the order that the service needs', async () => {
    const tree = (enabled: boolean, immutable: boolean) =>
      `version: 1\ndomains:\n  - name: Tree\n    enabled: ${enabled}\n    organizations:\n      - name: trunk\n        enabled: ${enabled}\n        immutable: ${immutable}\n        organizations: [{name: twig, enabled: ${enabled}}]\n`;
    assert.equal(await operator.apply(tree(false, true)), 3);
    assert.equal(await operator.shows(tree(false, true)), NOTHING);
    assert.match(await operator.problems(tree(true, true)), /is immutable; add immutable: false/);
    await operator.apply(tree(true, false));
    assert.equal(await operator.shows(tree(true, false)), NOTHING);
    await operator.apply(tree(false, false));
    assert.equal(await operator.shows(tree(false, false)), NOTHING);
    const moved = 'version: 1\ndomains: [{name: Tree, organizations: [{name: twig}]}]\n';
    assert.match(await operator.problems(moved), /an organization cannot be moved/);
  });

  it('says which references lead nowhere, with their lines, before anything is changed', async () => {
    const text = [
      'version: 1',
      'domains: [{name: Never}]',
      'roles:',
      '  - name: never',
      '    implies: [nothing]',
      'grants:',
      '  users:',
      '    - role: admin',
      '      user: {name: nobody, domain: Default}',
      '      organization: {name: nowhere, domain: Default}',
    ].join('\n');
    const problems = await operator.problems(text);
    assert.match(problems, /setup\.yaml:5: roles\[0\]\.implies\[0\]: there is no role "nothing"/);
    assert.match(problems, /setup\.yaml:9: grants\.users\[0\]\.user: there is no user "nobody" in domain "Default"/);
    assert.match(problems, /setup\.yaml:10: grants\.users\[0\]\.organization: there is no organization "nowhere"/);
    assert.deepEqual(assertOk(await api.get('/v3/domains?name=Never')).domains, []);
  });

  it('registers limits, changes and deletes those that nobody uses', async () => {
    const limits = (...entries: string[]) =>
      `version: 1\nregistered_limits:\n${entries.map((entry) => `  - {service: {type: reports, name: reports}, ${entry}}\n`).join('')}`;
    const both = limits('resource: pages, region: South, default_limit: 100', 'resource: pages, default_limit: -1');
    assert.equal(
      await operator.shows(both),
      '+ registered limit "pages" of service "reports" (reports)\n    default_limit: -1\n1 to create, 0 to change, 0 to delete',
    );
    assert.equal(await operator.apply(both), 1);
    const changed = limits('resource: pages, region: South, default_limit: 0', 'resource: pages, default_limit: -1');
    assert.match(await operator.shows(changed), /in "South"\n {4}default_limit: 100 -> 0\n/);
    assert.equal(await operator.apply(changed), 1);
    assert.equal(await operator.shows(changed, { prune: true }), NOTHING);
    const service = assertOk(await api.get('/v3/services?type=reports')).services[0].id;
    const { registered_limits: found } = assertOk(await api.get(`/v3/registered_limits?service_id=${service}`));
    assert.deepEqual(found.map((one: any) => [one.region_id, one.default_limit, one.description]).toSorted(), [
      [null, -1, null],
      ['South', 0, 'A month'],
    ]);
    // One that limits refer to stays as it is.
    const project = assertOk(await api.get('/v3/projects?name=Staff')).projects[0].id;
    const used = { project_id: project, service_id: service, resource_name: 'pages', resource_limit: 5 };
    const [limit] = assertOk(await api.post('/v3/limits', { limits: [used] }), 201).limits;
    const one = limits('resource: pages, region: South, default_limit: 100');
    await assert.rejects(operator.apply(one, { prune: true }), /"pages".*project limits associated/);
    assertOk(await api.delete(`/v3/limits/${limit.id}`), 204);
    assert.equal(await operator.apply(one, { prune: true }), 1);
    assert.match(
      await operator.problems('version: 1\nregistered_limits: [{service: {type: x, name: y}, resource: z, default_limit: 1}]\n'),
      /setup\.yaml:2: registered_limits\[0\]\.service: there is no service "y" \(x\)/,
    );
    assert.equal(await operator.apply(FULL, { env }), 0);
  });

  it('has the settings of a provider for wallets', async () => {
    const path = '/v3/OS-FEDERATION/identity_providers/corporate/openid4vp';
    const read = async () => assertOk(await api.get(path)).openid4vp;
    const { links: _, ...before } = await read();
    const subject = ['credentialSubject', 'id'];
    const claims = [['credentialSubject', 'offices', null]];
    assert.deepEqual(before.credentials, [
      { format: 'dc+sd-jwt', types: ['https://login.example.org/card'], subject: ['sub'], claims: [] },
      { format: 'jwt_vc_json', types: ['StaffCard'], subject, claims },
    ]);
    assert.deepEqual([before.email_domains, before.requires_status], [['example.org'], true]);
    assertOk(await api.put(path, { openid4vp: { ...before, requires_status: false } }));
    assert.equal(await operator.shows(FULL, { env }), NOTHING, 'what the file does not name stays');
    // As people paste it: with other line ends, and twice.
    const { certificate } = certify({ name: 'CN=Cards', ca: true });
    const pem = certificate.toString();
    const roots = JSON.stringify([pem.replaceAll('\n', '\r\n'), `  ${pem}`]);
    const name = 'name: Cards of the staff';
    const changed = FULL.replace(name, `${name} and guests\n      root_certificates: ${roots}`);
    assert.match(
      await operator.shows(changed, { env }),
      /^~ settings for wallets of identity provider "corporate"\n {4}name: "Cards of the staff" -> "Cards of the staff and guests"\n {4}root_certificates: \[\] -> \["-----BEGIN CERTIFICATE.*\n0 to create, 1 to change/,
    );
    assert.equal(await operator.apply(changed, { env }), 1);
    assert.equal(await operator.apply(changed, { env }), 0);
    const after = await read();
    assert.deepEqual([after.root_certificates, after.requires_status, after.issuers], [[pem], false, before.issuers]);
    const two = FULL.replace(name, `${name}\n      root_certificates: ${JSON.stringify([pem + pem])}`);
    await assert.rejects(operator.apply(two, { env }), /each must be one certificate/, 'none is left out silently');
    assertOk(await api.put(path, { openid4vp: before }));
    assert.equal(await operator.apply(FULL, { env }), 0);
  });

  it('sends the secret of a provider again only if it is asked to', async () => {
    const other = { SETUP_CORPORATE_SECRET: 'a new secret' };
    assert.equal(await operator.shows(FULL, { env: other }), NOTHING);
    assert.match(
      await operator.shows(FULL, { env: other, sendSecrets: true }),
      /^~ OpenID settings of identity provider "corporate"\n {4}client_secret: "\(secret\)" -> "\(secret\)"\n/,
    );
    assert.equal(await operator.apply(FULL, { env: other, sendSecrets: true }), 1);
    // Settings that the file does not name stay.
    const { openid } = assertOk(await api.get('/v3/OS-FEDERATION/identity_providers/corporate/openid'));
    assert.deepEqual(openid.scopes, ['openid', 'profile', 'email']);
    assert.equal(openid.has_client_secret, true);
  });
});

onDatabase('SQLite', 'The commands of set-up files', {}, (api) => {
  const operator = new Operator(api);
  after(() => operator.remove());

  const gatehouse = async (...args: string[]): Promise<{ status: number; out: string; err: string }> => {
    const own = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(OS|GATEHOUSE)_/.test(key)));
    const login = { OS_AUTH_URL: `${api.url}/v3`, OS_USERNAME: 'admin', OS_PASSWORD: ADMIN_PASSWORD };
    const child = spawn(process.execPath, [resolve('bin/gatehouse.js'), ...args], {
      cwd: operator.folder,
      env: { ...own, ...login },
    });
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { status: status as number, out, err };
  };

  it('tell by their exit status whether something would change, and errors from it', async () => {
    writeFileSync(join(operator.folder, 'setup.yaml'), 'version: 1\nroles: [{name: by command}]\n');
    const first = await gatehouse('plan', 'setup.yaml', '--out', 'saved.json');
    assert.deepEqual(first, { status: 2, out: '+ role "by command"\n1 to create, 0 to change, 0 to delete\n', err: '' });
    const applied = await gatehouse('apply', 'setup.yaml', '--plan', 'saved.json', '--json');
    assert.equal(applied.status, 0, applied.err);
    assert.equal((JSON.parse(applied.out) as { applied: number }).applied, 1);
    assert.deepEqual(await gatehouse('plan', 'setup.yaml'), { status: 0, out: 'nothing to change\n', err: '' });
    const again = await gatehouse('apply', 'setup.yaml', '--plan', 'saved.json');
    assert.equal(again.status, 1);
    assert.match(again.err, /the service was changed since this was planned/);
    assert.equal((await gatehouse('plan', 'setup.yaml', '--prun')).status, 1);
    // The token of the command has ended with it, and the audit log names the administrator.
    const { events } = assertOk(await api.get('/v3/OS-AUDIT/events?action=role.created'));
    assert.equal(events[0].actor_id, assertOk(await api.get('/v3/users?name=admin')).users[0].id);
  });
});

describe('The text of a set-up file', () => {
  const refusal = (text: string): string => {
    try {
      parseSetup('setup.yaml', text);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('is refused with the line and the key', () => {
    assert.equal(
      refusal('version: 1\ndomains:\n  - nam: x\n'),
      'setup.yaml:3: domains[0].name: it is a required property\nsetup.yaml:3: domains[0].nam: it is not a property of this object (did you mean name?)',
    );
    assert.match(refusal('version: 1\nroles: {}\n'), /^setup\.yaml:2: roles: must be array$/);
    assert.match(refusal('version: 2\n'), /^setup\.yaml:1: version: /);
    assert.match(refusal('version: 1\nlimits: []\n'), /^setup\.yaml:2: limits: is not supported: only registered_limits/);
    assert.match(
      refusal('version: 1\nregistered_limits: [{service: {type: a, name: a}, resource: b, default_limit: -2}]\n'),
      /^setup\.yaml:2: registered_limits\[0\]\.default_limit: must be >= -1$/,
    );
    assert.match(refusal('version: 1\nroles:\n  - name: a\n    name: b\n'), /^setup\.yaml:4: Map keys must be unique$/);
    assert.match(refusal(''), /setup\.yaml:1: the file: must be object/);
    assert.match(refusal('version: 1\ndomains: [{name: " x"}]\n'), /domains\[0\]\.name: must match pattern/);
  });

  it('has all of the registration of an application', () => {
    const { components } = JSON.parse(readFileSync('docs/api/identity.openapi.json', 'utf8'));
    const { fields = {} } = definitionOf('application');
    const missing = Object.keys(components.schemas.NewConsumer.properties).filter((name) => !(name in fields));
    assert.deepEqual(missing, ['extra'], 'which are the attributes');
  });

  it('may be JSON', () => {
    assert.deepEqual(parseSetup('setup.json', '{"version": 1, "roles": [{"name": "a"}]}').file, {
      version: 1,
      roles: [{ name: 'a' }],
    });
  });
});
