// Runs the scripts in their shells. Bash is always available; other shells are tested if they are installed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Command } from './command.ts';
import { completionOf } from './completion.ts';
import { commands } from './index.ts';

/** An extra command with an option that takes a file, and with characters that a shell would interpret. */
const table: readonly Command[] = [
  ...commands,
  {
    words: 'odd one',
    about: `it's "$(odd)": \`one\``,
    args: [
      { name: 'WHAT', about: 'what', choices: ['this', 'that'] },
      { name: 'FILE', about: 'a file' },
    ],
    options: { into: { value: 'FILE', about: 'a file' }, quick: { about: 'at once' } },
    run() {},
  },
];

type Shell = 'bash' | 'zsh' | 'fish';

/** The words before the cursor; the last one is incomplete. */
const ASK: Readonly<Record<Shell, (script: string, typed: readonly string[]) => string[]>> = {
  bash: (script, typed) => [
    '-c',
    `source "$0"; COMP_WORDS=(gatehouse "$@"); COMP_CWORD=$#; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`,
    script,
    ...typed,
  ],
  // Replaces the functions of the completion system, which are not under test.
  zsh: (script, typed) => [
    '-fc',
    [
      'compdef() { }',
      `_describe() { local -a all=(\${(P)2%%:*}); print -rl -- \${(M)all:#$words[CURRENT]*}; }`,
      `_files() { print -rl -- $words[CURRENT]*(N); }`,
      `script=$1; shift; words=(gatehouse "$@"); CURRENT=$#words; source $script; _gatehouse`,
    ].join('\n'),
    'zsh',
    script,
    ...typed,
  ],
  fish: (script, typed) => ['--no-config', '-c', `source $argv[1]; complete -C "gatehouse $argv[2]"`, script, typed.join(' ')],
};

describe('Completion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-completion-'));
  before(() => {
    for (const name of ['monday.tar', 'mo re.tar']) writeFileSync(join(folder, name), '');
    for (const shell of ['bash', 'zsh', 'fish'] as const) writeFileSync(join(folder, shell), completionOf(shell, table));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function offered(shell: Shell, typed: string): string[] {
    const env = { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8' };
    const args = ASK[shell](join(folder, shell), typed.split(' '));
    const { stdout, stderr, status } = spawnSync(shell, args, { encoding: 'utf8', cwd: folder, env });
    assert.equal(stderr, '', typed);
    assert.ok(status === 0 || stdout.trim() === '', `${status}`);
    return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
  }

  const isHere = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

  for (const shell of ['bash', 'zsh', 'fish'] as const)
    describe(`in ${shell}`, { skip: isHere(shell) ? false : `${shell} is not installed` }, () => {
      const isOffered = (typed: string, ...words: string[]): void =>
        assert.deepEqual(offered(shell, typed).sort(), words.sort(), typed);

      it('offers every command, word by word', () => {
        isOffered('', ...new Set([...table.map(({ words }) => words.split(' ')[0]!), 'help', 'version']));
        isOffered('ba', 'backup');
        isOffered('scim ', 'token');
        isOffered('scim token ', 'create', 'list', 'revoke');
        isOffered('scim token re', 'revoke');
        isOffered('help master-key ', 'new', 'rotate');
      });

      it('offers the choices of an argument, or files', () => {
        isOffered('openapi ', 'identity', 'wallet');
        isOffered('completion z', 'zsh');
        isOffered('backup mon', 'monday.tar');
        isOffered('odd one th', 'this', 'that');
        isOffered('odd one --quick this mon', 'monday.tar');
      });

      it('offers options, and continues after their values', () => {
        isOffered('scim token create --', '--domain', '--name', '--help');
        isOffered('scim token create --domain default --n', '--name');
        isOffered('scim token create --domain ');
        isOffered('odd one --into mon', 'monday.tar');
        isOffered('odd one --into this th', 'this', 'that');
        isOffered('backup --', '--help');
      });

      it('offers nothing if nothing may follow', () => {
        isOffered('frob x');
        isOffered('start now and th');
      });
    });

  it('in bash is registered, reads --name=value, and keeps file names with spaces', () => {
    const registered = execFileSync('bash', ['-c', 'source "$0"; complete -p gatehouse', join(folder, 'bash')], {
      encoding: 'utf8',
    });
    assert.match(registered, /^complete -F _gatehouse gatehouse$/m);
    assert.deepEqual(offered('bash', 'odd one --into = th th').sort(), ['that', 'this']);
    assert.deepEqual(offered('bash', 'backup mo').sort(), ['mo re.tar', 'monday.tar']);
  });
});
