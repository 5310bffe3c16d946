// `npm run check`: types, lint, import rules, import cycles, file sizes, edited migrations, stale generated documents, and links that lead
// nowhere. All of it runs at the same time.
import { execFile } from 'node:child_process';
import { importFaults, oversized, sourceFiles } from './code-rules.ts';
import { documentFaults } from './document-links.ts';
import { importCycles } from './import-cycles.ts';
import { currentMigrationFaults } from './migration-hashes.ts';
import { storeExportFaults } from './store-exports.ts';
import { compilerArguments } from './types.ts';

/** The compiler is written in Go. Collecting garbage less often saves a quarter of its time, for a tenth more memory. */
const environment = { GOGC: '300', ...process.env };

const run = (command: string, args: readonly string[]): Promise<string[]> =>
  new Promise((done) => {
    const options = { env: environment, maxBuffer: Number.POSITIVE_INFINITY };
    execFile(`node_modules/.bin/${command}`, args, options, (error, stdout, stderr) =>
      done(error ? [`${stdout}${stderr}` || error.message] : []),
    );
  });

/** Imported late, so that the tools start before it. Where the code cannot be imported, the types say why. */
const documents = (): Promise<string[]> =>
  import('./documents.ts').then(({ staleDocuments }) => staleDocuments()).catch((error: Error) => [String(error.stack)]);

const files = sourceFiles();
const types = (project: string, name: string): Promise<string[]> =>
  run('tsc', compilerArguments(project, files, `node_modules/.cache/types/${name}`));

const checks = {
  types: types('.', 'services'),
  'types of the pages': types('console', 'pages'),
  'lint and format': run('biome', ['check', '--error-on-warnings', '.']),
  imports: importFaults(files),
  'import cycles': importCycles(files),
  'exports of stores': storeExportFaults(files),
  'file sizes': oversized(files),
  migrations: currentMigrationFaults(),
  'generated documents': documents(),
  'links in documents': documentFaults(),
};

let failed = false;
for (const [what, found] of Object.entries(checks)) {
  const problems = await found;
  console.log(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${what}`);
  for (const problem of problems) console.log(`       ${problem}`);
  failed ||= problems.length > 0;
}
process.exit(failed ? 1 : 0);
