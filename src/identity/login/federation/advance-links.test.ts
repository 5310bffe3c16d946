// `federated` of new users: accounts at providers that an administrator names.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';

const RULES = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] }];

onEachDatabase('Accounts at providers that are named for a new user', (api) => {
  const id = uniqueName('idp');
  let provider: PlainProvider;
  let people: ProviderTokens;
  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id, rules: RULES, settings: { accepts_tokens: true } });
    assertOk(await api.put(`${ROOT}/identity_providers/${id}/protocols/mapped`, { protocol: { mapping_id: id } }), 201);
    people = new ProviderTokens(api, provider, id);
  });
  after(() => provider.stop());

  const at = (unique_id: string, { idp_id = id, protocol_id = 'openid' } = {}) => [
    { idp_id, protocols: [{ protocol_id, unique_id }] },
  ];
  const create = (federated: unknown, token = api.adminToken) =>
    api.post('/v3/users', { user: { name: uniqueName('user'), federated } }, { token });

  it('are shown, found, and lead into the account', async () => {
    const sub = uniqueName('ann');
    const federated = [
      {
        idp_id: id,
        protocols: [
          { protocol_id: 'openid', unique_id: sub },
          { protocol_id: 'mapped', unique_id: sub },
        ],
      },
    ];
    const { user } = assertOk(await create(federated), 201);
    const protocols = (of: { federated: { idp_id: string; protocols: { protocol_id: string }[] }[] }) =>
      of.federated.map(({ idp_id, protocols }) => [idp_id, protocols.map((one) => one.protocol_id).sort()]);
    assert.deepEqual(protocols(user), [[id, ['mapped', 'openid']]]);
    assert.deepEqual(assertOk(await api.get(`/v3/users/${user.id}`)).user, user);
    for (const protocol of ['openid', 'mapped']) {
      const { users } = assertOk(await api.get(`/v3/users?idp_id=${id}&protocol_id=${protocol}&unique_id=${sub}`));
      assert.deepEqual(
        users.map((one: { id: string }) => one.id),
        [user.id],
      );
    }
    assert.deepEqual(assertOk(await api.get(`/v3/users?protocol_id=saml2&unique_id=${sub}`)).users, []);
    assert.equal(assertOk(await people.validate(await people.enter(sub))).token.user.id, user.id);
  });

  it('are in the answer to a change, which does not change them', async () => {
    const { user } = assertOk(await create(at(uniqueName('ben'))), 201);
    const changed = await api.patch(`/v3/users/${user.id}`, { user: { description: 'another', federated: [] } });
    assert.deepEqual(assertOk(changed).user.federated, user.federated);
    const shown = await api.get(`/v3/users/${user.id}`);
    const { extra: _, ...answered } = changed.body.user;
    assert.deepEqual(assertOk(shown).user, answered);
    assert.equal(shown.headers.get('etag'), changed.headers.get('etag'));
    assertRefused(await api.patch(`/v3/users/${user.id}`, { user: { federated: at('other') } }), 400, /federated/);
  });

  it('are refused when the provider or the protocol does not exist, and leave nothing behind', async () => {
    const name = uniqueName('cid');
    const bad: readonly unknown[] = [
      at('x', { idp_id: 'nobody' }),
      at('x', { protocol_id: 'nothing' }),
      [...at(uniqueName('x')), ...at('y', { idp_id: 'nobody' })],
      'text',
      null,
      [{}],
      [{ idp_id: id, protocols: [] }],
      [{ idp_id: id, protocols: [{ protocol_id: 'openid' }] }],
    ];
    for (const federated of bad) assertRefused(await api.post('/v3/users', { user: { name, federated } }), 400, /federated/);
    assert.deepEqual(assertOk(await api.get(`/v3/users?name=${name}`)).users, []);
    const { user } = assertOk(await create([]), 201);
    assert.ok(!('federated' in user));
  });

  it('are of one user', async () => {
    const sub = uniqueName('dot');
    assertOk(await create(at(sub)), 201);
    assertRefused(await create(at(sub)), 409, /federated_user|unique_id/);
    await people.enter(`${sub}-2`);
    assertRefused(await create(at(`${sub}-2`)), 409);
    assertOk(await create(at(sub, { protocol_id: 'mapped' })), 201);
  });

  it('are found when the provider gets its OpenID settings later, also with a slash at the end of the issuer', async () => {
    const [later, sub] = [uniqueName('later'), uniqueName('eve')];
    const path = `${ROOT}/identity_providers/${later}`;
    assertOk(await api.put(path, { identity_provider: { domain_id: 'default', enabled: true } }), 201);
    assertOk(await api.put(`${path}/protocols/openid`, { protocol: { mapping_id: id } }), 201);
    const { user } = assertOk(await create(at(sub, { idp_id: later })), 201);
    const openid = { issuer: `${provider.issuer}/`, client_id: provider.clientId, accepts_tokens: true };
    assertOk(await api.put(`${path}/openid`, { openid }));
    const token = await new ProviderTokens(api, provider, later).enter(sub);
    assert.equal(assertOk(await people.validate(token)).token.user.id, user.id);
  });

  it('cannot be planted by those who may only create users', async () => {
    const { token } = await api.persona(['manager'], { domain: 'default' });
    assertOk(await create([], token), 201);
    assertRefused(await create(at(uniqueName('trap')), token), 403);
    assertRefused(await create(at('x', { idp_id: 'nobody' }), token), 403);
  });
});
