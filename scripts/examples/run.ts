// `npm run examples`: starts both services with the demo issuer and verifier, calls their operations, and writes the examples of the
// OpenAPI documents (scripts/openapi/*/examples.json). Examples that say the same as before stay as they are; `npm run examples -- all` writes
// all anew. Then `npm run docs`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { freePort } from '../../test/support/ports.ts';
import { GatehouseProcess } from '../../test/support/process.ts';
import { makeIdentityDocument } from '../openapi/identity/document.ts';
import { makeWalletDocument } from '../openapi/wallet/document.ts';
import { PASSWORD, tourIdentity } from './identity-tour.ts';
import { type OperationExample, Recorder } from './recorder.ts';
import { saysTheSame } from './same.ts';
import { stabilizer } from './stable.ts';
import { tourWallet } from './wallet-tour.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

async function startDemo() {
  const [issuer, verifier] = [await freePort(), await freePort()];
  const env = { ...process.env, ISSUER_PORT: String(issuer), VERIFIER_PORT: String(verifier) };
  const demo = spawn(process.execPath, [at('examples/credentials/demo.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(demo.stdout!, 'data');
  return { demo, issuer: `http://127.0.0.1:${issuer}`, verifier: `http://127.0.0.1:${verifier}` };
}

/** The cookie of a person who logged in to the wallet, in a browser. */
async function sessionAt(wallet: string): Promise<string> {
  const program = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file));
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ ...(program ? { executablePath: program } : {}), args });
  const page = await browser.newPage();
  await page.goto(`${wallet}/api/v1/auth/login`);
  await page.locator('input[name=username], input[type=text]').first().fill('admin');
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').first().click();
  await page.waitForURL((url) => url.origin === wallet);
  const cookies = await page.context().cookies(wallet);
  await browser.close();
  const { name, value } = cookies.find((one) => one.name === 'gatehouse_wallet')!;
  return `${name}=${value}`;
}

/** Gives the person the role by which the wallet knows its administrators. */
async function makeNodeAdministrator(api: Recorder): Promise<void> {
  const quiet = { unrecorded: true };
  const { consumers } = await api.call('GET', '/v3/OS-OAUTH2/consumers?name__icontains=wallet', quiet);
  const application_id = consumers[0].id;
  const { roles } = await api.call('GET', `/v3/OS-ROLES/roles?name=admin&application_id=${application_id}`, quiet);
  const { projects } = await api.call('GET', '/v3/projects?name=admin', quiet);
  const { users } = await api.call('GET', '/v3/users?name=admin', quiet);
  const place = `/v3/OS-ROLES/users/${users[0].id}/organizations/${projects[0].id}`;
  await api.call('PUT', `${place}/applications/${application_id}/roles/${roles[0].id}`, quiet);
}

const data = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'));
const { demo, issuer, verifier } = await startDemo();
const gatehouse = new GatehouseProcess(['start'], {
  GATEHOUSE_DATA_DIR: data,
  GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
  GATEHOUSE_RATE_LIMITS: 'off',
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
});
try {
  const [identity, wallet] = [await gatehouse.listening(), await gatehouse.walletListening()];
  const recorders = {
    identity: new Recorder(identity, makeIdentityDocument()),
    wallet: new Recorder(wallet, makeWalletDocument()),
  };
  await tourIdentity(recorders.identity);
  await makeNodeAdministrator(recorders.identity);
  recorders.wallet.headers = { Cookie: await sessionAt(wallet), Origin: wallet };
  await tourWallet(recorders.wallet, { issuer, verifier });
  const stable = stabilizer({
    [identity]: 'http://127.0.0.1:5000',
    [wallet]: 'http://127.0.0.1:8080',
    [`localhost%3A${new URL(wallet).port}`]: 'localhost%3A8080',
    [issuer]: 'https://issuer.example',
    [verifier]: 'https://verifier.example',
    [data]: '/var/lib/gatehouse',
    [`"${hostname()}"`]: '"node1"',
  });
  for (const [service, { examples }] of Object.entries(recorders)) {
    const file = at(`scripts/openapi/${service}/examples.json`);
    const before = (process.argv[2] === 'all' ? {} : JSON.parse(readFileSync(file, 'utf8'))) as Record<string, OperationExample>;
    const now = Object.entries(examples).map(([id, recorded]) => {
      const example = JSON.parse(stable(id, JSON.stringify(recorded))) as OperationExample;
      return [id, before[id] && saysTheSame(before[id], example) ? before[id] : example] as const;
    });
    const written = now.filter(([id, example]) => example !== before[id]).map(([id]) => id);
    const sorted = Object.fromEntries(now.sort(([one], [other]) => (one < other ? -1 : 1)));
    writeFileSync(file, `${JSON.stringify(sorted, null, 1)}\n`);
    console.log(`${service}: ${now.length} operations, ${written.length} of them written anew ${written.slice(0, 9).join(' ')}`);
  }
} finally {
  demo.kill();
  gatehouse.child.kill();
  await once(gatehouse.child, 'exit');
  rmSync(data, { recursive: true, force: true });
}
