// OpenStack's dashboard, unchanged, with a fresh Gatehouse behind it: people and administrators at its pages, in a real Chromium. Writes RESULTS.md.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium as playwright } from 'playwright-core';
import { PlainProvider } from '../../test/support/plain-provider.ts';
import { needCommand, needPackage, packageVersion } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { freePort, startService } from '../support/service.ts';
import { dashboardOf, startHorizon, stopHorizon, Visitor } from './horizon.ts';

const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url));
const PROVIDER = 'harbour';
const ANA = { name: 'ana', password: 'the first password of ana', second: 'the second password of ana' };

const { databaseUrl, keep } = options();
needPackage('openstack-dashboard');
needCommand('chromium-headless-shell', 'chromium-headless-shell');

const dashboard = `http://127.0.0.1:${await freePort()}`;
/** It lets in whoever comes, as zoe. */
const provider = await new PlainProvider({
  redirectUri: `http://127.0.0.1/openid/providers/${PROVIDER}/callback`,
  person: 'zoe',
}).start();
const settings = {
  GATEHOUSE_IDENTITY_TRUSTED_DASHBOARD: dashboardOf(dashboard),
  GATEHOUSE_OUTBOUND_ALLOW: new URL(provider.issuer).host,
};
const service = await startService({ databaseUrl, keep, settings });
const horizon = await startHorizon(dashboard, `${service.url}/v3`, service.folder);
const browser = await playwright.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });

/** A browser of its own. */
async function visitor(): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en' });
  context.setDefaultTimeout(15_000);
  return new Visitor(await context.newPage(), dashboard);
}

async function call(method: string, path: string, body: object, token = ''): Promise<{ token: string }> {
  const headers = { 'Content-Type': 'application/json', ...(token ? { 'X-Auth-Token': token } : {}) };
  const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.text()}`);
  return { token: response.headers.get('x-subject-token') ?? token };
}

/** As in docs/guide/providers.md. */
async function connectProvider(): Promise<void> {
  const user = { name: 'admin', domain: { id: 'default' }, password: service.adminPassword };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  const { token } = await call('POST', '/v3/auth/tokens', {
    auth: { identity: { methods: ['password'], password: { user } }, scope },
  });
  const rules = [
    {
      local: [
        { user: { name: '{0}' } },
        { projects: [{ name: 'harbour', roles: [{ name: 'member' }] }], domain: { id: 'default' } },
      ],
      remote: [{ type: 'preferred_username' }],
    },
  ];
  const root = '/v3/OS-FEDERATION';
  const { issuer, clientId: client_id, clientSecret: client_secret } = provider;
  await call('PUT', `${root}/mappings/${PROVIDER}`, { mapping: { rules, schema_version: '2.0' } }, token);
  await call(
    'PUT',
    `${root}/identity_providers/${PROVIDER}`,
    { identity_provider: { domain_id: 'default', enabled: true } },
    token,
  );
  await call('PUT', `${root}/identity_providers/${PROVIDER}/protocols/openid`, { protocol: { mapping_id: PROVIDER } }, token);
  const openid = { issuer, client_id, client_secret, email_domains: ['example.org'], trusts_email: true };
  await call('PUT', `${root}/identity_providers/${PROVIDER}/openid`, { openid }, token);
}

const [admin, ana, signedIn, zoe] = [await visitor(), await visitor(), await visitor(), await visitor()];

const STEPS: Readonly<Record<string, () => Promise<void>>> = {
  'an administrator logs in with name, password and domain': () => admin.logIn('admin', service.adminPassword),
  'a wrong password is refused with a word': async () => {
    const stranger = await visitor();
    await stranger.page.goto(`${dashboard}/auth/login/`);
    await stranger.fill({ username: 'admin', password: 'wrong', domain: 'Default' });
    await stranger.page.click('#loginBtn');
    await stranger.page.getByText('Invalid credentials').waitFor();
  },
  'Projects: created': async () => {
    await admin.open('/identity/create');
    await admin.fill({ name: 'harbour', description: 'cranes and ships' });
    await admin.send();
    assert.match(await admin.row('harbour'), /cranes and ships .* Yes/);
  },
  'Users: created with a project and a role': async () => {
    await admin.open('/identity/users/create');
    await admin.fill({ name: ANA.name, email: 'ana@example.org', password: ANA.password, confirm_password: ANA.password });
    await admin.choose({ project: 'harbour', role_id: 'member' });
    await admin.send();
    assert.match(await admin.row(ANA.name), /ana@example.org .* Yes Default/);
  },
  'Groups: created, with a member': async () => {
    await admin.open('/identity/groups/create');
    await admin.fill({ name: 'pilots', description: 'who bring ships in' });
    await admin.send();
    await admin.page.locator('tbody tr', { hasText: 'pilots' }).getByText('Manage Members').click();
    await admin.page.getByText('Add Users').first().click();
    await admin.page.locator('.modal tbody tr', { hasText: ANA.name }).locator('input[type=checkbox]').dispatchEvent('click');
    await admin.page.locator('.modal').getByRole('button', { name: 'Add Users' }).click();
    await admin.page.locator('.modal').waitFor({ state: 'detached' });
    await admin.row('ana@example.org');
  },
  'Roles, Domains, API access, and everything else that there is to see': async () => {
    for (const [path, text] of [
      ['/identity/roles/', 'member'],
      ['/identity/domains/', 'Default'],
      ['/identity/groups/', 'pilots'],
      ['/project/api_access/', `${service.url}/v3`],
      ['/admin/info/', 'gatehouse'],
      ['/identity/application_credentials/', 'No items'],
      ['/settings/', ''],
    ] as const) {
      await admin.open(path);
      if (text) await admin.row(text);
    }
  },
  'somebody logs in with the new account, in its project': async () => {
    await ana.logIn(ANA.name, ANA.password);
    await ana.open('/identity/');
    assert.match((await ana.rows()).join('\n'), /^harbour/);
    await ana.open('/identity/users/');
    assert.match((await ana.rows()).join('\n'), /^ana [^\n]*$/, 'and sees nobody else');
  },
  'Application credentials: created, shown once, deleted': async () => {
    await ana.open('/identity/application_credentials/create/');
    await ana.fill({ name: 'nightly' });
    await ana.page.selectOption('#id_roles', { label: 'member' });
    await ana.page.locator('#content_body form [type=submit]').last().click();
    await ana.page.locator('h1', { hasText: 'Your Application Credential' }).waitFor();
    assert.match(await ana.page.locator('#content_body form textarea').inputValue(), /^\S{20,}$/);
    await ana.open('/identity/application_credentials/');
    await ana.row('nightly');
    await ana.page.locator('tbody tr', { hasText: 'nightly' }).getByText('Delete').first().click();
    await ana.page.locator('.modal-footer .btn-danger').click();
    await ana.row('No items');
  },
  'Settings: their own password': async () => {
    await ana.open('/settings/password/');
    await ana.fill({ current_password: ANA.password, new_password: ANA.second, confirm_password: ANA.second });
    await ana.page.locator('#content_body form [type=submit]').last().click();
    await ana.page.locator('#loginBtn').waitFor();
    await ana.logIn(ANA.name, ANA.second);
  },
  'logging out': () => ana.logOut(),
  'web single sign-on: at the pages of the service, and back': async () => {
    await signedIn.chooseSignIn('openid');
    await signedIn.page.waitForURL(`${service.url}/**`);
    await signedIn.page.fill('#name', ANA.name);
    await signedIn.page.fill('#password', ANA.second);
    await signedIn.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await signedIn.expectName(ANA.name);
    await signedIn.open('/identity/');
    assert.match((await signedIn.rows()).join('\n'), /^harbour/);
  },
  'web single sign-on again: nothing is asked': async () => {
    await signedIn.logOut();
    await signedIn.chooseSignIn('openid');
    await signedIn.expectName(ANA.name);
  },
  'signing out at the service ends it in the dashboard': async () => {
    await signedIn.page.goto(`${service.url}/openid/logout`);
    await signedIn.page.locator('button[name=logout]').click();
    await signedIn.expectNothing();
  },
  'web single sign-on through another provider': async () => {
    await zoe.chooseSignIn(PROVIDER);
    await zoe.expectName('zoe');
    await zoe.open('/identity/');
    assert.match((await zoe.rows()).join('\n'), /^harbour/);
  },
  'Users: disabled, who is out at once': async () => {
    await ana.logIn(ANA.name, ANA.second);
    await admin.open('/identity/users/');
    await admin.act(ANA.name, 'Disable User');
    await ana.expectNothing();
  },
  'Users and Projects: deleted': async () => {
    await admin.open('/identity/users/');
    await admin.act(ANA.name, 'Delete User', true);
    await admin.open('/identity/');
    await admin.act('harbour', 'Delete Project', true);
    await admin.open('/identity/');
    assert.ok(!(await admin.rows()).join('\n').includes('harbour'));
  },
};

await connectProvider();
const results: (readonly [step: string, result: string])[] = [];
for (const [step, run] of Object.entries(STEPS)) {
  const problem = await run().then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  if (problem !== undefined) {
    for (const [name, { page }] of Object.entries({ admin, ana, signedIn, zoe }))
      await page.screenshot({ path: join(service.folder, `${results.length + 1}-${name}.png`) }).catch(() => {});
  }
  results.push([step, problem === undefined ? 'ok' : 'FAILED']);
  console.log(`${problem === undefined ? 'ok     ' : 'FAILED '} ${step}${problem === undefined ? '' : `\n${problem}`}`);
}
const failed = results.filter(([, result]) => result !== 'ok').length;
await browser.close();
await stopHorizon(horizon);
await provider.stop();
await service.stop(failed > 0);
writeFileSync(
  RESULTS,
  `# Horizon: results

Written by \`conformance/horizon/run.ts\`. Horizon ${packageVersion('openstack-dashboard')} of Debian, unchanged, in Chromium. ${results.length} steps: ${results.length - failed} ok, ${failed} FAILED.

| Step | Result |
|---|---|
${results.map(([step, result]) => `| ${step} | ${result} |`).join('\n')}
`,
);
process.exit(failed > 0 ? 1 : 0);
