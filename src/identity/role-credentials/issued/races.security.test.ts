// Somebody has a credential issued while the role is taken away: whoever is first, no valid credential says a role that is gone.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, underAttack } from '../../../../test/support/api.ts';
import {
  assign,
  assignmentPath,
  makeApplication,
  makeOrganization,
  makePerson,
  makeRole,
} from '../../../../test/support/applications.ts';
import {
  issuedCredentialsOn,
  makeHolder,
  makeType,
  recordFor,
  stateOf,
  usesIssuedCredentials,
} from '../../../../test/support/issued-credentials.ts';
import { CREDENTIALS } from '../../../../test/support/role-credentials.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { serviceActor } from '../../ground/audit/index.ts';

const ROUNDS = 40;

underAttack('Issuing while a role is taken away', (api) => {
  const { db, on } = usesIssuedCredentials(api);

  const alive = async (userId: string): Promise<number> =>
    (
      await db()
        .read.selectFrom('issued_credentials')
        .where('user_id', '=', userId)
        .where('state', '<>', 'revoked')
        .select('id')
        .execute()
    ).length;

  it('leaves nothing valid, whoever is first', async () => {
    const application = await makeApplication(api);
    const role = await makeRole(api, application);
    const typeId = await makeType(db(), application.id);
    const seen = { issued: 0, refused: 0 };
    const { user, organization } = await makePerson(api);
    const where = { user, organization, application, role };
    for (let round = 0; round < ROUNDS; round++) {
      await assign(api, where);
      const issue = async () => {
        await sleep(round % 2 === 0 ? 0 : round / 4);
        return recordFor(on, user.id, typeId).then(
          () => seen.issued++,
          (error: Error) => {
            assert.match(error.message, /no role/);
            seen.refused++;
          },
        );
      };
      const take = async () => {
        await sleep(round % 2 === 0 ? round / 8 : 0);
        assert.equal((await api.delete(assignmentPath(where))).status, 204);
      };
      await Promise.all([issue(), take(), issue()]);
      assert.equal(await alive(user.id), 0, `round ${round}: ${JSON.stringify(seen)}`);
    }
    assert.ok(seen.issued > 0, 'some were issued before');
  });

  it('leaves nothing valid when two changes each take one of two reasons', async () => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      const holder = await makeHolder(api, db());
      const second = await makeOrganization(api, holder.person);
      await assign(api, { user: holder.user, organization: second, application: holder.application, role: holder.role });
      await recordFor(on, holder.user.id, holder.typeId);
      const disable = (id: string) => api.patch(`/v3/projects/${id}`, { project: { enabled: false } });
      for (const { status } of await Promise.all([disable(holder.organization.id), disable(second.id)]))
        assert.equal(status, 200);
      assert.equal(await alive(holder.user.id), 0, `round ${round}`);
    }
  });
});

/** The steps of the two transactions in a given order, which only PostgreSQL lets run at the same time. */
onDatabase('PostgreSQL', 'Transactions that overlap', {}, (api) => {
  const { db, on } = usesIssuedCredentials(api);

  const removal = (userId: string, during: () => Promise<unknown>) =>
    on.change(serviceActor, async ({ tx, audit, invalidate }) => {
      await tx.deleteFrom('app_user_roles').where('user_id', '=', userId).execute();
      invalidate(`app-user:${userId}`);
      audit('app_role.unassigned', { kind: 'app_role', id: 'x' }, { user_id: userId });
      await during();
    });

  it('revoke what was issued after the role was deleted, and before that was visible', async () => {
    const { user, typeId } = await makeHolder(api, db());
    let ids: string[] = [];
    await removal(user.id, async () => {
      // The role is deleted, but nobody else sees that yet.
      ({ ids } = await recordFor(on, user.id, typeId));
      assert.equal(await stateOf(db(), ids[0]!), 'valid');
    });
    assert.equal(await stateOf(db(), ids[0]!), 'revoked');
  });

  it('let the removal wait for an issuance that has read the role', async () => {
    const { user, typeId } = await makeHolder(api, db());
    let removed: Promise<unknown> | undefined;
    let isRemoved = false;
    const id = await on.change(serviceActor, async (transaction) => {
      const named = { type: { id: typeId }, userId: user.id, clientId: null, notBefore: 0, notAfter: Number.MAX_SAFE_INTEGER };
      const what = { ...named, format: 'x', keyThumbprints: ['k'], issuanceId: 'i', authorizationId: null };
      const { credentials } = await on.issued.record(transaction, what);
      removed = removal(user.id, async () => {}).then(() => {
        isRemoved = true;
      });
      await sleep(300);
      assert.equal(isRemoved, false, 'it waits');
      return credentials[0]!.id;
    });
    await removed;
    assert.equal(await stateOf(db(), id), 'revoked');
  });

  it('change no credential that the sweep removed after it was found: it is not there', async () => {
    const { user, typeId } = await makeHolder(api, db(), { validity_seconds: 3600 });
    const path = async () => `${CREDENTIALS}/${(await recordFor(on, user.id, typeId)).ids[0]!}`;
    const sweep = () => issuedCredentialsOn(db(), { now: () => api.clock.now() + 3 * 86_400_000 }).issued.sweep();
    const POINT = 'credential-change.in-transaction';
    const suspended = await path();
    const body = { credential: { state: 'suspended' } };
    assertRefused(await whenAt(POINT, sweep, () => api.patch(suspended, body)), 404);
    const revoked = await path();
    assertRefused(await whenAt(POINT, sweep, () => api.delete(revoked)), 404);
    for (const one of [suspended, revoked]) {
      const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${one.split('/').at(-1)}`));
      const actions = events.map(({ action }: { action: string }) => action);
      assert.deepEqual(actions, ['issued_credential.created']);
    }
  });

  it('find the very first credential, too', async () => {
    const { user, typeId } = await makeHolder(api, db());
    for (const table of ['issued_credentials', 'status_lists'] as const) await db().write((tx) => tx.deleteFrom(table).execute());
    // The removal has seen that there is no list; the first list waits until it is done.
    let issuing: Promise<unknown> | undefined;
    await on.change(serviceActor, async ({ tx, audit, invalidate }) => {
      await tx.deleteFrom('app_user_roles').where('user_id', '=', user.id).execute();
      invalidate(`app-user:${user.id}`);
      audit('app_role.unassigned', { kind: 'app_role', id: 'x' }, { user_id: user.id });
      assert.deepEqual(await tx.selectFrom('status_lists').selectAll().execute(), []);
      issuing = assert.rejects(recordFor(on, user.id, typeId), /no role/);
      await sleep(200);
    });
    await issuing;
    assert.deepEqual(await db().read.selectFrom('issued_credentials').selectAll().execute(), []);
  });
});
