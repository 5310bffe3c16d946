// The clock of a process, set forward and back while it runs, by libfaketime (Debian's package of that name). Its timers go on as before.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSettings } from '../support/process.ts';

export class FakeClock {
  readonly #file: string;
  #seconds = 0;

  constructor(folder: string) {
    this.#file = join(folder, 'clock');
    this.set(0);
  }

  /** How far the clock is from the right time. */
  set(seconds: number): void {
    this.#seconds = seconds;
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  /** What the process takes for now, in milliseconds. */
  now(): number {
    return Date.now() + this.#seconds * 1000;
  }

  /** The environment of the process. */
  get settings(): ProcessSettings {
    const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
    if (library === undefined) throw new Error('libfaketime is not installed');
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }
}
