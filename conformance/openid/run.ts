// The OpenID Foundation's conformance suite against a fresh service: SUITE_URL is where it runs. README.md has what it needs.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needCommand } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { Suite } from './suite/api.ts';
import { driveModule, type Ended } from './suite/drive.ts';
import type { PlanRun } from './suite/plan.ts';
import { LEFT, PLANS } from './suite/plans.ts';
import { isGood, type ModuleResult, type PlanResult, resultsPage, titlesOf } from './suite/results.ts';
import { KINDS, startWorld, type World } from './suite/services.ts';

const { databaseUrl, keep, only, operands } = options('SUITE_URL');
const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));
needCommand('chromium-headless-shell', 'chromium-headless-shell');
// Both sides have certificates that were made for the run.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

const suite = new Suite(operands[0]!, process.env.SUITE_TOKEN);
const results: PlanResult[] = [];

/** Written after each plan: a run takes long, and what it found is not lost when it is interrupted. */
function write(): void {
  const before = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
  writeFileSync(RESULTS, resultsPage(before, results, titlesOf(PLANS), LEFT));
}

const NOT_APPLICABLE: Ended = { result: 'NOT APPLICABLE', complaints: [] };

async function runPlan(
  { plan, variant, actor: role = 'provider', isMadeAnew = false, notApplicable = [], config }: PlanRun,
  world: World,
): Promise<void> {
  const actor = world.actors[role];
  const modules: ModuleResult[] = [];
  const shots = join(world.folder, 'screenshots');
  mkdirSync(shots, { recursive: true });
  const own = Object.values(variant).join('-');
  const keepShot = (module: string, png: Buffer) => writeFileSync(join(shots, `${plan}-${own}-${module}.png`), png);
  try {
    const make = async () => suite.createPlan(plan, variant, await config(world));
    const made = await make();
    console.log(`\n${plan} ${JSON.stringify(variant)}`);
    for (const module of made.modules) {
      const drive = async (): Promise<Ended> =>
        driveModule({ suite, actor, keep: keepShot }, isMadeAnew ? await make() : made, module);
      const first = notApplicable.includes(module.testModule) ? NOT_APPLICABLE : await drive();
      // A busy machine: what stopped here, and not in the suite, is begun once more.
      const ended = first.isOurs ? await drive() : first;
      const { result, complaints } = ended;
      const one = { module: module.testModule, variant: module.variant ?? {}, result, complaints };
      const unexplained = isGood(plan, one) ? [] : complaints;
      modules.push(one);
      console.log([one.result.padEnd(11), one.module, ...unexplained].join('\n  ').replace('\n  ', ' '));
    }
  } catch (error) {
    modules.push({ module: '(the plan)', variant: {}, result: 'NOT STARTED', complaints: [(error as Error).message] });
    console.log(`NOT STARTED ${plan}: ${(error as Error).message}`);
  }
  results.push({ plan, variant, modules });
  write();
}

const isChosen = ({ plan, variant }: PlanRun): boolean =>
  only.length === 0 ||
  only.some((words) =>
    words
      .split('+')
      .every(
        (word) =>
          plan.includes(word) || Object.entries(variant).some(([name, value]) => [value, `${name}=${value}`].includes(word)),
      ),
  );

for (const kind of KINDS) {
  const chosen = PLANS.filter((run) => run.service === kind && isChosen(run));
  if (chosen.length === 0) continue;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-suite-'));
  const world = await startWorld(kind, suite.url, folder, { databaseUrl, keep });
  try {
    for (const run of chosen) await runPlan(run, world);
  } finally {
    await world.stop();
    rmSync(folder, { recursive: true });
  }
}
process.exit(results.every(({ plan, modules }) => modules.every((one) => isGood(plan, one))) ? 0 : 1);
