// Requests that go on while something else happens. Every failure is kept, and none is tried again.
import { setImmediate } from 'node:timers/promises';

export class Load {
  readonly failures: string[] = [];
  readonly done = new Map<string, number>();
  #isStopped = false;
  readonly #loops: Promise<void>[] = [];

  /** Repeats the work, one after the other, until the load is stopped. */
  add(name: string, work: (round: number) => Promise<void>): void {
    this.done.set(name, 0);
    const loop = async (): Promise<void> => {
      for (let round = 0; !this.#isStopped; round++) {
        try {
          await work(round);
          this.done.set(name, round + 1);
        } catch (error) {
          this.failures.push(`${name}: ${(error as Error).message} ${String((error as Error).cause ?? '')}`);
        }
        await setImmediate();
      }
    };
    this.#loops.push(loop());
  }

  /** Waits until each has done so many more rounds, or something failed. */
  async more(rounds: number): Promise<void> {
    const begun = new Map(this.done);
    const isDone = (): boolean => [...this.done].every(([name, count]) => count >= begun.get(name)! + rounds);
    while (!isDone() && this.failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }
}
