// The cost of presenting a credential, in one process: `credential-work.ts SECONDS WHAT FOLDER`. Prints a Sample. The wallet's data stays
// in the folder for the next round.
//   bare signature     one ES256 signature by node:crypto
//   presentation       an SD-JWT with ten claims, two of them disclosed, with a key-binding signature by a stored key
//   match 100          a DCQL query over a wallet with 100 credentials, only one of the requested type
//   match 10000
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SDJwtInstance } from '@sd-jwt/core';
import { systemClock } from '../src/platform/clock.ts';
import { load } from '../src/platform/config/index.ts';
import { createSeal, newMasterKey } from '../src/platform/seal/index.ts';
import { createFormats } from '../src/verifiable/formats/index.ts';
import { hashOf } from '../src/verifiable/jose/index.ts';
import { createWalletChanges } from '../src/wallet/access/caller.ts';
import type { UnlessDamaged } from '../src/wallet/access/damage.ts';
import { createStoredCredentials } from '../src/wallet/credentials/index.ts';
import { walletSettings } from '../src/wallet/ground/settings.ts';
import { createKeys, createSoftwareStore } from '../src/wallet/keys/index.ts';
import { loadPresentations } from '../src/wallet/presentation/index.ts';
import { createPublication } from '../src/wallet/publication/index.ts';
import { notIdempotent } from '../src/wallet/resource/idempotency.store.ts';
import { openWalletDatabase } from '../src/wallet/service.ts';
import { printSample } from './sample.ts';

const [seconds, what, all] = process.argv.slice(2) as [string, string, string];
const clock = systemClock;
const folder = join(all, what.replace(' ', '-'));
const keyFile = join(folder, 'bench.key');
const isFilled = existsSync(keyFile);
mkdirSync(folder, { recursive: true });
const masterKey = isFilled ? readFileSync(keyFile, 'utf8') : newMasterKey();
const seal = createSeal([masterKey]);
const db = await openWalletDatabase(load(walletSettings, {}), folder);
const change = createWalletChanges(db, clock);
const caller = { userId: 'bench', owner: 'bench', requestId: null, isAdministrator: false };
const stores = { software: createSoftwareStore(seal) };
const unlessDamaged: UnlessDamaged = (_kind, _id, read) => read();
const keys = createKeys({ db, clock, change, stores, listener: createPublication({ clock }).keyListener, unlessDamaged });
const { row: key } = await keys.create(caller, {}, notIdempotent);
const jwk = JSON.parse(key.public_jwk);
const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** An independent implementation. */
const library = new SDJwtInstance({
  hasher: async (data, algorithm) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : new Uint8Array(data);
    return new Uint8Array(await crypto.subtle.digest(algorithm.toUpperCase(), bytes));
  },
  hashAlg: 'sha-256',
  saltGenerator: () => randomBytes(16).toString('base64url'),
  signer: (data) =>
    sign('sha256', Buffer.from(data), { key: issuer.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
  signAlg: 'ES256',
});
const claims = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`claim_${at}`, `value ${at}`]));
// The library's types are too deep for a payload like this one.
const issue = library.issue.bind(library) as unknown as (payload: object, frame: object) => Promise<string>;
const raw = await issue(
  { iss: 'https://issuer.example', vct: 'https://example.org/card', cnf: { jwk }, ...claims },
  { _sd: Object.keys(claims) },
);

const storedCredentials = createStoredCredentials({
  db,
  clock,
  seal,
  keys,
  dids: { has: async () => false },
  status: { of: async () => 'valid', ofAll: async (looks) => looks.map(() => 'valid') },
  // Types are not read here.
  outbound: async () => Promise.reject(new Error('nothing is called')),
  change,
});
const formats = createFormats({ trust: {} as never, clock });
const { createMatcher } = await loadPresentations();
const matcher = createMatcher({ storedCredentials });

async function fill(count: number): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    await change(caller, caller.owner, async (transaction) => {
      for (let one = at; one < Math.min(at + 500, count); one++) {
        const type = one === Math.floor(count / 2) ? 'https://example.org/card' : `https://example.org/other/${one}`;
        const issuedBy = { id: 'https://issuer.example', trust: 'did' as const };
        const credential = {
          format: 'dc+sd-jwt' as const,
          type,
          types: [type],
          issuer: issuedBy,
          claims: { vct: type, ...claims },
          binding: { kind: 'jwk' as const, jwk },
        };
        await storedCredentials.store(transaction, caller.owner, {
          id: storedCredentials.newId(),
          configuration: { id: 'card', raw: {} },
          copies: [{ raw, credential, boundTo: { keyId: key.id } }],
          from: { address: issuedBy.id },
          description: { displays: [], labels: [] },
        });
      }
    });
  }
}

const query = {
  credentials: [
    {
      id: 'card',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['https://example.org/card'] },
      claims: [{ path: ['claim_1'] }, { path: ['claim_2'] }],
    },
  ],
};
const data = randomBytes(64);
const match = () => matcher.match(caller, query as never, {}, true, { names: () => true, reads: async () => true });

const works: Readonly<Record<string, { prepare?(): Promise<void>; work(): unknown }>> = {
  'bare signature': { work: () => sign(hashOf('ES256'), data, { key: issuer.privateKey, dsaEncoding: 'ieee-p1363' }) },
  presentation: {
    work: () =>
      formats['dc+sd-jwt'].present(
        raw,
        { paths: [['claim_1'], ['claim_2']], nonce: 'a nonce', audience: 'x509_hash:abc', now: clock.now() },
        { algorithm: 'ES256', jwk, sign: (bytes) => keys.sign(caller.owner, key.id, bytes, 'presentation') },
      ),
  },
  'match 100': { prepare: () => fill(100), work: match },
  'match 10000': { prepare: () => fill(10_000), work: match },
};
const { prepare, work } = works[what]!;

if (!isFilled) await prepare?.();
writeFileSync(keyFile, masterKey);
await printSample(Number(seconds), work);
await db.close();
