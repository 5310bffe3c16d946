// Machines are noisy, and noise comes in bursts. So the contenders take turns in short rounds, are compared within each round, and the
// median over the rounds counts.
import type { Sample } from './load.ts';

export interface Contender {
  readonly name: string;
  measure(seconds: number): Promise<Sample>;
}

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  /** How long after load the memory is looked at: ten minutes by default. */
  readonly idleSeconds?: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export class Measurements {
  readonly #samples = new Map<string, Sample[]>();

  add(name: string, sample: Sample): void {
    if (sample.failed > 0) throw new Error(`${name}: ${sample.failed} requests failed; the figures would be worth nothing`);
    this.#samples.set(name, [...(this.#samples.get(name) ?? []), sample]);
  }

  of(name: string): readonly Sample[] {
    return this.#samples.get(name) ?? [];
  }

  rate(name: string): number {
    return median(this.of(name).map(({ rate }) => rate));
  }

  cpuMicros(name: string): number {
    return median(this.of(name).map(({ cpuMicros }) => cpuMicros));
  }

  /** The rate as a multiple of the other's rate in the same round. */
  ratio(name: string, other: string): number {
    return median(this.of(name).map(({ rate }, round) => rate / this.of(other)[round]!.rate));
  }

  /** The same by CPU time: the ratio on an otherwise idle machine. */
  cpuRatio(name: string, other: string): number {
    return median(this.of(name).map(({ cpuMicros }, round) => this.of(other)[round]!.cpuMicros / cpuMicros));
  }
}

export async function measureInTurns(contenders: readonly Contender[], { rounds, seconds }: Pace): Promise<Measurements> {
  const measurements = new Measurements();
  // A warm-up round for compilers and caches, which does not count.
  for (const contender of contenders) await contender.measure(seconds);
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) measurements.add(contender.name, await contender.measure(seconds));
  }
  return measurements;
}
