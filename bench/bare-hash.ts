// Measures only the argon2id hash: `bare-hash.ts SECONDS IN_FLIGHT MEMORY PASSES`. Prints a Sample.
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const [seconds, inFlight, memory, passes] = process.argv.slice(2).map(Number) as [number, number, number, number];
const hash = promisify(argon2);
let done = 0;

async function hashUntil(end: number): Promise<void> {
  while (performance.now() < end) {
    const message = Buffer.from('the password of the bench');
    await hash('argon2id', { message, nonce: randomBytes(16), parallelism: 1, tagLength: 32, memory, passes });
    done++;
  }
}

const run = (milliseconds: number) => {
  const end = performance.now() + milliseconds;
  return Promise.all(Array.from({ length: inFlight }, () => hashUntil(end)));
};

await run(200);
done = 0;
const [started, cpu] = [performance.now(), process.cpuUsage()];
await run(seconds * 1000);
const elapsed = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ rate: done / elapsed, cpuMicros: (user + system) / done, failed: 0 }));
