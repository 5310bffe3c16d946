// Whether the database can be reached. Once it is known that it cannot, nobody waits for it any more: questions fail at once, and one
// probe after the other finds out when it is back.
import { DatabaseUnavailable } from './errors.ts';

const PROBE_MS = 500;

export class Reachability {
  readonly #probe: () => Promise<void>;
  #away = false;
  #probing = false;
  #stopped = false;

  /** The probe is one short question on the way everybody's questions go. */
  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  get isUnreachable(): boolean {
    return this.#away;
  }

  throwIfUnreachable(): void {
    if (this.#away) throw new DatabaseUnavailable('the database does not answer');
  }

  /** Something answered. */
  markReachable(): void {
    this.#away = false;
  }

  /** There is reason to doubt: asks, and goes on asking until there is an answer. */
  startProbing(): void {
    if (this.#probing || this.#stopped) return;
    this.#probing = true;
    void this.#ask();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #ask(): Promise<void> {
    for (;;) {
      try {
        await this.#probe();
        break;
      } catch {
        this.#away = true;
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS).unref());
      if (this.#stopped) return;
    }
    this.#away = false;
    this.#probing = false;
  }
}
