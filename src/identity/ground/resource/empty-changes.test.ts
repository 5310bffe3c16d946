// As Keystone, a change must change something. The other APIs, and limits, take one with nothing in it.
import { before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { fill, idsFor, makeWorld, type World } from '../../../../test/support/every-route.ts';
import { itemPath } from '../../../../test/support/nouns.ts';
import { allNouns } from '../../nouns.ts';

const REFUSED: Readonly<Record<string, string>> = {
  '/v3/users/:user_id': 'user',
  '/v3/groups/:group_id': 'group',
  '/v3/projects/:project_id': 'project',
  '/v3/domains/:domain_id': 'domain',
  '/v3/roles/:role_id': 'role',
  '/v3/credentials/:credential_id': 'credential',
  ...Object.fromEntries(allNouns.map((noun) => [itemPath(noun), noun.one])),
  '/v3/OS-OAUTH1/consumers/:consumer_id': 'consumer',
  '/v3/OS-FEDERATION/identity_providers/:idp_id': 'identity_provider',
  '/v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id': 'protocol',
};
const TAKEN: Readonly<Record<string, string>> = {
  '/v3/OS-OAUTH2/consumers/:consumer_id': 'consumer',
  '/v3/OS-ROLES/roles/:role_id': 'role',
  '/v3/OS-ROLES/permissions/:permission_id': 'permission',
  '/v3/limits/:limit_id': 'limit',
};

onDatabase('SQLite', 'A change with nothing in it', {}, (api) => {
  let world: World;
  before(async () => {
    world = await makeWorld(api);
  });
  const send = (path: string, body: unknown) => api.patch(fill(path, idsFor(path, world)), body);

  for (const [path, envelope] of Object.entries(REFUSED))
    it(`is refused by PATCH ${path}`, async () => {
      assertRefused(await send(path, { [envelope]: {} }), 400, new RegExp(`'${envelope}'.*at least one property`));
    });

  it('is refused after what the caller may not do, and what is not there', async () => {
    const { token } = await makePerson(api);
    for (const [path, envelope] of Object.entries(REFUSED)) {
      const body = { [envelope]: {} };
      assertRefused(await api.patch(fill(path, idsFor(path, world)), body, { token }), 403);
      assertRefused(await api.patch(path.replaceAll(/:\w+/g, 'no-such-thing'), body), 404);
    }
  });

  for (const [path, envelope] of Object.entries(TAKEN))
    it(`is taken by PATCH ${path}`, async () => void assertOk(await send(path, { [envelope]: {} })));
});
