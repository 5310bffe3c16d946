// Runs the guides: every block, in order, in a fresh folder, against a real service. `npm test` runs those that a newcomer reads first.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TestApi } from './support/api.ts';
import { inFullRun } from './support/extent.ts';
import { blocksOf, type GuideBlock, isRun, scriptOf } from './support/guides.ts';
import { freePort } from './support/ports.ts';
import { DEFAULT_ADDRESSES, type GatehouseProcess, gatehouse } from './support/process.ts';
import { TestBrowser } from './support/test-browser.ts';

const PASSWORD = 'the administrator of the guides';
/** In this order, because a page may use what an earlier one has set up. */
const FIRST = ['README.md', 'administration.md', 'applications.md'].map((name) =>
  name === 'README.md' ? name : `docs/guide/${name}`,
);
const ALL = [
  ...FIRST,
  ...globSync('docs/guide/*.md')
    .filter((page) => !FIRST.includes(page))
    .sort(),
];
/** Each call of the `openstack` command takes a second. The reader of these pages has nothing yet, so they need no other page. */
const PAGES = inFullRun(ALL, ['README.md', 'docs/guide/first-application.md', 'docs/guide/wallet.md']);
/** The default ports. They are replaced here, because they may be in use. */
const PORTS = ['5000', '8080', '2112', '7001', '7002'];

describe('The guides', () => {
  let folder: string;
  let service: GatehouseProcess;
  let demo: ChildProcess;
  const ports = new Map<string, string>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-guides-'));
    for (const name of ['bin', 'src', 'examples', 'node_modules', 'package.json']) symlinkSync(resolve(name), join(folder, name));
    for (const port of PORTS) ports.set(port, String(await freePort()));
    service = gatehouse(
      ['start'],
      {
        ...DEFAULT_ADDRESSES,
        GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
        GATEHOUSE_IDENTITY_PORT: ports.get('5000')!,
        GATEHOUSE_WALLET_PORT: ports.get('8080')!,
        GATEHOUSE_METRICS_PORT: ports.get('2112')!,
        GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
      },
      folder,
    );
    await service.listening();
    const env = { ...process.env, ISSUER_PORT: ports.get('7001')!, VERIFIER_PORT: ports.get('7002')! };
    demo = spawn(process.execPath, ['examples/credentials/demo.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(demo.stdout!, 'data');
  });
  after(async () => {
    demo.kill();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const here = (text: string): string =>
    text.replace(/((?:127\.0\.0\.1|localhost):)(\d+)/g, (_, host: string, port: string) => host + (ports.get(port) ?? port));

  /** The session cookie of the wallet node, which a person would copy from the browser. */
  async function cookie(): Promise<string> {
    const url = here('http://localhost:8080');
    const begun = await fetch(`${url}/api/v1/auth/login`, { redirect: 'manual' });
    const browser = new TestBrowser({ url: here('http://localhost:5000') } as TestApi);
    const page = await browser.go(begun.headers.get('location')!);
    const back = await browser.answerForms(page, { name: 'admin', password: PASSWORD });
    const flow = begun.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    const done = await fetch(back.redirectTarget!, { redirect: 'manual', headers: { Cookie: flow } });
    return /gatehouse_wallet=([^;]+)/.exec(done.headers.getSetCookie().join('\n'))![1]!;
  }

  /** Input for blocks that prompt: the administrator's password, the cookie, or a new password. */
  async function typed(blocks: readonly GuideBlock[]): Promise<string[]> {
    const inputs: string[] = [];
    for (const [, variable] of scriptOf(blocks).matchAll(/^read -rsp '[^']*' (\w+)$/gm)) {
      if (variable === 'COOKIE') inputs.push(await cookie());
      else if (variable === 'PASSWORD') inputs.push(PASSWORD);
      else inputs.push('correct horse battery');
    }
    return inputs;
  }

  it('run as they are printed', async (context) => {
    const blocks = PAGES.flatMap((page) => blocksOf(page));
    writeFileSync(join(folder, 'script.sh'), here(scriptOf(blocks)));
    const inputs = await typed(blocks);
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(GATEHOUSE|OS)_/.test(key)));
    // Without a terminal, prompts read from standard input.
    const shell = spawn('bash', ['script.sh'], { cwd: folder, env: { ...env, HOME: folder }, detached: true });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk;
      });
    shell.stdin.end(`${inputs.join('\n')}\n`);
    const [code] = await once(shell, 'exit');
    const last = said.lastIndexOf('::: ');
    assert.equal(code, 0, `stopped in the block at ${said.slice(last + 4, last + 4000)}`);
    assert.match(said, /::: done\n/);
    const notRun = blocks.filter((block) => block.language === 'sh' && !isRun(block));
    context.diagnostic(`${blocks.filter(isRun).length} blocks were run, ${notRun.length} were not:`);
    for (const { file, line, notRun: why } of notRun) context.diagnostic(`${file}:${line}: ${why}`);
    assert.ok(blocks.filter(isRun).length > inFullRun(40, 4));
  });

  it('do not pass when a block fails, does not say what it is, or has no reason not to run', () => {
    assert.throws(() => blocksOf('a.md', '```\nls\n```'), /a\.md:1: a block is sh, json/);
    assert.throws(() => blocksOf('a.md', '```sh not-run=""\nls\n```'), /a\.md:1/);
    assert.throws(() => blocksOf('a.md', '```sh\nls'), /does not end/);
    const [block] = blocksOf('a.md', 'words\n```sh not-run="needs root"\nls\n```\n');
    assert.deepEqual([block!.line, block!.notRun, isRun(block!)], [2, 'needs root', false]);
    assert.match(scriptOf(blocksOf('a.md', '```sh\nfalse\n```')), /set -euo pipefail\necho '::: a\.md:1'\nfalse\n/);
  });
});
