// A small organization to write in, and the facts about it that clients change at the same time.
import assert from 'node:assert/strict';
import type { PlainProvider } from '../support/plain-provider.ts';
import type { ToyIssuer } from '../support/toy-issuer.ts';
import { TestWallet } from '../support/wallet.ts';
import type { BothServices } from './both-services.ts';
import type { Fact } from './fact.ts';
import { GivenFact, PasswordFact, RESOURCES, ResourceFact, ScimFact, SecondFactorFact, TokenFact } from './identity-facts.ts';
import type { Random } from './random.ts';
import { CredentialsFact, DidFact, Holder, KeyFact } from './wallet-facts.ts';

const FIRST_PASSWORD = 'the first password of somebody';
const PEOPLE = 4;

export interface World {
  readonly facts: Fact[];
  readonly secondFactors: readonly SecondFactorFact[];
  readonly passwords: readonly PasswordFact[];
  /** Something new to begin. */
  invent(random: Random): Fact;
}

/** Logs people in at the wallet through the provider, as browsers do. */
export async function holdersOf(services: BothServices, provider: PlainProvider, names: readonly string[]): Promise<Holder[]> {
  const wallet = new TestWallet(services.kind, { provider });
  wallet.url = services.urls.wallet;
  return Promise.all(names.map(async (name) => new Holder(services, (await wallet.logIn(name)).cookie)));
}

export async function buildWorld(services: BothServices, provider: PlainProvider, issuer: ToyIssuer): Promise<World> {
  const make = async (noun: string, values: object) =>
    (await services.must(201, 'POST', `/v3/${noun}s`, { body: { [noun]: values } })).body[noun];
  const people = await Promise.all(
    Array.from({ length: PEOPLE }, (_, i) =>
      make('user', { name: `somebody-${i}`, password: FIRST_PASSWORD, email: `somebody-${i}@example.org` }),
    ),
  );
  const organizations = await Promise.all([1, 2].map((i) => make('project', { name: `organization-${i}` })));
  const member = (await services.must(200, 'GET', '/v3/roles?name=member')).body.roles[0].id;
  const { consumer } = (
    await services.must(200, 'POST', '/v3/OS-OAUTH2/consumers', { body: { consumer: { name: 'application' } } })
  ).body;
  const { role } = (
    await services.must(200, 'POST', '/v3/OS-ROLES/roles', { body: { role: { name: 'editor', application_id: consumer.id } } })
  ).body;
  const { connection } = (
    await services.must(201, 'POST', '/v3/OS-SCIM/connections', {
      body: { connection: { domain_id: 'default', name: 'provisioning' } },
    })
  ).body;
  const holders = await holdersOf(services, provider, ['ada', 'bob', 'cem']);
  // The key that DIDs use by default, which no fact revokes.
  for (const holder of holders) await holder.must(201, 'POST', '/api/v1/wallet/keys', { alias: 'first', default: true });

  const granted = (userId: string, projectId: string): GivenFact => {
    const path = `/v3/projects/${projectId}/users/${userId}/roles/${member}`;
    return new GivenFact(services, path, {
      status: 204,
      events: ['grant.created', 'grant.revoked'],
      trail: { service: 'identity', targetId: member, about: [userId, projectId] },
      isGiven: async () => {
        const { status } = await services.ask('identity', 'HEAD', path);
        assert.ok([204, 404].includes(status), String(status));
        return status === 204;
      },
    });
  };
  const assigned = (userId: string, projectId: string): GivenFact => {
    const where = `organizations/${projectId}/applications/${consumer.id}/roles/${role.id}`;
    const query = `user_id=${userId}&organization_id=${projectId}&application_id=${consumer.id}&role_id=${role.id}`;
    return new GivenFact(services, `/v3/OS-ROLES/users/${userId}/${where}`, {
      status: 200,
      events: ['app_role.assigned', 'app_role.unassigned'],
      trail: { service: 'identity', targetId: role.id, about: [userId, projectId] },
      isGiven: async () =>
        (await services.must(200, 'GET', `/v3/OS-ROLES/users/role_assignments?${query}`)).body.role_assignments.length === 1,
    });
  };
  // An own member of each organization: an assignment needs one, and the grants of the others come and go.
  const staff = await Promise.all([1, 2].map((i) => make('user', { name: `staff-${i}`, password: FIRST_PASSWORD })));
  for (const { id } of staff)
    for (const project of organizations)
      await services.must(204, 'PUT', `/v3/projects/${project.id}/users/${id}/roles/${member}`);

  const secondFactors = staff.map((user) => new SecondFactorFact(services, user));
  const passwords = people.map((user) => new PasswordFact(services, user, FIRST_PASSWORD));
  const facts: Fact[] = [
    ...people.flatMap(({ id }) => organizations.map((project) => granted(id, project.id))),
    ...staff.flatMap(({ id }) => organizations.map((project) => assigned(id, project.id))),
    ...passwords,
    ...secondFactors,
    ...holders.map((holder, i) => new CredentialsFact(holder, issuer, `credentials-${i}`)),
  ];
  const visitor = await make('user', { name: 'visitor', password: FIRST_PASSWORD });
  let number = 0;
  const kinds: readonly ((name: string, random: Random) => Fact)[] = [
    ...RESOURCES.map((kind) => (name: string) => new ResourceFact(services, kind, `${kind.noun}-${name}`)),
    (name) => new ScimFact(services, connection.token, `scim-${name}`),
    (name) => new TokenFact(services, { id: visitor.id, password: FIRST_PASSWORD }, `token-${name}`),
    (name, random) => new KeyFact(random.pick(holders), `key-${name}`),
    (name, random) => new DidFact(random.pick(holders), `did-${name}`),
  ];
  return { facts, secondFactors, passwords, invent: (random) => random.pick(kinds)(String(++number), random) };
}
