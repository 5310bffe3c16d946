// Runs scim2-tester, by the command line client scim2-cli, against a fresh service, and writes TESTER.md. The program is an argument.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { options } from '../support/options.ts';
import { type RunningService, startService } from '../support/service.ts';
import { connect } from './connection.ts';

const RESULTS = fileURLToPath(new URL('./TESTER.md', import.meta.url));

/** What it finds, and why it is so. */
const KNOWN: readonly (readonly [finding: string, why: string])[] = [
  [
    "Attribute 'active' was not removed",
    'A flag always has a value, which stays: unassigned, `active` would mean its default and let a deactivated user in again (RFC.md, 3.5.2.2)',
  ],
  ["Attribute 'isDefault' was not removed", 'The same'],
  [
    'The method is not allowed for the requested URL.',
    'Roles and Entitlements are lists of what can be assigned, as Okta reads them; they are read-only, and the tester tries to create some',
  ],
];

async function findingsOf(program: string, service: RunningService): Promise<{ passed: number; findings: string[] }> {
  const { hostname } = new URL(service.url);
  const child = spawn(program, ['--url', `${service.url}/scim/v2`, 'test'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SCIM_CLI_HEADERS: `Authorization: Bearer ${await connect(service)}`,
      NO_PROXY: hostname,
      no_proxy: hostname,
    },
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const results = [...output.matchAll(/^(SUCCESS|ERROR|CRITICAL) \w+(?:\n {2}(.*))?/gm)];
  if (results.length === 0) throw new Error(`no results: ${output}`);
  const failed = results.filter(([, status]) => status !== 'SUCCESS');
  return { passed: results.length - failed.length, findings: failed.map(([whole, , reason]) => reason ?? whole) };
}

const chosen = options('PATH_OF_SCIM2');
const service = await startService(chosen);
let result: Awaited<ReturnType<typeof findingsOf>> | undefined;
try {
  result = await findingsOf(chosen.operands[0]!, service);
} finally {
  await service.stop(result === undefined);
}
const unknown = result.findings.filter((finding) => !KNOWN.some(([known]) => known === finding));
const rows = KNOWN.map(([known, why]) => `| ${known} | ${result.findings.filter((one) => one === known).length} | ${why} |`);
const summary = `${result.passed} checks passed, ${result.findings.length} findings, ${unknown.length} of them NEW.`;
writeFileSync(
  RESULTS,
  `# scim2-tester: results

Written by \`conformance/scim/tester.ts\`, through a provisioning connection to an empty domain.

${summary}

| Finding | Times | Why |
|---|---|---|
${[...rows, ...unknown.map((finding) => `| ${finding} | 1 | NEW |`)].join('\n')}
`,
);
for (const finding of unknown) console.log(`NEW ${finding}`);
console.log(summary);
process.exit(unknown.length === 0 ? 0 : 1);
