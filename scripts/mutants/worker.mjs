// One process that tries many mutants, one after the other: what a test file imports is loaded once. Loaded before everything else, also
// in the processes and threads that tests start; those take their mutant from the environment.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

const reached = new Set();
let loaded = new Set();
let chosen = Number(process.env.MUTANT ?? 0);
globalThis.__mutant = (id) => {
  reached.add(id);
  return id === chosen;
};
/** What is reached while files are loaded is not reached again in a process that has them. */
globalThis.__mutantsLoaded = () => {
  loaded = new Set(reached);
};
const path = process.env.MUTANTS_REACHED;
const line = (id) => `${id}${loaded.has(id) ? ' loading' : ''}\n`;
if (path) process.on('exit', () => appendFileSync(path, [...reached].map(line).join('')));

/** The first test that failed. The tests after it say nothing new. */
let failed;

const isDone = (event, name) => event.data.name === name && (event.type === 'test:pass' || event.type === 'test:fail');

/** The worker's own reporter: hears of failures while tests run. */
function createListener() {
  let finished = () => {};
  return {
    untilDone: (name) =>
      new Promise((resolve) => {
        finished = (event) => isDone(event, name) && resolve(event.type === 'test:pass');
      }),
    hear(event) {
      const { name, details } = event.data;
      if (event.type === 'test:fail' && details?.error?.failureType !== 'subtestsFailed') failed ??= name;
      finished(event);
    },
  };
}

/** Tests and hooks that begin after a failure do nothing, except those that clean up. */
function skippable(define) {
  const defineSkippable = (...words) => {
    const name = typeof words[0] === 'string' ? words[0] : define.name;
    const wrapped = (work) =>
      async function (...args) {
        if (failed) return;
        try {
          await work.apply(this, args.slice(0, 1));
        } catch (error) {
          failed ??= name;
          throw error;
        }
      };
    return define(...words.map((one) => (typeof one === 'function' ? wrapped(one) : one)));
  };
  return Object.assign(defineSkippable, define);
}

async function serve() {
  const real = await import('node:test');
  const listener = createListener();
  globalThis.__mutantEvents = listener.hear;
  const own = {
    ...real,
    it: skippable(real.it),
    test: skippable(real.test),
    before: skippable(real.before),
    beforeEach: skippable(real.beforeEach),
  };
  globalThis.__ownTest = own;
  const names = Object.keys(own).filter((name) => name !== 'default');
  const source = `const own = globalThis.__ownTest;\n${names.map((name) => `export const ${name} = own.${name};`).join('\n')}\nexport default own.test;\n`;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  registerHooks({
    resolve: (specifier, context, next) => (specifier === 'node:test' ? { url, shortCircuit: true } : next(specifier, context)),
  });
  const jobs = [];
  let wake = () => {};
  process.on('message', (job) => {
    jobs.push(job);
    wake();
  });
  process.send('ready');
  real.test('mutants', { timeout: 2 ** 31 - 1 }, async (t) => {
    for (;;) {
      while (jobs.length === 0)
        await new Promise((resolve) => {
          wake = resolve;
        });
      const { id, file, round } = jobs.shift();
      chosen = id;
      process.env.MUTANT = String(id);
      failed = undefined;
      const name = `round ${round}`;
      const done = listener.untilDone(name);
      await t.test(name, () => import(`${file}?round=${round}`));
      const passed = await done;
      await turn();
      chosen = 0;
      const failure = failed ?? (passed ? undefined : 'a file that did not load');
      process.send({ round, failure, isTest: failed !== undefined });
    }
  });
}

if (process.env.MUTANTS_WORKER && isMainThread && process.send) {
  delete process.env.MUTANTS_WORKER;
  await serve();
}
