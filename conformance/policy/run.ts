// Compares our rules, with the scope enforced, with the default policy of Keystone, and writes RESULTS.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Action, isAllowed } from '../../src/identity/access/rules/index.ts';
import { OWN, PERSONAS, type Persona, type Place, personaOf, ROLES, TARGETS } from '../../test/support/scope-personas.ts';
import { needCommand, stop } from '../support/debian.ts';
import { whenAndWhat } from '../support/results.ts';
import { DIFFERENCES, OTHER_NAMES, UNUSED } from './differences.ts';

/** The last one before the policy in which the role admin of any project is for everything. */
const KEYSTONE = '22.0.2';
const EVALUATE = fileURLToPath(new URL('./evaluate.py', import.meta.url));
const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url));

type Answers = Readonly<Record<string, Readonly<Record<Place, readonly Persona[]>>>>;

/** The token of a persona, as Keystone's rules see it. */
function credentialsOf(persona: Persona): object {
  const [role, scope] = persona.split('@') as [keyof typeof ROLES, string];
  const { project } = personaOf(persona).authContext;
  return {
    user_id: 'me',
    roles: ROLES[role],
    ...(scope === 'system' ? { system_scope: 'all' } : {}),
    ...(scope === 'domain' ? { domain_id: OWN.id, token: { domain: { id: OWN.id } } } : {}),
    ...(project ? { project_id: project.id, token: { project: { domain: { id: project.domain.id } } } } : {}),
  };
}

/** What Keystone's rules know of such a target, whatever its kind. */
function targetOf({ userId, domainId, projectId }: (typeof TARGETS)[Place]): object {
  const users = ['user_id', 'trust.trustor_user_id', 'target.user.id', 'target.credential.user_id', 'target.token.user_id'];
  const trusts = ['target.trust.trustor_user_id', 'target.trust.trustee_user_id'];
  const domains = [
    'target.domain_id',
    'target.user.domain_id',
    'target.group.domain_id',
    'target.project.domain_id',
    'target.domain.id',
  ];
  return {
    ...Object.fromEntries([...users, ...trusts].map((name) => [name, userId])),
    ...Object.fromEntries(domains.map((name) => [name, domainId])),
    'target.project.id': projectId,
    'target.role.domain_id': null,
    'target.limit.domain.id': null,
    'target.limit.project.domain_id': domainId,
    'target.limit.project_id': projectId,
  };
}

function run(command: string, args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8', maxBuffer: 100_000_000 });
  if (status !== 0) stop(`failed: ${command} ${args.join(' ')}\n${stderr}`);
  return stdout;
}

function askKeystone(): Answers {
  needCommand('python3', 'python3-venv');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-policy-'));
  try {
    console.log(`installing Keystone ${KEYSTONE} from PyPI`);
    run('python3', ['-m', 'venv', folder]);
    const python = join(folder, 'bin', 'python');
    // Its rules need these two libraries only.
    for (const packages of [
      ['--no-deps', `keystone==${KEYSTONE}`],
      ['oslo.policy==4.0.0', 'oslo.log'],
    ])
      run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
    const personas = Object.fromEntries(PERSONAS.map((persona) => [persona, credentialsOf(persona)]));
    const targets = Object.fromEntries(Object.entries(TARGETS).map(([place, facts]) => [place, targetOf(facts)]));
    return JSON.parse(run(python, [EVALUATE], JSON.stringify({ personas, targets })));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const theirs = askKeystone();
const rows: string[] = [];
const faults: string[] = [];
let same = 0;
for (const [rule, places] of Object.entries(theirs)) {
  if (UNUSED.includes(rule)) continue;
  const ours = (OTHER_NAMES[rule] ?? rule) as Action;
  for (const [place, expected] of Object.entries(places) as [Place, readonly Persona[]][]) {
    const passed = PERSONAS.filter((persona) => isAllowed(personaOf(persona), ours, TARGETS[place]));
    if (passed.join() === expected.join()) {
      same++;
      continue;
    }
    const difference = DIFFERENCES.find((one) => one.rule.test(rule) && (one.place ?? place) === place);
    const row = `${rule} | ${place} | ${expected.join(', ')} | ${passed.join(', ')}`;
    if (difference) rows.push(`| ${row} | ${difference.why} |`);
    else faults.push(row);
  }
}
const rules = Object.keys(theirs).length - UNUSED.length;
const summary = `${rules} rules, ${same + rows.length + faults.length} questions: ${same} the same, ${rows.length} different for a reason, ${faults.length} WRONG`;
writeFileSync(
  RESULTS,
  `# Rules with the scope enforced: results

Written by \`conformance/policy/run.ts\`, with the default policy of Keystone ${KEYSTONE}. ${whenAndWhat()}

${summary}.

| Rule | Target | Keystone | Gatehouse | Why |
|---|---|---|---|---|
${rows.join('\n')}
`,
);
for (const fault of faults) console.log(`WRONG ${fault}`);
console.log(summary);
process.exit(faults.length > 0 ? 1 : 0);
