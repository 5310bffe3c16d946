// `npm run bench:report`: us, Keystone, Keycloak and an empty route in one run, from a thousand to a million users, with plots. README.md has more.
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONNECTIONS, EMPTY, NAMES, type Name, OPERATIONS, type Operation, type Running, startAll } from './contenders.ts';
import { missing } from './keystone.ts';
import type { Sample } from './load.ts';
import { type Line, type Plot, svgOf } from './plot.ts';
import { watchOthers } from './processes.ts';
import { circumstances, writeReadme } from './report.ts';
import { median, type Pace } from './rounds.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sizes: { type: 'string', multiple: true },
    without: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true },
    /** The folder of a Keycloak. */
    keycloak: { type: 'string' },
    /** Also what --quick found. Without it, --quick leaves the page alone. */
    write: { type: 'boolean', default: false },
  },
});
const unknown = options.without.find((name) => !(NAMES as readonly string[]).includes(name));
if (unknown) throw new Error(`--without ${unknown}: it is none of ${NAMES.join('; ')}`);
const wanted = (Object.keys(OPERATIONS) as Operation[]).filter((one) => options.only?.includes(one) ?? true);
if (wanted.length < (options.only?.length ?? 0)) throw new Error(`--only: one of ${Object.keys(OPERATIONS).join('; ')}`);

const PLOTS = join(import.meta.dirname, 'plots');
const SIZES = (options.sizes ?? (options.quick ? ['1000', '10000'] : ['1000', '10000', '100000', '1000000'])).map(Number);
const PACE: Pace = options.quick ? { rounds: 2, seconds: 1 } : { rounds: 3, seconds: 3 };
/** Beside Keycloak, for everyone: virtual machines compile what they have seen often. Keycloak is three times as fast then, we twice. */
const WARM_UP_SECONDS = options.keycloak === undefined ? 1 : 10;
/** Keystone does some of these a few times a second only, or less: a round must have several. */
const THEIR_SECONDS = 4;

interface Cell {
  readonly users: number;
  readonly name: Name;
  readonly operation: Operation;
  readonly rate: number;
  readonly cpuMicros: number;
  /** By rate, in the same round. */
  readonly timesKeystone: number | undefined;
  readonly timesKeycloak: number | undefined;
  readonly ofEmpty: number;
}
interface State {
  readonly users: number;
  readonly name: Name;
  readonly memory: number;
  /** After the load. */
  readonly loaded?: number;
  readonly readyMs: number;
}

const number = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 });

/** Undefined if it does not answer: one contender that fails must not end the run of the others. */
async function sample(one: Running, operation: Operation, wanted: number): Promise<Sample | undefined> {
  const seconds = one.name === 'Keystone' ? Math.max(wanted, THEIR_SECONDS) : wanted;
  try {
    const result = await one.measure(operation, seconds);
    if (!result) return undefined;
    if (result.failed === 0 && result.rate > 0) return result;
    console.error(
      `  ${one.name}, ${operation}: ${result.rate === 0 ? `nothing was answered in ${seconds} s` : `${result.failed} requests failed`}`,
    );
  } catch (error) {
    console.error(`  ${one.name}, ${operation}: ${(error as Error).message}`);
  }
  return undefined;
}

async function measure(running: readonly Running[], operation: Operation, users: number): Promise<Cell[]> {
  const rounds: Map<Name, Sample>[] = [];
  // The first round warms up, and does not count.
  for (let round = 0; round <= PACE.rounds; round++) {
    const samples = new Map<Name, Sample>();
    for (const one of running) {
      const result = await sample(one, operation, round === 0 ? WARM_UP_SECONDS : PACE.seconds);
      if (result) samples.set(one.name, result);
    }
    if (round > 0) rounds.push(samples);
  }
  return running.flatMap(({ name }) => {
    const own = rounds.flatMap((samples) => samples.get(name) ?? []);
    if (own.length === 0) return [];
    const ratio = (other: Name): number | undefined => {
      const ratios = rounds.flatMap((samples) => {
        const [mine, theirs] = [samples.get(name), samples.get(other)];
        return mine && theirs ? [mine.rate / theirs.rate] : [];
      });
      return ratios.length === 0 ? undefined : median(ratios);
    };
    return [
      {
        ...{ users, name, operation },
        rate: median(own.map(({ rate }) => rate)),
        cpuMicros: median(own.map(({ cpuMicros }) => cpuMicros)),
        timesKeystone: name.startsWith('Gatehouse') ? ratio('Keystone') : undefined,
        timesKeycloak: name.startsWith('Gatehouse') ? ratio('Keycloak') : undefined,
        ofEmpty: ratio(EMPTY) ?? Number.NaN,
      },
    ];
  });
}

const markdown = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
};

function plotsOf(cells: readonly Cell[], states: readonly State[]): Readonly<Record<string, Plot>> {
  const lines = (points: (name: Name) => readonly (readonly [number, number])[]): Line[] =>
    NAMES.map((name) => ({ name, points: points(name) }));
  const x = 'users';
  return {
    ...Object.fromEntries(
      Object.entries(OPERATIONS).map(([operation, title]) => [
        operation,
        {
          ...{ title, x, y: 'processor time of one request, µs' },
          lines: lines((name) =>
            cells
              .filter((cell) => cell.name === name && cell.operation === operation)
              .map(({ users, cpuMicros }) => [users, Math.max(1, cpuMicros)]),
          ),
        },
      ]),
    ),
    memory: {
      ...{ title: 'Memory after the start', x, y: 'MB, with the database server' },
      lines: lines((name) => states.filter((state) => state.name === name).map(({ users, memory }) => [users, memory / 1e6])),
    },
    start: {
      ...{ title: 'From the start to the first answer', x, y: 'seconds' },
      lines: lines((name) => states.filter((state) => state.name === name).map(({ users, readyMs }) => [users, readyMs / 1000])),
    },
  };
}

function textOf(cells: readonly Cell[], states: readonly State[], head: string): string {
  const operations = Object.entries(OPERATIONS)
    .filter(([operation]) => wanted.includes(operation as Operation))
    .map(([operation, title]) => {
      const rows = cells
        .filter((cell) => cell.operation === operation)
        .map(({ users, name, rate, cpuMicros, timesKeystone, timesKeycloak, ofEmpty }) => [
          number(users),
          name,
          number(cpuMicros),
          number(rate),
          name === EMPTY ? '1' : ofEmpty.toPrecision(2),
          timesKeystone === undefined ? '' : number(timesKeystone),
          timesKeycloak === undefined ? '' : number(timesKeycloak),
        ]);
      const head = ['users', 'who', 'CPU µs each', 'per second', 'of the empty route', 'times Keystone', 'times Keycloak'];
      const table = markdown([head, ...rows]);
      return `### ${title}\n\n![${title}: processor time of one request against the number of users](plots/${operation}.svg)\n\n${table}`;
    });
  const rows = states.map(({ users, name, memory, loaded, readyMs }) => [
    number(users),
    name,
    number(memory / 1e6),
    loaded === undefined ? '' : number(loaded / 1e6),
    (readyMs / 1000).toFixed(2),
  ]);
  const resting = markdown([['users', 'who', 'MB', 'MB after the load', 'seconds to the first answer'], ...rows]);
  return [
    head,
    ...operations,
    `### Memory and start\n\n![Memory after the start](plots/memory.svg)\n![From the start to the first answer](plots/start.svg)\n\n${resting}`,
  ].join('\n\n');
}

const began = performance.now();
const others = watchOthers();
const cells: Cell[] = [];
const states: State[] = [];
const lacking = missing();
if (lacking) console.error(`Keystone is left out: ${lacking} is missing (Debian: apt install keystone uwsgi-plugin-python3)`);
for (const users of SIZES) {
  const running = await startAll(users, options.without as Name[], options.keycloak);
  const before: State[] = running.map(({ name, memory, readyMs }) => ({ users, name, memory, readyMs }));
  for (const operation of wanted) {
    console.error(`  ${OPERATIONS[operation]} ...`);
    cells.push(...(await measure(running, operation, users)));
  }
  states.push(...before.map((state, n) => ({ ...state, loaded: running[n]!.memoryNow() })));
  for (const one of running) await one.stop();
}

const minutes = Math.round((performance.now() - began) / 60_000);
const noise = `other work took ${Math.round(others() * 100)} % of the machine meanwhile`;
const text = textOf(
  cells,
  states,
  `${circumstances(options.quick ? 'quick' : '')}; ${CONNECTIONS} connections, ${minutes} minutes, ${noise}.`,
);
console.log(text);
const intoPage = options.write || !options.quick;
const folder = intoPage ? PLOTS : join(tmpdir(), 'gatehouse-plots');
mkdirSync(folder, { recursive: true });
for (const [name, plot] of Object.entries(plotsOf(cells, states)))
  if (plot.lines.some(({ points }) => points.length > 0)) writeFileSync(join(folder, `${name}.svg`), svgOf(plot));
console.error(`the plots are in ${folder}`);
if (intoPage) writeReadme(text, 'report');
process.exit(0);
