// A provider must not get around the protections of administrators.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, RULES, Traveller } from '../../../../test/support/federation.ts';
import { AT_LOCALHOST, passkeyOptionsOf, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';

const STRICT = 'strict for providers';
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-strict-'));
writeFileSync(join(folder, `keystone.${STRICT}.conf`), '[passkeys]\npolicy = required_for_administrators\n');
const settings = { ...AT_LOCALHOST, GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder };

onDatabase('SQLite', 'Administrators who must use a passkey', { settings }, (api) => {
  servesAtLocalhost(api);
  const id = uniqueName('idp');
  let provider: PlainProvider;
  let domain: { id: string };
  let group: { id: string };
  let application: RelyingParty;
  const traveller = (): Traveller => new Traveller(api, application, provider, id);
  before(async () => {
    provider = await providerFor(id, { redirectUri: `${AT_LOCALHOST.GATEHOUSE_IDENTITY_URL}/openid/providers/${id}/callback` });
    domain = await api.make('domain', { name: STRICT });
    group = await api.make('group', { name: uniqueName('group'), domain_id: domain.id });
    const rules = [...RULES, { local: [{ group: { id: group.id } }], remote: [{ type: 'preferred_username' }] }];
    await connectProvider(api, provider, { id, domainId: domain.id, rules });
    application = await RelyingParty.make(api);
  });
  after(async () => {
    await provider.stop();
    rmSync(folder, { recursive: true });
  });

  it('neither get in through a provider, nor add their first passkey that way', async () => {
    const sub = uniqueName('boss');
    const tokens = await traveller().signIn(sub, 'provider-new');
    const { sub: userId } = tokens.claims()!;
    assertOk(await api.put(`/v3/domains/${domain.id}/users/${userId}/roles/${await api.roleId('admin')}`), 204);
    // Also when the person has just authenticated there.
    for (const more of [{}, { prompt: 'login' }]) {
      const { page } = await traveller().travel(sub, more);
      assert.equal(page.redirectTarget, undefined);
      assert.equal(stepOf(page), 'password');
      assert.equal(passkeyOptionsOf(page, 'create'), undefined);
    }
  });

  it('are not those to whom only a provider gave the role that may not give it: they are not shut out, until somebody else gives it', async () => {
    const sub = uniqueName('guest');
    const userId = (await traveller().signIn(sub, 'provider-new')).claims()!.sub;
    assertOk(await api.put(`/v3/domains/${domain.id}/groups/${group.id}/roles/${await api.roleId('admin')}`), 204);
    const administrators = async (): Promise<string[]> =>
      assertOk(await api.get('/v3/OS-SERVICE/overview'))
        .overview.attention.filter(({ kind }: { kind: string }) => kind === 'administrator_without_factor')
        .map(({ target }: { target: { id: string } }) => target.id);
    const password = 'the password of somebody who also comes through a provider';
    assertOk(await api.patch(`/v3/users/${userId}`, { user: { password } }));
    const logIn = () => api.authenticate({ id: userId, password });
    assertOk(await logIn(), 201);
    assert.ok(!(await administrators()).includes(userId));
    assertOk(await api.put(`/v3/groups/${group.id}/users/${userId}`), 204);
    assertRefused(await logIn(), 401);
    assert.ok((await administrators()).includes(userId));
  });
});
