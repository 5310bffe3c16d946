// examples/role-credential, started by its one command, and walked as it says.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DESK, lookTroubles } from '../support/accessibility.ts';
import type { TestApi } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { freePort } from '../support/ports.ts';
import { alertOf, enterPassword, follow, openAccount, press, sectionOf, words } from '../support/visitor.ts';
import { shareWithSignIn, takeRoleAlong } from '../support/wallet-sign-in-page.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/role-credential/start.js', import.meta.url));
const chromium = usesChromium();
/** Much longer than needed, because all cores may be busy with other tests. */
const PATIENCE_MS = 120_000;

describe('The example of a role as a credential', () => {
  let example: ChildProcess;
  let said = '';

  /** Waits until the program has printed something. */
  async function printed(text: RegExp): Promise<RegExpExecArray> {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(20)) {
      const found = text.exec(said);
      if (found) return found;
      assert.equal(example.exitCode, null, said);
      assert.ok(Date.now() < until, said);
    }
  }

  before(async () => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GATEHOUSE_')));
    const [IDENTITY_PORT, WALLET_PORT, PORT] = (await Promise.all([freePort(), freePort(), freePort()])).map(String);
    example = spawn(process.execPath, [PROGRAM], { env: { ...env, IDENTITY_PORT, WALLET_PORT, PORT } });
    for (const stream of [example.stdout!, example.stderr!])
      stream.on('data', (chunk: Buffer) => {
        said += chunk;
      });
    await printed(/Ctrl-C ends/);
  });
  after(async () => {
    if (example.exitCode === null) {
      example.kill('SIGINT');
      await once(example, 'exit');
    }
    assert.equal(example.exitCode, 0, said);
  });

  it('goes as it says', async () => {
    const addressOf = async (what: string): Promise<string> => (await printed(new RegExp(`${what} +(http://\\S+)`)))[1]!;
    const [identity, wallet, application] = await Promise.all(['identity service', 'wallet node', 'application'].map(addressOf));
    const [, password] = await printed(/ann {2,}(\S+)/);
    const api = { url: identity } as TestApi;
    const page = await chromium.open(api, { bypassCSP: true, viewport: DESK }, [wallet!]);
    await openAccount(api, page, 'applications');
    await enterPassword(page, { name: 'ann', password: password! });
    const inWallet = await takeRoleAlong(page, 'Reader of reports');
    await inWallet.getByText('Reports: reader', { exact: true }).waitFor();
    assert.deepEqual(await lookTroubles(inWallet, 'example-wallet'), []);
    await inWallet.goto(`${wallet}/`);
    await inWallet.locator('.credential-card').getByText('Reports: reader', { exact: true }).waitFor();
    // And on the page of the account.
    await openAccount(api, page, 'applications');
    await sectionOf(page, words.inWallets).getByText('Reports: reader').waitFor();

    const answer = async (): Promise<string> => {
      await press(page, words.walletSignIn);
      await follow(page, words.walletOpen);
      return shareWithSignIn(page, identity!);
    };
    await page.goto(application!);
    await follow(page, 'Sign in');
    await page.goto(await answer());
    await press(page, words.allow);
    assert.match(await page.locator('body').innerText(), /Hello, ann[\s\S]*Roles: reader/);
    assert.deepEqual(await lookTroubles(page, 'example-application'), []);

    await page.goto(`${application}/login`);
    const back = await answer();
    example.stdin!.write('\n');
    await printed(/was taken away/);
    await page.goto(back);
    assert.equal(await alertOf(page), words.walletRefused);
  });
});
