// Whether the database accepts writes. A full disk or a standby refuses writes but answers reads. The readiness check reports that, and
// a probe finds out when writing works again.
import { isUnwritable } from './errors.ts';

/** A failure is reported at least this long, even if a small write succeeds in between. */
const HOLD_MS = 2_000;

export class Writability {
  readonly #probe: () => Promise<void>;
  #failed: { readonly error: unknown; readonly at: number } | undefined;

  /** The probe writes something that needs disk space, and removes it again. */
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

  /** Rejects while writes are known to fail. Does nothing as long as they succeed. */
  async check(): Promise<void> {
    if (!this.#failed) return;
    if (performance.now() - this.#failed.at < HOLD_MS) throw this.#failed.error;
    await this.watch(this.#probe());
    this.#failed = undefined;
  }
}
