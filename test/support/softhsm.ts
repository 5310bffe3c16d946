// A PKCS#11 token in software: Debian's SoftHSM, with its objects in a folder that is removed when the process ends.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsCommand } from './commands.ts';

export interface SoftToken {
  readonly library: string;
  readonly tokenLabel: string;
  readonly pin: string;
}

let folder: string | undefined;

/**
 * A fresh token. The first one of a process points the library (SOFTHSM2_CONF) to a folder of its own; child processes inherit it.
 * The library looks for tokens when it is initialized: make them before a store is opened.
 */
export function makeSoftToken(tokenLabel = 'gatehouse-test'): SoftToken {
  needsCommand('softhsm2-util', 'softhsm2');
  const library = libraryPath();
  if (!folder) {
    const made = mkdtempSync(join(tmpdir(), 'gatehouse-softhsm-'));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
    mkdirSync(join(made, 'tokens'));
    writeFileSync(
      join(made, 'softhsm2.conf'),
      `directories.tokendir = ${made}/tokens\nobjectstore.backend = file\nlog.level = ERROR\n`,
    );
    // Node passes this to setenv, so the C library sees it.
    process.env.SOFTHSM2_CONF = join(made, 'softhsm2.conf');
    folder = made;
  }
  const pin = String(randomInt(100_000, 1_000_000));
  const args = ['--init-token', '--free', '--label', tokenLabel, '--pin', pin, '--so-pin', '12345678'];
  execFileSync('softhsm2-util', args, { stdio: 'pipe' });
  return { library, tokenLabel, pin };
}

function libraryPath(): string {
  const [path] = globSync('/usr/{lib,lib64,local/lib}/{,*/}{softhsm,pkcs11}/libsofthsm2.so');
  if (!path) throw new Error('libsofthsm2.so is not under /usr/lib; install it with: apt-get install softhsm2');
  return path;
}
