// Whether the database can be reached. While it cannot, queries fail immediately instead of waiting, and a repeated probe finds out when
// it is back.
import { DatabaseUnavailable } from './errors.ts';

const PROBE_MS = 500;

export class Reachability {
  readonly #probe: () => Promise<void>;
  #unreachable = false;
  #probing = false;
  #stopped = false;

  /** The probe is one short query over the same pool that all queries use. */
  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  get isUnreachable(): boolean {
    return this.#unreachable;
  }

  throwIfUnreachable(): void {
    if (this.#unreachable) throw new DatabaseUnavailable('the database does not answer');
  }

  /** The database answered. */
  markReachable(): void {
    this.#unreachable = false;
  }

  /** Something failed. Probes the database until it answers. */
  startProbing(): void {
    if (this.#probing || this.#stopped) return;
    this.#probing = true;
    void this.#probeUntilReachable();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #probeUntilReachable(): Promise<void> {
    for (;;) {
      try {
        await this.#probe();
        break;
      } catch {
        this.#unreachable = true;
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS).unref());
      if (this.#stopped) return;
    }
    this.#unreachable = false;
    this.#probing = false;
  }
}
