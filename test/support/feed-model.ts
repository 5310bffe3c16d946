// A model of the feed of changes, small enough that everything which can happen is tried in every order: transactions that commit in another
// order than they began, lost connections, answers and reads that arrive late, a process that does nothing for a while, a server that crashes, a
// standby that takes over and lacks what was acknowledged, rows that are deleted, a clock that is set back. What a process makes of an answer
// is not modelled: it is the code of the service (change-reading.ts).
import {
  type ChangeRow,
  hear,
  type Knowledge,
  NOTHING_KNOWN,
  questionOf,
  type Reading,
  type Snapshot,
} from '../../src/platform/database/change-reading.ts';

/** So long an old answer may still be given from memory, in steps of the clock. */
const LIMIT = 1;

/** What the model can leave out. Each is needed: without it there is an order of events that ends in an old answer from memory. */
export const GUARDS = [
  'reads what was running at the last reading',
  'forgets everything on a session that it does not know',
  'forgets everything after rows were deleted that it has not read',
  'forgets everything after a lost connection',
  'takes the time of the question, not of the answer',
  'believes a reading for a limited time only',
  'measures with a clock that only goes forward',
  'does not believe a standby',
  'does not keep what was read before a change',
] as const;
export type Guard = (typeof GUARDS)[number];

/** How often each may happen. Without a number: never. */
export interface Bounds {
  readonly steps: number;
  readonly writers: number;
  readonly cuts?: number;
  readonly rollbacks?: number;
  readonly crashes?: number;
  readonly failovers?: number;
  readonly deletions?: number;
  readonly clockSteps?: number;
  /** Whether a standby answers, too, with what it had at some time. */
  readonly standby?: boolean;
}

interface Row extends ChangeRow {
  readonly xid: number;
}

/** What a server has. The value is the number of the last change. */
interface Store {
  readonly value: number;
  readonly rows: readonly Row[];
  readonly next: number;
  readonly running: readonly number[];
}

interface World {
  readonly now: number;
  /** What the wall clock shows beside the time that passed. */
  readonly wall: number;
  /** Changes so far. They have numbers, so that a lost one is never mistaken for another. */
  readonly changes: number;
  readonly server: number;
  readonly crashes: number;
  readonly store: Store;
  readonly standby: Store;
  /** Values that were replaced by a change, or lost by a takeover, and when. */
  readonly ended: readonly (readonly [value: number, at: number])[];
  readonly knowledge: Knowledge;
  /** An answer on its way. */
  readonly answer: { readonly reading: Reading; readonly askedAt: number } | undefined;
  /** A read of the value that is not stored yet, and whether a change was dropped meanwhile. */
  readonly load: { readonly value: number; readonly isOutdated: boolean } | undefined;
  readonly memory: number | undefined;
  readonly left: Readonly<
    Record<'writers' | 'rollbacks' | 'cuts' | 'failovers' | 'crashes' | 'deletions' | 'clockSteps', number>
  >;
}

type Step = readonly [name: string, after: World];

interface Event {
  readonly world: World;
  readonly name: string;
  readonly before: Event | undefined;
}

const pathTo = ({ name, before }: Event): string[] => (before ? [...pathTo(before), name] : []);

const EMPTY: Store = { value: 0, rows: [], next: 10, running: [] };

const begin = ({ steps: _, standby: __, ...bounds }: Bounds): World => ({
  now: 0,
  wall: 0,
  changes: 0,
  server: 1,
  crashes: 0,
  store: EMPTY,
  standby: EMPTY,
  ended: [],
  knowledge: NOTHING_KNOWN,
  answer: undefined,
  load: undefined,
  memory: undefined,
  left: { rollbacks: 0, cuts: 0, crashes: 0, failovers: 0, deletions: 0, clockSteps: 0, ...bounds },
});

const snapshotOf = ({ next, running }: Store): Snapshot => ({ oldest: Math.min(next, ...running), next, running });

const TAG = 'the value';

export class FeedModel {
  readonly #bounds: Bounds;
  readonly #without: Guard | undefined;

  constructor(bounds: Bounds, without?: Guard) {
    this.#bounds = bounds;
    this.#without = without;
  }

  /** Tries everything. Returns how many states there are, and the events that end in an old answer, if any do. */
  explore(): { states: number; stale: readonly string[] | undefined } {
    const seen = new Set<string>();
    const open: Event[] = [{ world: begin(this.#bounds), name: '', before: undefined }];
    for (let event = open.pop(); event; event = open.pop()) {
      if (this.#answersOld(event.world)) return { states: seen.size, stale: pathTo(event) };
      for (const [name, world] of this.#steps(event.world)) {
        const key = JSON.stringify(world);
        if (seen.has(key)) continue;
        seen.add(key);
        open.push({ world, name, before: event });
      }
    }
    return { states: seen.size, stale: undefined };
  }

  #has(guard: Guard): boolean {
    return this.#without !== guard;
  }

  #clockOf(world: World): number {
    return this.#has('measures with a clock that only goes forward') ? world.now : world.now + world.wall;
  }

  #isLive(world: World): boolean {
    const { provenAt } = world.knowledge;
    if (!this.#has('believes a reading for a limited time only')) return provenAt !== Number.NEGATIVE_INFINITY;
    return this.#clockOf(world) - provenAt < LIMIT;
  }

  /** A process may be asked at any time. */
  #answersOld(world: World): boolean {
    if (world.memory === undefined || !this.#isLive(world)) return false;
    const { memory, ended, now, store } = world;
    return memory !== store.value && ended.some(([value, at]) => value === memory && at + LIMIT <= now);
  }

  *#steps(world: World): Generator<Step> {
    if (world.now < this.#bounds.steps) yield ['time passes', { ...world, now: world.now + 1 }];
    yield* this.#writing(world);
    yield* this.#reading(world);
    yield* this.#trouble(world);
  }

  *#writing(world: World): Generator<Step> {
    const { store, left, now } = world;
    if (left.writers > 0)
      yield [
        `${store.next} begins`,
        {
          ...world,
          left: { ...left, writers: left.writers - 1 },
          store: { ...store, next: store.next + 1, running: [...store.running, store.next] },
        },
      ];
    for (const xid of store.running) {
      const running = store.running.filter((one) => one !== xid);
      if (left.rollbacks > 0)
        yield [
          `${xid} is taken back`,
          { ...world, left: { ...left, rollbacks: left.rollbacks - 1 }, store: { ...store, running } },
        ];
      const changes = world.changes + 1;
      const rows = [...store.rows, { xid, tags: [TAG], deletedBelow: null }];
      const ended = [...world.ended, [store.value, now] as const];
      yield [`${xid} is committed`, { ...world, changes, ended, store: { ...store, value: changes, rows, running } }];
    }
    if (left.deletions > 0) {
      const deletedBelow = snapshotOf(store).oldest;
      const row = { xid: store.next, tags: [], deletedBelow };
      const rows = [...store.rows.filter((one) => one.xid >= deletedBelow), row];
      yield [
        'old rows are deleted',
        { ...world, left: { ...left, deletions: left.deletions - 1 }, store: { ...store, rows, next: store.next + 1 } },
      ];
    }
  }

  #read(world: World, store: Store, isStandby: boolean): Reading {
    const { from, running } = questionOf(world.knowledge);
    const isRunning = (xid: number) => this.#has('reads what was running at the last reading') && running.includes(xid);
    const rows = store.rows.filter(({ xid }) => xid >= from || isRunning(xid));
    const knowsSessions = this.#has('forgets everything on a session that it does not know');
    return {
      // Behind a pooler that finds the server which takes writes.
      server: knowsSessions ? `${world.server}` : 'the server',
      session: knowsSessions ? `${world.server} ${world.crashes}` : 'any',
      isComplete: !isStandby || !this.#has('does not believe a standby'),
      snapshot: snapshotOf(store),
      rows: this.#has('forgets everything after rows were deleted that it has not read')
        ? rows
        : rows.map((row) => ({ ...row, deletedBelow: null })),
    };
  }

  *#reading(world: World): Generator<Step> {
    const { answer, load, memory } = world;
    if (!answer) {
      const askedAt = this.#clockOf(world);
      yield ['it asks', { ...world, answer: { reading: this.#read(world, world.store, false), askedAt } }];
      if (this.#bounds.standby)
        yield ['it asks a standby', { ...world, answer: { reading: this.#read(world, world.standby, true), askedAt } }];
    } else {
      const askedAt = this.#has('takes the time of the question, not of the answer') ? answer.askedAt : this.#clockOf(world);
      const { after, changed } = hear(world.knowledge, answer.reading, askedAt);
      const isFirst = changed === undefined && world.knowledge.seen === undefined;
      const drops =
        isFirst && !this.#has('forgets everything after a lost connection') ? false : !changed || changed.includes(TAG);
      yield [
        'the answer arrives',
        {
          ...world,
          answer: undefined,
          knowledge: after,
          memory: drops ? undefined : memory,
          load: load && { ...load, isOutdated: load.isOutdated || drops },
        },
      ];
    }
    if (!load && memory === undefined)
      yield ['the value is read', { ...world, load: { value: world.store.value, isOutdated: false } }];
    if (load) {
      const keeps = this.#isLive(world) && !(load.isOutdated && this.#has('does not keep what was read before a change'));
      yield ['the value arrives', { ...world, load: undefined, memory: keeps ? load.value : memory }];
    }
  }

  *#trouble(world: World): Generator<Step> {
    const { left, store, now } = world;
    const once = (what: keyof World['left']) => ({ left: { ...left, [what]: left[what] - 1 } });
    if (left.cuts > 0)
      yield ['the connection is lost', { ...world, ...once('cuts'), answer: undefined, knowledge: NOTHING_KNOWN }];
    // A pooler hides these: the process still has its connection. Numbers of transactions that left nothing on the disk are used again.
    const restarted = ({ value, rows }: Store): Store => ({
      value,
      rows,
      running: [],
      next: Math.max(9, ...rows.map(({ xid }) => xid)) + 1,
    });
    if (left.crashes > 0)
      yield [
        'the server crashes and is there again',
        { ...world, ...once('crashes'), crashes: world.crashes + 1, store: restarted(store) },
      ];
    if (left.failovers > 0) {
      const taken = restarted(world.standby);
      const others = world.ended.filter(([value]) => value !== taken.value);
      const ended = taken.value === store.value ? others : [...others, [store.value, now] as const];
      yield ['a standby takes over', { ...world, ...once('failovers'), server: world.server + 1, store: taken, ended }];
    }
    if ((this.#bounds.standby || left.failovers > 0) && world.standby !== store)
      yield ['the standby has everything', { ...world, standby: store }];
    if (left.clockSteps > 0) yield ['the wall clock is set back', { ...world, ...once('clockSteps'), wall: world.wall - LIMIT }];
  }
}
