// The data folders and services of one run, made when a scenario first asks for them.
import { type DataFolder, type Gatehouse, makeData, startGatehouse } from './gatehouse.ts';

export interface Sizes {
  readonly few: number;
  readonly many: number;
  readonly revocations: number;
}

export class BenchServices {
  readonly sizes: Sizes;
  readonly #made = new Map<string, Promise<DataFolder>>();
  readonly #serving = new Map<DataFolder, Gatehouse>();

  constructor(sizes: Sizes) {
    this.sizes = sizes;
  }

  small = (): Promise<DataFolder> => this.#make('small', this.sizes.few, 0);
  large = (): Promise<DataFolder> => this.#make('large', this.sizes.many, 0);
  revoked = (): Promise<DataFolder> => this.#make('revoked', this.sizes.few, this.sizes.revocations);

  #make(name: string, users: number, revocations: number): Promise<DataFolder> {
    const made = this.#made.get(name) ?? makeData({ users, revocations });
    this.#made.set(name, made);
    return made;
  }

  /** The service on this data; it goes on running for the scenarios that follow. */
  async serve(data: DataFolder): Promise<Gatehouse> {
    const running = this.#serving.get(data) ?? (await startGatehouse(data));
    this.#serving.set(data, running);
    return running;
  }

  /** A process that has done nothing yet. */
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
