// A DID that is taken from an application, or given to another one: credentials that name it must not count there.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication, makeRole } from '../../../../test/support/applications.ts';
import { makeHolder, recordFor, stateOf, usesIssuedCredentials } from '../../../../test/support/issued-credentials.ts';

onUsualDatabase('A credential that names an application', (api) => {
  const { db, on } = usesIssuedCredentials(api);
  const put = async (application: { id: string }, did: string) =>
    assert.equal((await api.put(`/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`, { target: { did } })).status, 200);
  it('by its id is revoked when that gets a DID, and not before', async () => {
    const { user, application, typeId } = await makeHolder(api, db());
    const { ids, roles } = await recordFor(on, user.id, typeId);
    assert.equal(roles[0]!.target, application.id);
    await makeRole(api, application);
    assert.equal(await stateOf(db(), ids[0]!), 'valid', 'another change of the application');
    await put(application, `did:web:${uniqueName('app')}.example`);
    assert.equal(await stateOf(db(), ids[0]!), 'revoked');
  });

  it('by a DID is revoked before another application can have the DID', async () => {
    const did = `did:web:${uniqueName('app')}.example`;
    const { user, application, typeId } = await makeHolder(api, db());
    await put(application, did);
    const { ids, roles } = await recordFor(on, user.id, typeId);
    assert.equal(roles[0]!.target, did);
    await put(application, did);
    assert.equal(await stateOf(db(), ids[0]!), 'valid', 'it is called so');
    const other = await makeApplication(api);
    const taken = await api.put(`/v3/OS-ROLE-CREDENTIALS/targets/${other.id}`, { target: { did } });
    assert.equal(taken.status, 409);
    await api.delete(`/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`);
    assert.equal(await stateOf(db(), ids[0]!), 'revoked');
    await put(other, did);
  });
});
