// The OpenID Foundation's conformance suite against a fresh service: SUITE_URL is where it runs. README.md has what it needs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { certify } from '../../test/support/certificates.ts';
import { needCommand } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { startService } from '../support/service.ts';
import { Suite } from './suite/api.ts';
import { driveModule } from './suite/drive.ts';
import { Person } from './suite/person.ts';
import { LEFT, PLANS, type PlanRun } from './suite/plans.ts';
import { Registrations } from './suite/registrations.ts';
import { isGood, type ModuleResult, resultsPage } from './suite/results.ts';

const { databaseUrl, keep, only, operands } = options('SUITE_URL');
const HERE = fileURLToPath(new URL('.', import.meta.url));
needCommand('chromium-headless-shell', 'chromium-headless-shell');
// Both sides have certificates that were made for the run.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

const suite = new Suite(operands[0]!, process.env.SUITE_TOKEN);
const results: ModuleResult[] = [];

async function runPlan(run: PlanRun, person: Person, setting: { service: string; registrations: Registrations }): Promise<void> {
  const { plan, variant } = run;
  try {
    const made = await suite.createPlan(plan, variant, await run.config(setting));
    for (const module of made.modules) {
      const about = { plan, variant: { ...variant, ...module.variant }, module: module.testModule };
      const ended = await driveModule({ suite, person }, made, module).catch((error: unknown) => ({
        result: 'INTERRUPTED' as const,
        complaints: [`the driver: ${(error as Error).message}`],
      }));
      results.push({ ...about, ...ended });
      console.log(`${ended.result.padEnd(11)} ${module.testModule}`);
    }
  } catch (error) {
    results.push({ plan, variant, module: '(the plan)', result: 'NOT STARTED', complaints: [(error as Error).message] });
    console.log(`NOT STARTED ${plan}: ${(error as Error).message}`);
  }
}

const { certificate, key } = certify({ name: 'CN=localhost', dns: ['localhost'] });
const service = await startService({
  databaseUrl,
  keep,
  tls: { cert: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() },
  // The suite has an internal address, which outgoing calls avoid otherwise.
  settings: { GATEHOUSE_OUTBOUND_ALLOW: new URL(suite.url).host },
});
try {
  const registrations = await Registrations.open(service, suite.url);
  const person = await Person.start(service.url, await registrations.person());
  try {
    const chosen = PLANS.filter(({ plan }) => only.length === 0 || only.some((name) => plan.includes(name)));
    for (const run of chosen) await runPlan(run, person, { service: service.url, registrations });
  } finally {
    await person.stop();
  }
  const page = resultsPage(new URL(suite.url).host === 'localhost' ? 'on this machine' : new URL(suite.url).host, results, LEFT);
  if (only.length === 0) writeFileSync(join(HERE, 'RESULTS.md'), page);
  else console.log(page);
} finally {
  await service.stop();
}
process.exit(results.every(isGood) ? 0 : 1);
