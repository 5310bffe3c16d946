// A DID that is taken from an application, or given to another one: credentials that name it must not count there.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../../test/support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../test/support/applications.ts';
import { usesDatabaseOf } from '../../../test/support/restartable-api.ts';

onEachDatabase('A credential that names an application', (api) => {
  const db = usesDatabaseOf(api);
  const put = async (application: { id: string }, did: string) =>
    assert.equal((await api.put(`/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`, { target: { did } })).status, 200);
  const stateOf = async (id: string) =>
    (await db().read.selectFrom('issued_credentials').where('id', '=', id).select('state').executeTakeFirstOrThrow()).state;

  /** As it is recorded when it is issued. */
  async function issued(target: (application: { id: string }) => string) {
    const [application, person, id] = [await makeApplication(api), await makePerson(api), uniqueName('issued')];
    const role = await makeRole(api, application);
    await assign(api, { user: person.user, organization: person.organization, application, role });
    const type_id = uniqueName('type');
    await api.post('/v3/OS-ROLE-CREDENTIALS/types', {
      credential_type: { id: type_id, application_id: application.id, name: 'Workers' },
    });
    const now = Math.floor(api.clock.now() / 1000);
    const names = { batch_id: id, issuance_id: id, user_id: person.user.id, type_id, application_id: application.id };
    const times = { issued_at: now, changed_at: now, expires_at: now + 3600 };
    const entry = { list_id: id, list_index: 7, list_state: 0, list_version: 0, state: 'valid' as const };
    const rest = { client_id: null, reason: null, format: 'dc+sd-jwt', key_thumbprint: id };
    await db().write(async (tx) => {
      await tx.insertInto('status_lists').values({ id, size: 1024, version: 0, is_full: 0, created_at: now }).execute();
      await tx
        .insertInto('issued_credentials')
        .values({ id, ...names, ...times, ...entry, ...rest })
        .execute();
      const said = { batch_id: id, application_id: application.id, role_id: role.id, name: role.name };
      await tx
        .insertInto('issued_credential_roles')
        .values({ ...said, target: target(application) })
        .execute();
      await tx
        .insertInto('issued_credential_tags')
        .values({ tag: `app:${application.id}`, batch_id: id })
        .execute();
    });
    return { id, application };
  }

  it('by its id is revoked when that gets a DID, and not before', async () => {
    const { id, application } = await issued((one) => one.id);
    await makeRole(api, application);
    assert.equal(await stateOf(id), 'valid', 'another change of the application');
    await put(application, `did:web:${uniqueName('app')}.example`);
    assert.equal(await stateOf(id), 'revoked');
  });

  it('by a DID is revoked before another application can have the DID', async () => {
    const did = `did:web:${uniqueName('app')}.example`;
    const { id, application } = await issued(() => did);
    await put(application, did);
    assert.equal(await stateOf(id), 'valid', 'it is called so');
    const other = await makeApplication(api);
    const taken = await api.put(`/v3/OS-ROLE-CREDENTIALS/targets/${other.id}`, { target: { did } });
    assert.equal(taken.status, 409);
    await api.delete(`/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`);
    assert.equal(await stateOf(id), 'revoked');
    await put(other, did);
  });
});
