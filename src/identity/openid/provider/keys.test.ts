import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { ADMIN_PASSWORD } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf, KINDS, RestartableApi } from '../../../../test/support/restartable-api.ts';
import { redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { createSeal, newMasterKey } from '../../../platform/seal/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import { createOpenidKeys } from './keys.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'];
const SETTINGS = {
  GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
  // The clock is moved by weeks; nobody is logged out.
  GATEHOUSE_IDENTITY_TOKEN_SECONDS: String(100 * DAY),
  GATEHOUSE_IDENTITY_SESSION_IDLE_SECONDS: String(30 * DAY),
};

for (const kind of KINDS) {
  describe(`The keys of the OpenID provider (${kind})`, () => {
    const api = new RestartableApi(kind);
    const begin = async () => {
      await api.begin(SETTINGS);
      api.adminToken = await api.logIn(
        { name: 'admin', password: ADMIN_PASSWORD },
        { project: { name: 'admin', domain: { id: 'default' } } },
      );
    };
    before(begin);
    after(() => api.remove());

    const jwks = async (): Promise<{ kid: string; alg: string }[]> => (await api.get('/openid/jwks', { token: null })).body.keys;
    const kids = async () => (await jwks()).map(({ kid }) => kid);
    const kidOf = (token: string): string => decodeProtectedHeader(token).kid!;
    const verifies = async (token: string): Promise<boolean> => {
      const fresh = createRemoteJWKSet(new URL(`${api.url}/openid/jwks`));
      return jwtVerify(token, fresh).then(
        () => true,
        () => false,
      );
    };

    async function stored() {
      const db = await databaseOf(api);
      try {
        return await db.read.selectFrom('openid_keys').selectAll().orderBy('id').execute();
      } finally {
        await db.close();
      }
    }

    it('are made with the first request that needs them, once', async () => {
      assert.deepEqual(await stored(), []);
      await Promise.all(Array.from({ length: 5 }, () => jwks()));
      assert.deepEqual((await stored()).map((row) => row.kind).sort(), [...ALGORITHMS, 'cookie']);
      assert.deepEqual((await jwks()).map(({ alg }) => alg).sort(), ALGORITHMS);
    });

    it('are announced before they sign, then sign, and what the old ones signed still verifies', async () => {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      /** By applications that have not cached our keys. */
      const sign = async (): Promise<string[]> => {
        const tokens: string[] = [];
        for (const alg of ALGORITHMS) {
          const party = await RelyingParty.make(api, { id_token_signed_response_alg: alg });
          tokens.push((await party.tokensFor(person, {}, browser)).id_token!);
        }
        return tokens;
      };
      const old = await jwks();
      const first = await sign();
      assert.deepEqual(new Set(first.map(kidOf)), new Set(old.map(({ kid }) => kid)));

      await api.service.openidKeys.rotate();
      const both = await jwks();
      assert.equal(both.length, 6);
      assert.deepEqual((await sign()).map(kidOf), first.map(kidOf), 'not yet: clients have to hear of it');
      api.clock.advance(HOUR - 60);
      assert.deepEqual((await sign()).map(kidOf), first.map(kidOf));
      api.clock.advance(61);
      const second = await sign();
      for (const [index, token] of second.entries()) {
        assert.notEqual(kidOf(token), kidOf(first[index]!));
        assert.ok(both.some(({ kid, alg }) => kid === kidOf(token) && alg === ALGORITHMS[index]));
      }
      for (const token of [...first, ...second]) assert.equal(await verifies(token), true);
      assert.deepEqual(new Set(await kids()), new Set(both.map(({ kid }) => kid)));
    });

    it('for cookies are replaced too, and sessions stay valid', async () => {
      const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
      await party.tokensFor(person, {}, browser);
      const before = browser.cookie('gatehouse_session.sig')!.value;
      await api.service.openidKeys.rotate();
      api.clock.advance(HOUR - 60);
      const waiting = await browser.go((await (await RelyingParty.make(api)).ask()).url);
      api.clock.advance(61);
      const allowed = await browser.submit(waiting, 'allow');
      assert.ok(redirectTargetOf(allowed).searchParams.get('code'), 'a form of before is still good');
      assert.ok(redirectTargetOf(await browser.go((await party.ask({ prompt: 'none' })).url)).searchParams.get('code'));
      assert.notEqual(browser.cookie('gatehouse_session.sig')!.value, before);
    });

    it('are no longer published a week after they were replaced, and not before', async () => {
      const before = await kids();
      await api.service.openidKeys.rotate();
      api.clock.advance(HOUR + 6 * DAY);
      await api.service.openidKeys.rotate();
      const current = new Set(await kids());
      assert.ok(before.every((kid) => current.has(kid)));
      api.clock.advance(8 * DAY);
      await api.service.openidKeys.rotate();
      const left = new Set(await kids());
      assert.ok(before.every((kid) => !left.has(kid)));
      assert.equal(left.size % 3, 0);
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      assert.equal(await verifies((await party.tokensFor(person)).id_token!), true);
    });

    // SQLite has one process only.
    const ofOthers = kind === 'PostgreSQL' ? it : () => undefined;
    ofOthers('that another process made are heard of', async () => {
      const before = (await kids()).length;
      const db = await databaseOf(api);
      try {
        const deps = { db, clock: api.clock, change: createChanges(db, api.clock), seal: createSeal(api.masterKeys) };
        await createOpenidKeys(deps).rotate();
      } finally {
        await db.close();
      }
      for (const end = Date.now() + 20_000; (await kids()).length === before && Date.now() < end; )
        await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal((await kids()).length, before + 3);
    });

    it('are in the audit log without any key material', async () => {
      const db = await databaseOf(api);
      try {
        const events = await db.read.selectFrom('audit_events').selectAll().where('action', 'like', 'openid_keys.%').execute();
        assert.ok(events.length >= 2);
        assert.doesNotMatch(JSON.stringify(events), /"(d|sealed|k)\\*"/);
      } finally {
        await db.close();
      }
    });

    it('are kept sealed, and follow a new master key', async () => {
      const before = await stored();
      for (const { sealed } of before) assert.match(sealed, /^v1\.[\w-]{8}\.[\w-]+$/);
      const published = await jwks();
      const [oldKey] = api.masterKeys;
      await api.end();
      api.masterKeys = [newMasterKey(), oldKey!];
      await begin();
      assert.deepEqual(await jwks(), published);
      assert.ok((await api.service.reseal()) >= before.length);
      const resealed = await stored();
      for (const [index, { id, sealed }] of resealed.entries()) {
        assert.equal(id, before[index]!.id);
        assert.notEqual(sealed, before[index]!.sealed);
      }
      await api.end();
      api.masterKeys = [api.masterKeys[0]!];
      await begin();
      assert.deepEqual(await jwks(), published);
    });
  });
}
