// Whether the database stores what is written. A full disk or a standby refuses writes and answers reads: readiness tells, and a probe
// finds out when there is room again.
import { isUnwritable } from './errors.ts';

/** So long it is taken as it was: whoever looks sees it, though a small write may succeed in between. */
const HOLD_MS = 2_000;

export class Writability {
  readonly #probe: () => Promise<void>;
  #failed: { readonly error: unknown; readonly at: number } | undefined;

  /** The probe writes something that needs room, and takes it away again. */
  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  async watch<T>(writing: Promise<T>): Promise<T> {
    try {
      const value = await writing;
      if (this.#failed && performance.now() - this.#failed.at > HOLD_MS) this.#failed = undefined;
      return value;
    } catch (error) {
      if (isUnwritable(error)) this.#failed = { error, at: performance.now() };
      throw error;
    }
  }

  /** Rejects while nothing can be stored, as far as is known. Costs nothing while all is well. */
  async check(): Promise<void> {
    if (!this.#failed) return;
    if (performance.now() - this.#failed.at < HOLD_MS) throw this.#failed.error;
    await this.watch(this.#probe());
    this.#failed = undefined;
  }
}
