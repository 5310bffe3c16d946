// One module from its start to its end: goes wherever it sends a person, until it says how it ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Suite, SuiteModule, SuitePlan, Visit } from './api.ts';
import type { Person } from './person.ts';
import type { ModuleResult } from './results.ts';

const POLL_MS = 500;
/** A module waits for its next step by itself, up to half a minute (a code that is used again later). */
const LONGEST_MS = 240_000;

/** Screenshots are asked for while the page is there, and looked at by a person afterwards. */
async function giveScreenshots(suite: Suite, id: string, screenshot: Buffer): Promise<void> {
  for (const placeholder of await suite.wantedScreenshots(id)) await suite.upload(id, placeholder, screenshot);
}

export interface Driver {
  readonly suite: Suite;
  readonly person: Pick<Person, 'visit' | 'renew'>;
  readonly longestMs?: number;
}

/** Opens each address once for each time that the suite asks. */
async function visitAll({ suite, person }: Driver, id: string, visits: readonly Visit[]): Promise<void> {
  for (const visit of visits) {
    await suite.visited(id, visit.url);
    await giveScreenshots(suite, id, await person.visit(visit));
  }
}

export async function driveModule(
  driver: Driver,
  plan: SuitePlan,
  module: SuiteModule,
): Promise<Pick<ModuleResult, 'result' | 'complaints'>> {
  const { suite, person, longestMs = LONGEST_MS } = driver;
  await person.renew();
  const id = await suite.createModule(plan, module);
  const end = Date.now() + longestMs;
  let isStarted = false;
  while (Date.now() < end) {
    const { status, result } = await suite.state(id);
    if (status === 'FINISHED') return { result: result ?? 'UNKNOWN', complaints: await suite.complaints(id) };
    if (status === 'INTERRUPTED') return { result: 'INTERRUPTED', complaints: await suite.complaints(id) };
    if (status === 'CONFIGURED' && !isStarted) {
      isStarted = true;
      await suite.start(id);
    }
    if (status === 'WAITING') await visitAll(driver, id, (await suite.asked(id)).visits);
    await sleep(POLL_MS);
  }
  const complaints = await suite.complaints(id);
  await suite.stop(id);
  return { result: 'INTERRUPTED', complaints: ['it did not end in time', ...complaints] };
}
