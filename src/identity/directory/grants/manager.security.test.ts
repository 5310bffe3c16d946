// The manager of a domain grants what its roles are, and not what they are called.
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';

onUsualDatabase('The manager of a domain', (api) => {
  it('does not grant the role of services by the name of another role', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const within = { domain_id: domain.id };
    const { user, token } = await api.persona(['manager'], { domain: domain.id }, within);
    const project = await api.make('project', { name: uniqueName('project'), ...within });
    const plain = await api.make('role', { name: 'reader', ...within });
    const mighty = await api.make('role', { name: 'member', ...within });
    assertOk(await api.put(`/v3/roles/${plain.id}/implies/${await api.roleId('reader')}`), 201);
    assertOk(await api.put(`/v3/roles/${mighty.id}/implies/${await api.roleId('service')}`), 201);
    const grant = (where: string, { id }: { id: string }) =>
      api.put(`/v3/${where}/users/${user.id}/roles/${id}`, undefined, { token });
    for (const where of [`domains/${domain.id}`, `projects/${project.id}`]) {
      assertRefused(await grant(where, mighty), 403);
      assertOk(await grant(where, plain), 204);
    }
    const inherited = `/v3/OS-INHERIT/domains/${domain.id}/users/${user.id}/roles/${mighty.id}/inherited_to_projects`;
    assertRefused(await api.put(inherited, undefined, { token }), 403);
    const invitation = { email: `${uniqueName('eve')}@example.org`, ...within, organization_id: project.id, role_id: mighty.id };
    assertRefused(await api.post('/v3/OS-REGISTRATION/invitations', { invitation }, { token }), 403);
  });
});
