// ES256 with node:crypto alone and with the wallet's key store: `key-work.ts SECONDS WHAT`. Prints a Sample.
import { generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { createSeal, newMasterKey } from '../src/platform/seal/index.ts';
import { createSoftwareStore } from '../src/wallet/keys/index.ts';

const [seconds, what] = process.argv.slice(2) as [string, string];
const keyContext = { owner: 'the owner of the bench', keyId: 'key_of_the_bench' };
const data = Buffer.from('what is signed');
const store = createSoftwareStore(createSeal([newMasterKey()]));
const generate = promisify(generateKeyPair);
const { stored } = await store.generate('ES256', keyContext);
const { privateKey } = await generate('ec', { namedCurve: 'prime256v1' });

const works: Readonly<Record<string, () => unknown>> = {
  'bare generation': () => generate('ec', { namedCurve: 'prime256v1' }),
  generation: () => store.generate('ES256', keyContext),
  'bare signature': () => sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  signature: () => store.sign(stored, 'ES256', keyContext, data),
};
const work = works[what]!;

async function run(milliseconds: number): Promise<number> {
  let done = 0;
  for (const end = performance.now() + milliseconds; performance.now() < end; done++) await work();
  return done;
}

await run(200);
const [started, cpu] = [performance.now(), process.cpuUsage()];
const done = await run(Number(seconds) * 1000);
const elapsed = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ rate: done / elapsed, cpuMicros: (user + system) / done, failed: 0 }));
