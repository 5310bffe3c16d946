// `npm run test:one -- FILE [NAME] [--inspect]`: runs one test file on SQLite only, without PostgreSQL. NAME is a pattern of test names.
// With --inspect it waits for a debugger (chrome://inspect, or "attach" in an editor) before the first line.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { inspect: { type: 'boolean', default: false } } });
const [file, name] = positionals;
if (file === undefined) {
  console.error('npm run test:one -- FILE [NAME] [--inspect]');
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    ...(values.inspect ? ['--inspect-brk'] : []),
    '--test-skip-pattern=\\(PostgreSQL\\)',
    // What a skipped suite shares with others would keep the process alive.
    ...(values.inspect ? [] : ['--test-force-exit']),
    ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
    '--test-reporter=spec',
    file,
  ],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
