// The data folders and services of one run, created when a scenario first needs them.
import { type DataFolder, type Gatehouse, makeData, startGatehouse } from './gatehouse.ts';

export interface Sizes {
  readonly few: number;
  readonly many: number;
  readonly revocations: number;
}

export class BenchServices {
  readonly sizes: Sizes;
  readonly #folders = new Map<string, Promise<DataFolder>>();
  readonly #serving = new Map<DataFolder, Gatehouse>();

  constructor(sizes: Sizes) {
    this.sizes = sizes;
  }

  small = (): Promise<DataFolder> => this.#make('small', this.sizes.few, 0);
  large = (): Promise<DataFolder> => this.#make('large', this.sizes.many, 0);
  revoked = (): Promise<DataFolder> => this.#make('revoked', this.sizes.few, this.sizes.revocations);

  #make(name: string, users: number, revocations: number): Promise<DataFolder> {
    const made = this.#folders.get(name) ?? makeData({ users, revocations });
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
