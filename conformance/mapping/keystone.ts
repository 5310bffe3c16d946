// Installs the real Keystone from PyPI into a temporary virtual environment, and calls it.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { needCommand, stop } from '../support/debian.ts';

export const KEYSTONE = '30.0.0';
const PEER = fileURLToPath(new URL('./peer.py', import.meta.url));

export interface Keystone {
  readonly python: string;
  /** One answer for each question, in the same order. */
  ask(questions: readonly object[]): Promise<any[]>;
}

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) stop(`failed: ${command} ${args.join(' ')}`);
}

export function installKeystone(folder: string): Keystone {
  needCommand('python3', 'python3-venv');
  const environment = join(folder, 'keystone');
  console.log(`installing Keystone ${KEYSTONE} from PyPI`);
  run('python3', '-m', 'venv', environment);
  const python = join(environment, 'bin', 'python');
  run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `keystone==${KEYSTONE}`);
  const { stdout } = spawnSync(python, ['-c', 'import platform; print(platform.python_version())'], { encoding: 'utf8' });
  return { python: stdout.trim(), ask: (questions) => ask(python, folder, questions) };
}

async function ask(python: string, folder: string, questions: readonly object[]): Promise<any[]> {
  const child = spawn(python, [PEER], { stdio: ['pipe', 'pipe', 'pipe'], cwd: folder });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const answers: any[] = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line));
  if (answers.length !== questions.length) {
    writeFileSync(join(folder, 'peer.log'), Buffer.concat(errors));
    stop(
      `Keystone answered ${answers.length} of ${questions.length} questions:\n${Buffer.concat(errors).toString().slice(-2000)}`,
    );
  }
  return answers;
}
