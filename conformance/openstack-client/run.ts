// Runs the unchanged OpenStack client against a fresh service, checks its output, and writes RESULTS.md.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { needCommand } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { type RunningService, startService } from '../support/service.ts';
import { catalog } from './chapters/catalog.ts';
import { delegations } from './chapters/delegations.ts';
import { domains } from './chapters/domains.ts';
import { grants } from './chapters/grants.ts';
import { groups, users } from './chapters/people.ts';
import { projects } from './chapters/projects.ts';
import { roles } from './chapters/roles.ts';
import { secondFactor } from './chapters/second-factor.ts';
import { tokens } from './chapters/tokens.ts';
import { type CommandResult, OpenStackClient } from './client.ts';

const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url));

/** Chapters use different names, so they can run in parallel. The longest come first, so that the last does not run alone. */
const CHAPTERS = {
  Grants: grants,
  Delegations: delegations,
  Catalog: catalog,
  Projects: projects,
  Users: users,
  Roles: roles,
  Groups: groups,
  Domains: domains,
  Tokens: tokens,
  'Second factor': secondFactor,
};

interface Chapter {
  readonly title: string;
  readonly rows: readonly CommandResult[];
}

async function runChapters(service: RunningService): Promise<Chapter[]> {
  const waiting = Object.entries(CHAPTERS);
  const done: Chapter[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [title, run] = next;
      const client = new OpenStackClient(service);
      await run(client);
      done.push({ title, rows: client.rows });
    }
  };
  // The client mostly spends its time starting Python, so one runs per core.
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return done.sort((a, b) => (a.title < b.title ? -1 : 1));
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function table({ title, rows }: Chapter): string {
  const lines = rows.map(
    ({ command, expectation, ok }) => `| \`${cell(command)}\` | ${cell(expectation)} | ${ok ? 'ok' : 'FAILED'} |`,
  );
  return `## ${title}\n\n| Command | Expectation | Result |\n|---|---|---|\n${lines.join('\n')}\n`;
}

const chosen = options();
needCommand('openstack', 'python3-openstackclient');
const version = spawnSync('openstack', ['--version'], { encoding: 'utf8' }).stdout.trim();
const service = await startService(chosen);
let chapters: Chapter[] = [];
try {
  chapters = await runChapters(service);
} finally {
  await service.stop();
}
const rows = chapters.flatMap((chapter) => chapter.rows);
const failed = rows.filter(({ ok }) => !ok);
const summary = `${rows.length} commands: ${rows.length - failed.length} ok, ${failed.length} FAILED`;
writeFileSync(
  RESULTS,
  `# OpenStack client: results

Written by \`conformance/openstack-client/run.ts\`. Client: \`${version}\`, unchanged, from Debian's package python3-openstackclient.

${summary}.

${chapters.map(table).join('\n')}`,
);
console.log(summary);
process.exit(failed.length > 0 ? 1 : 0);
