// `npm run bench`. README.md explains the output.
import { parseArgs } from 'node:util';
import { applications } from './applications.ts';
import { besideKeystone } from './beside-keystone.ts';
import { credentials } from './credentials.ts';
import { foreignTokens } from './foreign-tokens.ts';
import { credentialIssuing } from './issuing.ts';
import { generator } from './load.ts';
import { memory, memoryAfterLoad } from './memory.ts';
import { openid } from './openid.ts';
import { watchOthers } from './processes.ts';
import { proxy } from './proxy.ts';
import { circumstances, type Figure, table, writeReadme } from './report.ts';
import * as scenarios from './scenarios.ts';
import { scim } from './scim.ts';
import { screens } from './screens.ts';
import { search } from './search.ts';
import { BenchServices } from './services.ts';
import { standbys } from './standbys.ts';
import { wallet } from './wallet.ts';
import { writes } from './writes.ts';

/** In this order: scenarios that write, and the one that stops the services, come last. */
const ALL: Readonly<Record<string, scenarios.Scenario>> = {
  memory,
  'memory-after-load': memoryAfterLoad,
  validation: scenarios.validation,
  'foreign-tokens': foreignTokens,
  issue: scenarios.issue,
  user: scenarios.userById,
  list: scenarios.userList,
  search,
  screens,
  create: scenarios.userCreate,
  writes,
  applications,
  proxy,
  openid,
  scim,
  standbys,
  wallet,
  credentials,
  issuing: credentialIssuing,
  keystone: besideKeystone,
  ready: scenarios.ready,
};

const USAGE = `npm run bench -- [--quick] [--write] [--keep FOLDER] [--only ${Object.keys(ALL).join('|')}]...`;

function options() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        keep: { type: 'string' },
        only: { type: 'string', multiple: true, default: Object.keys(ALL) },
      },
    });
    const unknown = values.only.find((name) => !(name in ALL));
    if (unknown) throw new Error(`there is no scenario ${unknown}`);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

const { quick, write, keep, only } = options();
const pace = quick ? { rounds: 3, seconds: 1, idleSeconds: 130 } : { rounds: 12, seconds: 2 };
const services = new BenchServices({ few: 1000, many: quick ? 10_000 : 1_000_000, revocations: 100_000 }, keep);
const figures: Figure[] = [];
const others = watchOthers();

if (generator === 'autocannon') console.error('wrk is not installed: autocannon may be slower than what it measures');
for (const name of Object.keys(ALL).filter((each) => only.includes(each))) {
  console.error(`${name} ...`);
  figures.push(...(await ALL[name]!(services, pace)));
}
await services.endAll();

const noise = `other work took ${Math.round(others() * 100)} % of the machine meanwhile`;
const report = `${circumstances(quick ? 'quick' : '')}; ${noise}.\n\n${table(figures)}`;
console.log(report);
if (write) writeReadme(report);
process.exit(0);
