// Those who manage a domain do not get the roles that people outside of it passed on to its users: by a new password, they would.
import { before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { askForTrust, makeTrust, type TrustPerson, trustToken } from '../../../../test/support/trusts.ts';

const PASSWORD = 'a password of a test';

/** A domain, and somebody who manages it. */
async function makeDomain(api: TestApi, role: string) {
  const domain = await api.make('domain', { name: uniqueName('own') });
  const within = { domain_id: domain.id };
  const { token } = await api.persona([role], { domain: domain.id }, within);
  return {
    domain,
    as: { token },
    trustee: () => api.make('user', { name: uniqueName('trustee'), password: PASSWORD, ...within }),
  };
}

async function personIn(api: TestApi, roles: readonly string[], values: object = {}) {
  const project = await api.make('project', { name: uniqueName('project'), ...values });
  return { ...(await api.persona(roles, { project: project.id }, { ...values })), project };
}

const CHANGES = [{ password: 'another' }, { email: 'eve@example.org' }, { enabled: false }];

onUsualDatabase('The manager of a domain', (api) => {
  let own: Awaited<ReturnType<typeof makeDomain>>;
  let giver: TrustPerson;
  before(async () => {
    own = await makeDomain(api, 'manager');
    giver = await personIn(api, ['admin', 'member']);
  });

  it('does not take over a user who was trusted with the role of an administrator', async () => {
    const user = await own.trustee();
    const trust = await makeTrust(api, giver, { user }, { roles: [{ name: 'admin' }] });
    for (const change of CHANGES) assertRefused(await api.patch(`/v3/users/${user.id}`, { user: change }, own.as), 403);
    assertRefused(await api.delete(`/v3/users/${user.id}`, own.as), 403);
    const token = await trustToken(api, { user, password: PASSWORD }, trust);
    assertOk(await api.get('/v3/users', { token }));
    // When the trust is over, the user is like any other.
    assertOk(await api.delete(`/v3/OS-TRUST/trusts/${trust.id}`, { token: giver.token }), 204);
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { password: 'another' } }, own.as));
  });

  it('manages a user whose trust gives less, has no use left or has expired', async () => {
    const plain = await own.trustee();
    await makeTrust(api, giver, { user: plain });
    const usedUp = await own.trustee();
    const once = await makeTrust(api, giver, { user: usedUp }, { roles: [{ name: 'admin' }], remaining_uses: 1 });
    await trustToken(api, { user: usedUp, password: PASSWORD }, once);
    const late = await own.trustee();
    const expires_at = new Date(api.clock.now() + 60_000).toISOString();
    assertOk(await askForTrust(api, giver, { user: late }, { roles: [{ name: 'admin' }], expires_at }), 201);
    assertRefused(await api.patch(`/v3/users/${late.id}`, { user: { password: 'another' } }, own.as), 403);
    api.clock.advance(61);
    for (const { id } of [plain, usedUp, late])
      assertOk(await api.patch(`/v3/users/${id}`, { user: { password: 'another' } }, own.as));
  });
});

onDatabase(
  'SQLite',
  'The administrator of a domain, with the scope enforced',
  { settings: { GATEHOUSE_IDENTITY_ENFORCE_SCOPE: 'on' } },
  (api) => {
    it('does not take over a user who was trusted with the role of an administrator elsewhere, or with that of a service', async () => {
      const own = await makeDomain(api, 'admin');
      const other = await api.make('domain', { name: uniqueName('other') });
      const within = { domain_id: own.domain.id };
      for (const [role, values, status] of [
        ['admin', { domain_id: other.id }, 403],
        ['service', { domain_id: other.id }, 403],
        ['service', within, 403],
        ['admin', within, 200],
        ['member', { domain_id: other.id }, 200],
      ] as const) {
        const user = await own.trustee();
        await makeTrust(api, await personIn(api, [role], values), { user }, { roles: [{ name: role }] });
        const answer = await api.patch(`/v3/users/${user.id}`, { user: { password: 'another' } }, own.as);
        if (status === 200) assertOk(answer);
        else assertRefused(answer, status);
      }
    });
  },
);
