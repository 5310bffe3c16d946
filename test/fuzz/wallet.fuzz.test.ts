// Fuzzing of the wallet node by its OpenAPI document.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import type { DatabaseKind } from '../support/api.ts';
import { USUAL_DATABASES } from '../support/migrated-database.ts';
import { freePort } from '../support/ports.ts';
import { onWallet } from '../support/wallet.ts';
import { assertClean, assertSomeSucceeded } from './assertions.ts';
import { fuzzOperations, fuzzRaw, newTally } from './fuzz.ts';
import { Random, seedOf } from './random.ts';
import { rawRequests } from './raw.ts';
import { walletOperations, walletPlan, walletTarget } from './wallet-target.ts';

interface Share {
  readonly requests: number;
  readonly rawPaths: readonly string[];
  readonly mutations: number;
}
const SHARES: Readonly<Record<DatabaseKind, Share>> = {
  SQLite: { requests: 1200, rawPaths: ['/api/v1/wallet/keys', '/api/v1/auth/login', '/.well-known/did.json'], mutations: 200 },
  PostgreSQL: { requests: 400, rawPaths: ['/api/v1/wallet/keys'], mutations: 50 },
};

/** An issuer and verifier that answers every request with nonsense. */
const NONSENSE: readonly (readonly [number, string, string])[] = [
  [200, 'application/json', '{}'],
  [200, 'application/json', '{"credential_issuer": 7, "credentials": null}'],
  [200, 'application/json', '[[['],
  [200, 'text/html', '<html>'],
  [200, 'application/oauth-authz-req+jwt', 'a.b.c'],
  [302, 'text/plain', ''],
  [400, 'application/json', '{"error": {"deep": []}}'],
  [500, 'text/plain', 'no'],
];

for (const kind of USUAL_DATABASES) {
  const { requests, rawPaths, mutations } = SHARES[kind];
  onWallet(kind, 'Requests made from the OpenAPI document of the wallet node', {}, (wallet) => {
    let asked = 0;
    const nonsense = createServer((_request, response) => {
      const [status, type, text] = NONSENSE[asked++ % NONSENSE.length]!;
      response.writeHead(status, { 'Content-Type': type, Location: '/again' }).end(text);
    });
    before(() => once(nonsense.listen(0, '127.0.0.1'), 'listening'));
    after(() => nonsense.close());

    it('never fail, hang, or are refused in a format of their own', async (context) => {
      const seed = seedOf();
      const tally = newTally();
      const peers = [`http://127.0.0.1:${(nonsense.address() as AddressInfo).port}`, `http://127.0.0.1:${await freePort()}`];
      await fuzzOperations(walletTarget(wallet), await walletPlan(wallet, new Random(seed), requests, peers), tally);
      assertClean(context, tally, seed, wallet.logged);
      assertSomeSucceeded(tally, ['owner', 'another owner'], 20);
      assert.ok(tally.sent >= walletOperations.length * 10);
    });

    it('never fail, hang, or are refused in a format of their own, as raw bytes', async (context) => {
      const seed = seedOf();
      const tally = newTally();
      await fuzzRaw(walletTarget(wallet), rawRequests(new Random(seed), rawPaths, mutations), tally);
      assertClean(context, tally, seed, wallet.logged);
    });
  });
}
