// What was issued to whom, and what the published lists say of it.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makeOrganization, makePerson, makeRole } from '../../../../test/support/applications.ts';
import {
  ISSUER,
  issuedCredentialsOn,
  makeHolder,
  makeType,
  recordFor,
  stateOf,
  usesIssuedCredentials,
  verifierOf,
} from '../../../../test/support/issued-credentials.ts';
import { CREDENTIALS } from '../../../../test/support/role-credentials.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { inspectUserPermissions } from '../../applications/app-roles/index.ts';
import { serviceActor } from '../../ground/audit/index.ts';
import { rolesForType } from '../types/index.ts';

const DAY = 86_400;

onEachDatabase(
  'Issued credentials',
  (api) => {
    const { db, on } = usesIssuedCredentials(api);
    let verifier: Awaited<ReturnType<typeof verifierOf>>;
    before(async () => {
      const { user, typeId } = await makeHolder(api, db());
      await recordFor(on, user.id, typeId);
      verifier = await verifierOf(() => api.url, api.clock, db());
    });

    it('are listed, shown, suspended, resumed and revoked, and the lists of both forms say so to verifiers', async () => {
      const { user, typeId, application, role } = await makeHolder(api, db());
      const { credentials, ids } = await recordFor(on, user.id, typeId, 2);
      const [one, other] = credentials as [(typeof credentials)[number], (typeof credentials)[number]];
      const told = async (credential: typeof one) => [
        await verifier.byToken(credential),
        await verifier.byBitstring(credential),
        assertOk(await api.get(`${CREDENTIALS}/${credential.id}`)).credential.state,
      ];
      const shown = assertOk(await api.get(`${CREDENTIALS}/${one.id}`)).credential;
      assert.deepEqual(shown.roles, [{ target: application.id, names: [role.name] }]);
      assert.deepEqual([shown.user_id, shown.type_id, shown.application_id], [user.id, typeId, application.id]);
      assert.equal('key_thumbprint' in shown, false);
      assert.deepEqual(await told(one), ['valid', 'valid', 'valid']);
      const suspended = assertOk(await api.patch(`${CREDENTIALS}/${one.id}`, { credential: { state: 'suspended' } }));
      assert.deepEqual([suspended.credential.state, suspended.credential.reason], ['suspended', 'administrator']);
      assert.deepEqual(await told(one), ['suspended', 'suspended', 'suspended']);
      const resumed = assertOk(await api.patch(`${CREDENTIALS}/${one.id}`, { credential: { state: 'valid' } }));
      assert.equal(resumed.credential.reason, null);
      assert.deepEqual(await told(one), ['valid', 'valid', 'valid']);
      assertOk(await api.patch(`${CREDENTIALS}/${one.id}`, { credential: { state: 'suspended' } }));
      assertOk(await api.delete(`${CREDENTIALS}/${one.id}`), 204);
      assertOk(await api.delete(`${CREDENTIALS}/${one.id}`), 204);
      assert.deepEqual(await told(one), ['revoked', 'revoked', 'revoked']);
      for (const state of ['valid', 'suspended'])
        assertRefused(await api.patch(`${CREDENTIALS}/${one.id}`, { credential: { state } }), 409, /cannot be taken back/);
      assert.deepEqual(await told(other), ['valid', 'valid', 'valid']);

      const listed = async (query: string) =>
        (assertOk(await api.get(`${CREDENTIALS}?${query}`)).credentials as { id: string }[]).map(({ id }) => id).sort();
      for (const filter of [`user_id=${user.id}`, `application_id=${application.id}`, `type_id=${typeId}`])
        assert.deepEqual(await listed(filter), [...ids].sort());
      assert.deepEqual(await listed(`user_id=${user.id}&state=revoked`), [one.id]);
      assert.deepEqual(await listed(`user_id=${user.id}&state=valid`), [other.id]);
      assert.equal((await listed(`user_id=${user.id}&limit=1`)).length, 1);
      assertRefused(await api.get(`${CREDENTIALS}?state=expired`), 400, /state/);
    });

    it('that somebody else changed a moment before are as the second wanted, or not there: both are in the audit log', async () => {
      const { user, typeId } = await makeHolder(api, db());
      const { ids } = await recordFor(on, user.id, typeId, 3);
      const [twice, revoked, gone] = ids as [string, string, string];
      const POINT = 'change.before-transaction';
      const suspend = (id: string) => api.patch(`${CREDENTIALS}/${id}`, { credential: { state: 'suspended' } });
      const second = await whenAt(
        POINT,
        async () => assertOk(await suspend(twice)),
        () => suspend(twice),
      );
      assert.equal(assertOk(second).credential.state, 'suspended');
      const events = await db().read.selectFrom('audit_events').where('target_id', '=', twice).select('action').execute();
      assert.equal(events.filter(({ action }) => action === 'issued_credential.suspended').length, 2);
      const revoke = async () => assertOk(await api.delete(`${CREDENTIALS}/${revoked}`), 204);
      assertRefused(await whenAt(POINT, revoke, () => suspend(revoked)), 409, /cannot be taken back/);
      const remove = () => db().write((tx) => tx.deleteFrom('issued_credentials').where('id', '=', gone).execute());
      assertRefused(await whenAt(POINT, remove, () => suspend(gone)), 404);
    });

    it('are seen and revoked by the person themselves and by managers of the application, and by nobody else', async () => {
      const owner = await makePerson(api);
      const stranger = await makePerson(api);
      const application = await makeApplication(api, {}, owner.token);
      const role = await makeRole(api, application);
      const person = await makePerson(api);
      await assign(api, { user: person.user, organization: person.organization, application, role });
      const typeId = await makeType(db(), application.id);
      const { ids } = await recordFor(on, person.user.id, typeId, 3);
      const [first, second, third] = ids.map((id) => `${CREDENTIALS}/${id}`) as [string, string, string];
      const suspend = { credential: { state: 'suspended' } };
      const as = ({ token }: { token: string }) => ({ token });
      for (const path of [
        first,
        `${CREDENTIALS}?user_id=${person.user.id}`,
        `${CREDENTIALS}?application_id=${application.id}`,
        CREDENTIALS,
      ])
        assertRefused(await api.get(path, as(stranger)), 403);
      assertRefused(await api.delete(first, as(stranger)), 403);
      assertRefused(await api.patch(first, suspend, as(stranger)), 403);
      assert.equal((await api.get(`${CREDENTIALS}/unknown`, as(stranger))).text, (await api.get(first, as(stranger))).text);
      await assertNeedsToken(api, 'GET', CREDENTIALS);

      assert.equal(assertOk(await api.get(`${CREDENTIALS}?user_id=${person.user.id}`, as(person))).credentials.length, 3);
      assertRefused(await api.get(CREDENTIALS, as(person)), 403);
      assertRefused(await api.patch(first, suspend, as(person)), 403);
      assertOk(await api.delete(first, as(person)), 204);
      assert.equal(assertOk(await api.get(first, as(person))).credential.reason, 'holder');

      assert.equal(assertOk(await api.get(`${CREDENTIALS}?application_id=${application.id}`, as(owner))).credentials.length, 3);
      assertOk(await api.patch(second, suspend, as(owner)));
      // The word of an administrator is not taken back by the person.
      assertRefused(await api.patch(second, { credential: { state: 'valid' } }, as(person)), 403);
      assertOk(await api.delete(third, as(owner)), 204);
      assertRefused(await api.get(`${CREDENTIALS}/unknown`), 404);
    });

    it('are read for whoever acts on their state, by their entry in a list of ours', async () => {
      const { user, typeId } = await makeHolder(api, db());
      const [one] = (await recordFor(on, user.id, typeId)).credentials;
      const read = (uri: string, idx: number) => db().write((tx) => on.issued.stateOf(tx, uri, idx));
      const { uri, idx } = one!.tokenStatus;
      const expected = { id: one!.id, userId: user.id, typeId, state: 'valid', clientId: null };
      for (const address of [uri, ...one!.bitstring.map(({ statusListCredential }) => statusListCredential)]) {
        const { expiresAt: _, keyThumbprint, ...found } = (await read(address, idx))!;
        assert.match(keyThumbprint, /^key-/);
        assert.deepEqual(found, expected);
      }
      assert.equal(await read(uri.replace('id.example', 'id.example.org'), idx), undefined);
      assert.equal(await read(`${uri}/x`, idx), undefined);
      assert.equal(await read(uri, -1), undefined);
      assert.equal(await read(uri, 0.5), undefined);
      await api.delete(`${CREDENTIALS}/${one!.id}`);
      assert.equal((await read(uri, idx))?.state, 'revoked');
    });

    it('are known to be of the same wallet by its authorization or its key: first issued, last refreshed, changed together', async () => {
      const { user, typeId } = await makeHolder(api, db());
      const until = Number.MAX_SAFE_INTEGER;
      const get = (count: number, wallet: { authorizationId?: string; keys?: readonly string[] }) =>
        recordFor(on, user.id, typeId, count, until, wallet);
      const times = async (id: string) => {
        const { issued_at, first_issued_at, refreshed_at } = assertOk(await api.get(`${CREDENTIALS}/${id}`)).credential;
        return [issued_at, first_issued_at, refreshed_at];
      };
      const first = (await get(2, { authorizationId: 'one' })).ids;
      const other = (await get(1, { authorizationId: 'other' })).ids;
      const [firstAt] = await times(first[0]!);
      for (const id of first) assert.deepEqual(await times(id), [firstAt, firstAt, null], 'copies are no refresh');
      api.clock.advance(60);
      const [second] = (await get(1, { authorizationId: 'one', keys: [`key of ${user.id}`] })).ids;
      api.clock.advance(60);
      // Another authorization for the same key; then that one again, for another key.
      const [third] = (await get(1, { authorizationId: 'third', keys: [`key of ${user.id}`] })).ids;
      const [[secondAt], [thirdAt]] = [await times(second!), await times(third!)];
      assert.ok(firstAt < secondAt && secondAt < thirdAt);
      assert.deepEqual(await times(first[0]!), [firstAt, firstAt, thirdAt]);
      assert.deepEqual(await times(second!), [secondAt, firstAt, thirdAt]);
      assert.deepEqual(await times(third!), [thirdAt, firstAt, thirdAt]);
      const [fourth] = (await get(1, { authorizationId: 'third' })).ids;
      assert.equal((await times(fourth!))[1], firstAt);
      assert.equal((await times(other[0]!))[2], null, 'another wallet');
      const { user: stranger, typeId: elsewhere } = await makeHolder(api, db());
      const [foreign] = (await recordFor(on, stranger.id, elsewhere, 1, until, { keys: [`key of ${user.id}`] })).ids;
      assert.equal((await times(foreign!))[2], null, 'of somebody else');

      const listed = async (query: string) =>
        (assertOk(await api.get(`${CREDENTIALS}?user_id=${user.id}&${query}`)).credentials as { id: string }[]).map(
          ({ id }) => id,
        );
      const newest = await listed('newest=true&sort=-issued_at');
      assert.equal(newest.length, 2);
      assert.ok([third, fourth].includes(newest[0]) && newest[1] === other[0]);
      assert.deepEqual(await listed('sort=issued_at&limit=3').then((ids) => ids.sort()), [...first, ...other].sort());
      const page = (marker: string) => listed(`newest=true&sort=-issued_at&limit=1&marker=${marker}`);
      assert.deepEqual(await page(newest[0]!), [other[0]]);
      await get(1, { authorizationId: 'third' });
      assert.deepEqual(await page(newest[0]!), [other[0]], 'a marker that is not the newest any more has its place');
      assertRefused(await api.get(`${CREDENTIALS}?user_id=${user.id}&sort=state`), 400, /sort/);

      const all = async () => Promise.all([...first, second!, third!, fourth!, ...other].map((id) => stateOf(db(), id)));
      assertOk(await api.patch(`${CREDENTIALS}/${second}?same_wallet=true`, { credential: { state: 'suspended' } }));
      assert.deepEqual(await all(), [...Array(5).fill('suspended'), 'valid']);
      const { events } = assertOk(await api.get('/v3/OS-AUDIT/events?action=issued_credential.suspended&limit=6'));
      const written = (events as { target_id: string }[]).map((event) => event.target_id);
      for (const id of [...first, second!, third!, fourth!]) assert.ok(written.includes(id), 'each is written down');
      assertOk(await api.delete(`${CREDENTIALS}/${first[0]}`), 204);
      assertOk(await api.patch(`${CREDENTIALS}/${third}?same_wallet=true`, { credential: { state: 'valid' } }));
      assert.deepEqual(await all(), ['revoked', ...Array(4).fill('valid'), 'valid']);
      assertOk(await api.delete(`${CREDENTIALS}/${first[0]}?same_wallet=true`), 204);
      assert.deepEqual(await all(), [...Array(5).fill('revoked'), 'valid']);
      assertRefused(await api.delete(`${CREDENTIALS}/${other[0]}?same_wallet=perhaps`), 400, /same_wallet/);
    });

    it('have a list that may be kept for a short time, and is not sent again while it is the same', async () => {
      const { user, typeId } = await makeHolder(api, db());
      const [one] = (await recordFor(on, user.id, typeId)).credentials;
      const url = one!.tokenStatus.uri.replace(ISSUER, api.url);
      for (const [address, type] of [
        [url, 'application/statuslist+jwt'],
        [`${url}/bitstring`, 'application/vc+jwt'],
        [`${url}/suspension`, 'application/vc+jwt'],
      ] as const) {
        const first = await fetch(address);
        assert.equal(first.headers.get('content-type'), type);
        assert.equal(first.headers.get('cache-control'), 'public, max-age=30');
        assert.equal(first.headers.get('access-control-allow-origin'), '*');
        const etag = first.headers.get('etag')!;
        const text = await first.text();
        const again = await fetch(address, { headers: { 'If-None-Match': `"other", ${etag}` } });
        assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag]);
        assert.equal(await (await fetch(address)).text(), text, 'from memory');
      }
      assert.equal((await fetch(`${url.slice(0, -1)}x`)).status, 404);
      assert.equal((await fetch(`${api.url}/openid/status-lists/${'0'.repeat(32)}`)).status, 404);
    });

    it('say exactly the roles that count, as the permissions of the user do', async () => {
      const person = await makePerson(api);
      const application = await makeApplication(api);
      const roles = [await makeRole(api, application), await makeRole(api, application)];
      const organizations = [person.organization, await makeOrganization(api, person), await makeOrganization(api)];
      for (const [at, organization] of organizations.entries())
        for (const role of roles.slice(0, at + 1)) await assign(api, { user: person.user, organization, application, role });
      const [, second, third] = organizations;
      const variants: readonly [roles: 'all' | string[], organizations: 'all' | 'default' | string[]][] = [
        ['all', 'all'],
        ['all', 'default'],
        [[roles[1].id], 'all'],
        [[roles[1].id], 'default'],
        ['all', [second.id]],
        ['all', [third.id]],
      ];
      const compare = async (): Promise<void> => {
        for (const [only, where] of variants) {
          const id = await makeType(db(), application.id, { roles: JSON.stringify(only), organizations: JSON.stringify(where) });
          const found = await inspectUserPermissions({ clock: api.clock }, db().read, person.user.id, application.id);
          const type = (await on.credentialTypes.findIn(db().read, id))!;
          const held = found?.isUsable ? rolesForType(type, found.held) : [];
          const expected = [...new Set(held.map(({ role_name }) => role_name))].sort();
          const said = await recordFor(on, person.user.id, id).then(
            (recorded) => recorded.roles.flatMap(({ names }) => names).sort(),
            () => [],
          );
          assert.deepEqual(said, expected, JSON.stringify([only, where]));
        }
      };
      const member = await api.roleId('member');
      await compare();
      await api.put(`/v3/projects/${third.id}/users/${person.user.id}/roles/${member}`);
      await compare();
      await api.patch(`/v3/projects/${second.id}`, { project: { enabled: false } });
      await compare();
      await api.patch(`/v3/users/${person.user.id}`, { user: { default_project_id: third.id } });
      await compare();
      await api.delete(`/v3/projects/${third.id}/users/${person.user.id}/roles/${member}`);
      await compare();
      await api.patch(`/v3/users/${person.user.id}`, { user: { enabled: false } });
      await compare();
    });

    it('never say that somebody manages an application', async () => {
      const owner = await makePerson(api);
      const application = await makeApplication(api, {}, owner.token);
      const typeId = await makeType(db(), application.id);
      await assert.rejects(recordFor(on, owner.user.id, typeId), /no role/);
    });

    it('end with the certificate of the issuer, if their type would let them live longer', async () => {
      const { user, typeId } = await makeHolder(api, db());
      const notAfter = Math.floor(api.clock.now() / 1000) + 60;
      assert.equal((await recordFor(on, user.id, typeId, 1, notAfter)).expiresAt, notAfter);
      assert.ok((await recordFor(on, user.id, typeId)).expiresAt > notAfter);
      await assert.rejects(recordFor(on, user.id, typeId, 1, notAfter - 60), /certificate of the issuer has expired/);
    });

    it('get entries that nobody can guess, each once, and another list when one is full', async () => {
      const { user, typeId } = await makeHolder(api, db());
      const { credentials } = await recordFor(on, user.id, typeId, 600);
      const entries = credentials.map(({ tokenStatus: { uri, idx } }) => `${uri} ${idx}`);
      assert.equal(new Set(entries).size, 600);
      const indexes = credentials.map(({ tokenStatus: { idx } }) => idx).sort((a, b) => a - b);
      assert.ok(indexes[0]! < 20_000 && indexes.at(-1)! > 110_000, 'from the whole list');
      const uri = credentials[0]!.tokenStatus.uri;
      await db().write((tx) => tx.updateTable('status_lists').set({ is_full: 1 }).execute());
      const [next] = (await recordFor(on, user.id, typeId)).credentials;
      assert.notEqual(next!.tokenStatus.uri, uri);
      assert.equal(await verifier.byToken(next!), 'valid');
      assert.equal(await verifier.byToken(credentials[0]!), 'valid');
    });

    it('are removed two days after they expired, and their entries are used again only then', async () => {
      const { user, typeId, role } = await makeHolder(api, db(), { validity_seconds: 3600 });
      const { ids, credentials } = await recordFor(on, user.id, typeId);
      await api.delete(`/v3/OS-ROLES/roles/${role.id}`);
      assert.equal(await verifier.byToken(credentials[0]!), 'revoked');
      const later = (seconds: number) => ({ now: () => api.clock.now() + seconds * 1000 });
      const sweepAt = async (seconds: number) => issuedCredentialsOn(db(), later(seconds)).issued.sweep();
      await sweepAt(3600 + 10);
      assert.equal(await stateOf(db(), ids[0]!), 'revoked');
      await sweepAt(DAY + 3600 + 10);
      const row = await db().read.selectFrom('issued_credentials').where('id', '=', ids[0]!).selectAll().executeTakeFirst();
      assert.deepEqual([row?.state, row?.list_state], ['revoked', 0]);
      await sweepAt(2 * DAY + 3600 + 10);
      assert.equal(await stateOf(db(), ids[0]!), undefined);
      for (const table of ['issued_credential_roles', 'issued_credential_tags'] as const) {
        const left = await db().read.selectFrom(table).where('batch_id', '=', row!.batch_id).selectAll().execute();
        assert.deepEqual(left, []);
      }
    });

    it('stay until every replica has read that their entry is free, also if somebody revokes them late', async () => {
      const { user, typeId } = await makeHolder(api, db(), { validity_seconds: 3600 });
      const { ids } = await recordFor(on, user.id, typeId);
      const at = (seconds: number) => issuedCredentialsOn(db(), { now: () => api.clock.now() + seconds * 1000 });
      const late = at(2 * DAY);
      await late.change(serviceActor, (change) => late.issued.revoke(change, ids[0]!, { reason: 'administrator' }));
      await late.issued.sweep();
      await at(2 * DAY + 3600 + 10).issued.sweep();
      assert.equal(await stateOf(db(), ids[0]!), 'revoked', 'it was cleared an hour ago');
      await at(4 * DAY + 10).issued.sweep();
      assert.equal(await stateOf(db(), ids[0]!), undefined);
    });

    it('need a change that can see the list: a role taken in a change without other events is enough', async () => {
      const { user, typeId, role } = await makeHolder(api, db());
      const { ids } = await recordFor(on, user.id, typeId);
      await on.change(serviceActor, async ({ tx, audit, invalidate }) => {
        await tx.deleteFrom('app_user_roles').where('role_id', '=', role.id).execute();
        invalidate(`app-user:${user.id}`);
        audit('app_role.unassigned', { kind: 'app_role', id: role.id }, { user_id: user.id, name: uniqueName('x') });
      });
      assert.equal(await stateOf(db(), ids[0]!), 'revoked');
    });
  },
  { settings: { GATEHOUSE_IDENTITY_URL: ISSUER } },
);
