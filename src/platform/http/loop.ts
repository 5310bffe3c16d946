// Whether the event loop is stuck. That it answers at all says it turns; what can be seen from inside is how long its turns take.

const TICK_MS = 500;
/** Longer than any client waits for an answer. */
const STUCK_MS = 30_000;
/** One long turn may be a paused machine or a single hard piece of work, and is over when it can be told. */
const TURNS = 2;

/** Stuck: turn after turn takes longer than anyone waits. A service that is merely busy, or was paused, is not. */
export class LoopWatch {
  #last: number;
  #slowTurns = 0;

  constructor(now: number) {
    this.#last = now;
  }

  /** Called by a timer that is due every half second. */
  tick(now: number): void {
    const late = now - this.#last - TICK_MS;
    this.#last = now;
    this.#slowTurns = late > STUCK_MS ? this.#slowTurns + 1 : 0;
  }

  get isStuck(): boolean {
    return this.#slowTurns >= TURNS;
  }
}

export function watchLoop(): LoopWatch {
  const watch = new LoopWatch(performance.now());
  setInterval(() => watch.tick(performance.now()), TICK_MS).unref();
  return watch;
}
