// Hashing is the only heavy work of the service: a few at once, a bounded line behind them, 503 beyond it.
import { fail } from '../faults.ts';

export class Slots {
  readonly #free: { count: number };
  readonly #line: (() => void)[] = [];
  readonly #longest: number;

  constructor(count: number, longest: number) {
    this.#free = { count };
    this.#longest = longest;
  }

  get waiting(): number {
    return this.#line.length;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free.count > 0) this.#free.count--;
    else {
      if (this.#line.length >= this.#longest) fail('server.busy', undefined, { headers: { 'Retry-After': '1' } });
      await new Promise<void>((resolve) => this.#line.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next) next();
      else this.#free.count++;
    }
  }
}
