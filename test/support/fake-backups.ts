// Backups for tests in which no other process makes any.
import type { AskedBackup, DataBackups, KeptBackup } from '../../src/identity/ground/module-options.ts';

export class FakeBackups implements DataBackups {
  readonly isScheduled: boolean;
  begun = 0;
  #isRunning = false;
  #asked: AskedBackup | undefined;
  readonly #kept: KeptBackup[] = [];

  constructor({ isScheduled = true }: { readonly isScheduled?: boolean } = {}) {
    this.isScheduled = isScheduled;
  }

  readonly begin = (): boolean => {
    if (this.#isRunning) return false;
    this.begun++;
    this.#isRunning = true;
    this.#asked = { startedAt: Date.now(), outcome: 'running' };
    return true;
  };

  beginScheduled(): void {
    this.#isRunning = true;
  }

  /** With a reason: it failed. */
  end(reason?: string): void {
    this.#isRunning = false;
    const isAsked = this.#asked?.outcome === 'running';
    if (isAsked) this.#asked = { ...this.#asked!, outcome: reason === undefined ? 'made' : 'failed', reason };
    if (reason !== undefined) return;
    const madeAt = new Date(Date.UTC(2026, 10, 17, 2, 0, this.#kept.length)).toISOString();
    const file = `gatehouse-${madeAt.replace(/[-:]|\.\d+/g, '')}${isAsked ? '-asked' : ''}.tar`;
    this.#kept.unshift({ file, madeAt, bytes: 3_000_000, isAsked });
  }

  readonly state = () => ({ isRunning: this.#isRunning, asked: this.#asked });
  readonly kept = async () => this.#kept;
}
