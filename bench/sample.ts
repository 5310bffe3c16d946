// For scripts that measure one piece of work in a process of their own.
import type { Sample } from './load.ts';

/** Does it again and again for this time, after a short warm-up, and prints a Sample. */
export async function printSample(seconds: number, work: () => unknown): Promise<void> {
  async function run(milliseconds: number): Promise<number> {
    let done = 0;
    for (const end = performance.now() + milliseconds; performance.now() < end; done++) await work();
    return done;
  }
  await run(200);
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  const done = await run(seconds * 1000);
  const elapsed = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sample: Sample = { rate: done / elapsed, cpuMicros: (user + system) / done, failed: 0 };
  console.log(JSON.stringify(sample));
}
