// The cost of a credential itself, without the request, the proof of the wallet's key and the record: `issuing-work.ts SECONDS FOLDER`.
// Prints a Sample. What is made is an SD-JWT with a role, two disclosable claims and its entry in a status list, signed by the stored key.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChanges } from '../src/identity/ground/audit/index.ts';
import { identitySettings } from '../src/identity/ground/settings/index.ts';
import { createIssuerIdentity } from '../src/identity/role-credentials/issuer/index.ts';
import { type CredentialContent, createCredentialMaker } from '../src/identity/role-credentials/issuing/credentials.ts';
import { openDatabase } from '../src/identity/service.ts';
import { systemClock } from '../src/platform/clock.ts';
import { load } from '../src/platform/config/index.ts';
import { createSeal, newMasterKey } from '../src/platform/seal/index.ts';
import { printSample } from './sample.ts';

const ISSUER = 'https://id.example';
const [seconds, folder] = process.argv.slice(2) as [string, string];
const clock = systemClock;
// The folder is used again in the next round.
const keyFile = join(folder, 'bench.key');
if (!existsSync(keyFile)) writeFileSync(keyFile, newMasterKey());
const masterKey = readFileSync(keyFile, 'utf8');
const db = await openDatabase(load(identitySettings, {}), folder);
const change = createChanges(db, clock);
const identity = createIssuerIdentity({ db, clock, change, seal: createSeal([masterKey]), issuer: () => ISSUER });
const maker = createCredentialMaker(identity, false);
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = { jwk: publicKey.export({ format: 'jwk' }) as never, thumbprint: '', nonce: '' };
const now = Math.floor(clock.now() / 1000);
const content: CredentialContent = {
  configuration: {
    id: 'bench.sd_jwt',
    format: 'dc+sd-jwt',
    type: {
      id: 'bench',
      applicationId: 'bench',
      targets: [],
      typeName: 'Bench',
      name: 'bench',
      description: '',
      formats: ['dc+sd-jwt'],
      dataModel: '2.0',
      validitySeconds: 86_400,
      roles: 'all',
      organizations: 'all',
      claims: ['name', 'email'],
      enabled: true,
    } as never,
  },
  userId: 'b'.repeat(32),
  profile: { name: 'Person number one', email: 'person-1@example.org' },
  recorded: {
    roles: [{ target: 'bench', application: 'Bench', names: ['editor'] }],
    organizations: [],
    isRefreshed: false,
    issuedAt: now,
    expiresAt: now + 86_400,
    credentials: [
      { id: 'b', tokenStatus: { uri: `${ISSUER}/openid/status-lists/${'b'.repeat(32)}`, idx: 611_953 }, bitstring: [] },
    ],
  },
};

await printSample(Number(seconds), () => maker.make(content, [key]));
await db.close();
