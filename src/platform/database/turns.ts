// So many at a time; the others wait in a line, no longer than they may.
import { DatabaseUnavailable } from './errors.ts';

export class Turns {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async enter(limitMs: number): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(enter), 1);
        reject(new DatabaseUnavailable('too many changes wait for the database'));
      }, limitMs);
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#line.push(enter);
    });
  }

  leave(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#free++;
  }
}
