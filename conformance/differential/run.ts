// Sends the same requests to Debian's Keystone and to a fresh Gatehouse, and lists every difference with its reason. Writes RESULTS.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keystonePairs } from '../../scripts/keystone-pairs.ts';
import { startKeystone } from '../support/keystone.ts';
import { options } from '../support/options.ts';
import { startService } from '../support/service.ts';
import { AREAS } from './areas/index.ts';
import { setup } from './areas/setup.ts';
import { differencesOf } from './compare.ts';
import { type Answer, Peer } from './exchange.ts';
import { type Comparison, report } from './report.ts';
import type { ApiRequest } from './request.ts';

const NAMES = { 'token of stranger': 'a-token-that-nobody-issued' };
/** All methods of Gatehouse that Keystone has as well. */
const KEYSTONE_SETTINGS = '[auth]\nmethods = external,password,token,oauth1,mapped,application_credential,totp';

const UNSERVED = keystonePairs()
  .filter(({ served }) => !served)
  .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/\{[^}]*\}/g, '[^/]+')}/?$`) }));

const isServed = ({ method, path }: ApiRequest): boolean =>
  !UNSERVED.some((pair) => (pair.method === method || method === 'OPTIONS') && pair.pattern.test(path.split('?')[0]!));

const chosen = options();
/** All others use what the first one sets up. */
const areas = chosen.only.length === 0 ? AREAS : AREAS.filter((area) => area === setup || chosen.only.includes(area.title));

async function answersOf(peer: Peer): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { requests } of areas) for (const request of requests) answers.push(await peer.send(request));
  return answers;
}

async function compareAll(keystone: Peer, gatehouse: Peer, keepIn: string | undefined): Promise<Comparison[]> {
  const [theirs, ours] = await Promise.all([answersOf(keystone), answersOf(gatehouse)]);
  const all = areas.flatMap(({ title, requests }) => requests.map((request) => ({ area: title, request })));
  const compared = all.map(({ area, request }, index) => {
    const served = isServed(request);
    const differences = served ? differencesOf(theirs[index]!, ours[index]!, keystone, gatehouse) : [];
    return { area, request, served, differences };
  });
  if (keepIn) {
    const told = compared.map((one, index) => ({ ...one, keystone: theirs[index]?.body, gatehouse: ours[index]?.body }));
    writeFileSync(join(keepIn, 'answers.json'), JSON.stringify(told, null, 1));
  }
  return compared;
}

const theirService = await startKeystone({ keep: chosen.keep, settings: KEYSTONE_SETTINGS });
const ourService = await startService(chosen);
let compared: Comparison[] = [];
try {
  const keepIn = chosen.keep ? ourService.folder : undefined;
  compared = await compareAll(new Peer(theirService.url, NAMES), new Peer(ourService.url, NAMES), keepIn);
} finally {
  await Promise.all([theirService.stop(), ourService.stop()]);
}
const { page, summary, failures } = report(compared, areas);
writeFileSync(join(import.meta.dirname, 'RESULTS.md'), page);
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(summary);
process.exit(failures.length > 0 ? 1 : 0);
