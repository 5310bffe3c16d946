import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import {
  assign,
  assignmentPath,
  makeApplication,
  makeOrganization,
  makePerson,
  makeRole,
} from '../../../../test/support/applications.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { makeType } from '../../../../test/support/role-credentials.ts';
import { createCredentialTypes } from './index.ts';

onEachDatabase('The types that a person can have a credential of', (api) => {
  const db = usesDatabaseOf(api);
  let [application, further, role, furtherRole]: any[] = [];
  before(async () => {
    [application, further] = [await makeApplication(api), await makeApplication(api)];
    [role, furtherRole] = [await makeRole(api, application), await makeRole(api, further)];
  });

  const make = async (values: object = {}): Promise<string> => (await makeType(api, application, values)).id;
  /** As another process sees it: nothing is cached. */
  const types = () => {
    const cached = () => ({ getOrLoad: (_key: string, load: () => unknown) => load() }) as never;
    return createCredentialTypes({ db: { ...db(), cached }, clock: api.clock });
  };
  const available = async (userId: string, ...ids: string[]) =>
    (await types().availableTo(userId))
      .map(({ id }) => id)
      .filter((id) => ids.includes(id))
      .sort();

  it('are those with a role that they have now, in an organization that counts', async () => {
    const person = await makePerson(api);
    const elsewhere = await makeOrganization(api, person);
    const [any, chosen, other, own] = [
      await make(),
      await make({ roles: [role.id] }),
      await make({ organizations: ['another'] }),
      await make({ only_default_organization: true }),
    ];
    const ids = [any, chosen, other, own];
    assert.deepEqual(await available(person.user.id, ...ids), []);
    const inOrganization = { user: person.user, organization: elsewhere, application, role };
    await assign(api, inOrganization);
    assert.deepEqual(await available(person.user.id, ...ids), [any, chosen].sort());
    await assign(api, { user: person.user, organization: person.organization, application, role });
    assert.deepEqual(await available(person.user.id, ...ids), [any, chosen, own].sort());
    await api.delete(assignmentPath({ user: person.user, organization: person.organization, application, role }));
    await api.delete(assignmentPath(inOrganization));
    assert.deepEqual(await available(person.user.id, ...ids), []);
  });

  it('are also those of further applications, but none that is disabled', async () => {
    const person = await makePerson(api);
    await assign(api, { user: person.user, organization: person.organization, application: further, role: furtherRole });
    const [with_, without, disabled] = [
      await make({ targets: [further.id] }),
      await make(),
      await make({ targets: [further.id], enabled: false }),
    ];
    assert.deepEqual(await available(person.user.id, with_, without, disabled), [with_]);
  });

  it('are none for internal roles, for somebody disabled, and for nobody', async () => {
    const person = await makePerson(api);
    const id = await make();
    const holder = { user: person.user, organization: person.organization, application };
    await assign(api, { ...holder, role: { id: 'provider' } });
    assert.deepEqual(await available(person.user.id, id), [], 'it manages the application, which is nobody else’s business');
    await assign(api, { ...holder, role });
    assert.deepEqual(await available(person.user.id, id), [id]);
    await api.patch(`/v3/users/${person.user.id}`, { user: { enabled: false } });
    assert.deepEqual(await available(person.user.id, id), []);
    assert.deepEqual(await available('nobody', id), []);
  });

  it('name applications by their id, or by the DID that they have', async () => {
    const did = `did:web:${uniqueName('app')}.example`;
    await api.put(`/v3/OS-ROLE-CREDENTIALS/targets/${further.id}`, { target: { did } });
    const names = await types().targetNames(db().read, [application.id, further.id]);
    assert.deepEqual([...names.values()], [application.id, did]);
  });
});
