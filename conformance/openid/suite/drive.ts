// One module from its start to its end: goes wherever it sends a person, until it says how it ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, Screenshots, Suite, SuiteModule, SuitePlan, Visit } from './api.ts';

const POLL_MS = 500;
/** A module waits for its next step by itself, up to two minutes (a pushed request that has to expire). */
const LONGEST_MS = 240_000;

/** Who does what the suite asks for. */
export interface Actor {
  /** Before each module: nobody remembers the one before. */
  renew(): Promise<void>;
  /** Goes there. A module may want to see what was there. */
  visit(visit: Visit, module: string): Promise<Screenshots>;
  /** Before a module is started that waits for something to be done at the service. */
  prepare?(module: string): Promise<void>;
  /** The suite waits for us to come to it, by the addresses that it shows. Once for each module. */
  begin?(module: string, exposed: Readonly<Record<string, string>>): Promise<Screenshots>;
  /** What the suite waits for otherwise, by the steps in its log that say so: each is answered as often as it is there. */
  readonly answers?: Readonly<Record<string, (exposed: Readonly<Record<string, string>>) => Promise<void>>>;
}

export interface Driver {
  readonly suite: Suite;
  readonly actor: Actor;
  readonly longestMs?: number;
  /** Keeps a screenshot for whoever looks at it. */
  keep?(module: string, screenshot: Buffer): void;
}

/** They are asked for while the page is there, also where no such page has to come: then none is given, and the module goes on. */
async function give({ suite, keep }: Driver, id: string, module: string, screenshots: Screenshots): Promise<void> {
  for (const { placeholder, page } of await suite.wantedScreenshots(id)) {
    const screenshot = screenshots[page];
    if (!screenshot) continue;
    keep?.(module, screenshot);
    await suite.upload(id, placeholder, screenshot);
  }
}

/** Opens each address once for each time that the suite asks. */
async function visitAll(driver: Driver, id: string, module: string, visits: readonly Visit[]): Promise<void> {
  for (const visit of visits) {
    await driver.suite.visited(id, visit.url);
    await give(driver, id, module, await driver.actor.visit(visit, module));
  }
}

/** The answers, in the order of the log. */
async function waitsFor({ suite, actor: { answers } }: Driver, id: string) {
  return answers === undefined ? [] : (await suite.log(id)).flatMap(({ src = '' }) => answers[src] ?? []);
}

export interface Ended {
  readonly result: Outcome;
  /** What the suite, or the driver, said. */
  readonly complaints: readonly string[];
  /** The driver could not go on. */
  readonly isOurs?: boolean;
}

async function ended(suite: Suite, id: string): Promise<Ended | undefined> {
  const { status, result } = await suite.state(id);
  if (status === 'FINISHED') return { result: result ?? 'UNKNOWN', complaints: await suite.complaints(id) };
  return status === 'INTERRUPTED' ? { result: 'INTERRUPTED', complaints: await suite.complaints(id) } : undefined;
}

async function steps(driver: Driver, id: string, module: string): Promise<Ended> {
  const { suite, actor, longestMs = LONGEST_MS } = driver;
  const end = Date.now() + longestMs;
  let [isStarted, hasBegun, answered] = [false, false, 0];
  while (Date.now() < end) {
    const { status } = await suite.state(id);
    if (status === 'FINISHED' || status === 'INTERRUPTED') return (await ended(suite, id))!;
    if (status === 'CONFIGURED' && !isStarted) {
      isStarted = true;
      await actor.prepare?.(module);
      await suite.start(id);
    }
    if (status === 'WAITING') {
      const { visits, exposed } = await suite.asked(id);
      await visitAll(driver, id, module, visits);
      if (visits.length === 0 && !hasBegun && actor.begin) {
        hasBegun = true;
        await give(driver, id, module, await actor.begin(module, exposed));
      }
      const next = (await waitsFor(driver, id))[answered];
      if (next) {
        answered++;
        await next(exposed);
      }
    }
    await sleep(POLL_MS);
  }
  const complaints = await suite.complaints(id);
  await suite.stop(id);
  return { result: 'INTERRUPTED', complaints: ['it did not end in time', ...complaints], isOurs: true };
}

export async function driveModule(driver: Driver, plan: SuitePlan, module: SuiteModule): Promise<Ended> {
  const { suite, actor } = driver;
  await actor.renew();
  const id = await suite.createModule(plan, module);
  try {
    return await steps(driver, id, module.testModule);
  } catch (error) {
    // What the suite says counts, if it has ended.
    const over = await ended(suite, id).catch(() => undefined);
    if (over) return over;
    const complaints = await suite.complaints(id).catch(() => []);
    await suite.stop(id).catch(() => undefined);
    const why = `the driver: ${(error as Error).message.split('\n')[0]}`;
    return { result: 'INTERRUPTED', complaints: [why, ...complaints], isOurs: true };
  }
}
