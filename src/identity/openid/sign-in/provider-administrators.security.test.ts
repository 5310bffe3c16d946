// A provider must not get around the protections of administrators.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
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
  before(async () => {
    provider = await providerFor(id, { redirectUri: `${AT_LOCALHOST.GATEHOUSE_IDENTITY_URL}/openid/providers/${id}/callback` });
  });
  after(async () => {
    await provider.stop();
    rmSync(folder, { recursive: true });
  });

  it('neither get in through a provider, nor add their first passkey that way', async () => {
    const domain = await api.make('domain', { name: STRICT });
    await connectProvider(api, provider, { id, domainId: domain.id, rules: RULES });
    const application = await RelyingParty.make(api);
    const sub = uniqueName('boss');
    const traveller = (): Traveller => new Traveller(api, application, provider, id);
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
});
