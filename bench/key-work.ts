// ES256 with node:crypto alone and with the wallet's key store: `key-work.ts SECONDS WHAT`. Prints a Sample.
import { generateKeyPair, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { createSeal, newMasterKey } from '../src/platform/seal/index.ts';
import { createSoftwareStore } from '../src/wallet/keys/index.ts';
import { printSample } from './sample.ts';

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

await printSample(Number(seconds), work);
