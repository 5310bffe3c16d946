// `npm run check`: types, lint, import rules, import cycles, file sizes, edited migrations, and stale generated documents.
import { spawnSync } from 'node:child_process';
import { importFaults, oversized, sourceFiles } from './code-rules.ts';
import { staleDocuments } from './documents.ts';
import { importCycles } from './import-cycles.ts';
import { currentMigrationFaults } from './migration-hashes.ts';

let failed = false;

function report(what: string, problems: readonly string[]): void {
  console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${what}`);
  for (const problem of problems) console.log(`       ${problem}`);
  failed ||= problems.length > 0;
}

function run(what: string, command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(`node_modules/.bin/${command}`, args, { encoding: 'utf8' });
  report(what, status === 0 ? [] : [`${stdout}${stderr}`]);
}

run('types', 'tsc', '--noEmit', '-p', '.');
run('types of the pages', 'tsc', '--noEmit', '-p', 'console');
run('lint and format', 'biome', 'check', '--error-on-warnings', '.');
report('imports', importFaults(sourceFiles()));
report('import cycles', importCycles(sourceFiles()));
report('file sizes', oversized(sourceFiles()));
report('migrations', currentMigrationFaults());
report('generated documents', await staleDocuments());
process.exit(failed ? 1 : 0);
