// Fuzzing of the identity service by its OpenAPI document. With FUZZ_SEED=7 before `npm test -- test/fuzz/identity.fuzz.test.ts` it
// sends other requests.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type DatabaseKind, onDatabase } from '../support/api.ts';
import { inFullRun } from '../support/extent.ts';
import { USUAL_DATABASES } from '../support/migrated-database.ts';
import { assertClean, assertSomeSucceeded } from './assertions.ts';
import { fuzzOperations, fuzzRaw, newTally } from './fuzz.ts';
import { identityOperations, identityPlan, identityTarget } from './identity-target.ts';
import { Random, seedOf } from './random.ts';
import { rawRequests } from './raw.ts';

interface Share {
  readonly requests: number;
  readonly rawPaths: readonly string[];
  readonly mutations: number;
  /** How many requests of each caller are served at least. */
  readonly served: number;
}
const SHARES: Readonly<Record<DatabaseKind, Share>> = {
  SQLite: {
    requests: inFullRun(3000, 3 * identityOperations.length),
    rawPaths: ['/v3/users', '/v3/auth/tokens', '/scim/v2/Users', '/openid/token', '/openid/authorize', '/account'],
    mutations: inFullRun(400, 60),
    served: 5,
  },
  PostgreSQL: { requests: 5 * identityOperations.length, rawPaths: ['/v3/users'], mutations: 50, served: 2 },
};

for (const kind of USUAL_DATABASES) {
  const { requests, rawPaths, mutations, served } = SHARES[kind];
  onDatabase(kind, 'Requests made from the OpenAPI document of the identity service', {}, (api) => {
    it('never fail, hang, or are refused in a format of their own', async (context) => {
      const seed = seedOf();
      const tally = newTally();
      await fuzzOperations(identityTarget(api), await identityPlan(api, new Random(seed), requests), tally);
      assertClean(context, tally, seed, api.logged);
      assertSomeSucceeded(tally, ['member', 'domain manager', 'connection', 'administrator', 'system administrator'], served);
      assert.ok(tally.sent >= identityOperations.length * 3);
    });

    it('never fail, hang, or are refused in a format of their own, as raw bytes', async (context) => {
      const seed = seedOf();
      const tally = newTally();
      await fuzzRaw(identityTarget(api), rawRequests(new Random(seed), rawPaths, mutations), tally);
      assertClean(context, tally, seed, api.logged);
    });
  });
}
