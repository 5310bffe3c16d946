// Ids of existing resources by kind: a request with an unknown id only gets a 404.
import type { Random } from './random.ts';

const KEPT = 30;

export class IdPool {
  readonly #random: Random;
  /** Created by the run: may be changed and deleted. */
  readonly #expendable = new Map<string, string[]>();
  /** Needed by the personas: may be read and referred to, but not changed. */
  readonly #lasting = new Map<string, string[]>();

  constructor(random: Random) {
    this.#random = random;
  }

  keep(kind: string, ...ids: readonly string[]): void {
    this.#lasting.set(kind, [...(this.#lasting.get(kind) ?? []), ...ids]);
  }

  add(kind: string, id: string): void {
    const ids = this.#expendable.get(kind) ?? [];
    this.#expendable.set(kind, [...ids, id].slice(-KEPT));
  }

  pick(kind: string, mayHarm: boolean): string | undefined {
    const ids = [...(this.#expendable.get(kind) ?? []), ...(mayHarm ? [] : (this.#lasting.get(kind) ?? []))];
    return ids.length > 0 ? this.#random.pick(ids) : undefined;
  }

  /** Stores the new ids of an answer: `{"user": {"id"}}`, or `{"id"}` with the kind from the path. */
  learn(body: string, kindOf: (envelope: string | undefined) => string | undefined): void {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const found: [string | undefined, unknown][] = [[undefined, value], ...Object.entries(value)];
    for (const [name, one] of found) {
      const id = (one as { id?: unknown } | null)?.id;
      const kind = typeof id === 'string' ? kindOf(name) : undefined;
      if (kind !== undefined) this.add(kind, id as string);
    }
  }
}
