// The data folders and services of one run, created when a scenario first needs them.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataFolder, type DataSize, dataIn, type Gatehouse, makeData, startGatehouse } from './gatehouse.ts';

export interface Sizes {
  readonly few: number;
  readonly many: number;
  readonly revocations: number;
}

/** Filled by the first run that needs it. One that was not filled to its end is not used. */
async function keptData(folder: string, size: DataSize): Promise<DataFolder> {
  const filled = join(folder, 'bench-filled');
  if (existsSync(filled)) return dataIn(folder, size);
  if (existsSync(folder)) throw new Error(`${folder} was not filled to its end: delete it`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const data = await makeData(size, folder);
  writeFileSync(filled, '');
  return data;
}

export class BenchServices {
  readonly sizes: Sizes;
  readonly #folders = new Map<string, Promise<DataFolder>>();
  readonly #serving = new Map<DataFolder, Gatehouse>();

  readonly #kept: string | undefined;

  /** The large folder can be kept for later runs, because it takes longest to fill. */
  constructor(sizes: Sizes, kept?: string) {
    this.sizes = sizes;
    this.#kept = kept;
  }

  small = (): Promise<DataFolder> => this.#make('small', this.sizes.few, 0);
  large = (): Promise<DataFolder> => this.#make('large', this.sizes.many, 0, this.#kept);
  revoked = (): Promise<DataFolder> => this.#make('revoked', this.sizes.few, this.sizes.revocations);

  #make(name: string, users: number, revocations: number, kept?: string): Promise<DataFolder> {
    const size = { users, revocations };
    const made = this.#folders.get(name) ?? (kept ? keptData(join(kept, `${name}-${users}`), size) : makeData(size));
    this.#folders.set(name, made);
    return made;
  }

  /** The service on this data. It keeps running for later scenarios. */
  async serve(data: DataFolder): Promise<Gatehouse> {
    const running = this.#serving.get(data) ?? (await startGatehouse(data));
    this.#serving.set(data, running);
    return running;
  }

  /** A newly started process. */
  async serveAnew(data: DataFolder): Promise<Gatehouse> {
    await this.end(data);
    return this.serve(data);
  }

  async end(data: DataFolder): Promise<void> {
    await this.#serving.get(data)?.stop();
    this.#serving.delete(data);
  }

  async endAll(): Promise<void> {
    for (const data of this.#serving.keys()) await this.end(data);
  }
}
