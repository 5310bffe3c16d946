// Detects a stuck event loop by measuring how long its turns take.

const TICK_MS = 500;
/** Longer than any client would wait for an answer. */
const STUCK_MS = 30_000;
/** A single long turn may be a paused machine or one expensive piece of work, and is already over when it is noticed. */
const TURNS = 2;

/** Stuck means that several turns in a row take longer than clients wait. A service that is only busy, or was paused, is not stuck. */
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
