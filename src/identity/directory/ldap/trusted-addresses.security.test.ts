// A provider that is trusted with e-mail addresses, in a domain whose people are in a directory: many directories let people write any
// address into their own entry, so that an address there says nothing about whose account it is.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { uniqueName } from '../../../../test/support/api.ts';
import { DirectoryDomain } from '../../../../test/support/directory-domain.ts';
import { connectProvider, providerFor, Traveller } from '../../../../test/support/federation.ts';
import { databasesInTurn } from '../../../../test/support/migrated-database.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';

for (const kind of databasesInTurn('Somebody in a directory, whose address a trusted provider names'))
  describe(`Somebody in a directory, whose address a trusted provider names (${kind})`, () => {
    const domain = new DirectoryDomain(kind, { slapd: { people: 3 } });
    const { api } = domain;
    const db = usesDatabaseOf(api);
    const id = uniqueName('idp');
    const UID = 'user1';
    const claims = { email: `${UID}@example.org`, email_verified: true };
    let provider: PlainProvider;
    before(async () => {
      provider = await providerFor(id);
      const settings = { email_domains: ['example.org'], trusts_email: true, accepts_tokens: true };
      await connectProvider(api, provider, { id, domainId: domain.id, settings });
      await domain.synchronize();
    });
    after(() => provider.stop());

    const links = () => db().read.selectFrom('provider_links').select('user_id').execute();

    it('is entered by nobody at the API', async () => {
      const user = await domain.user(UID);
      assert.equal(user.email, claims.email, 'the account has that address');
      const answer = await new ProviderTokens(api, provider, id).logIn(uniqueName('stranger'), claims);
      assertRefused(answer, 403, /must be created in its directory/);
      assert.deepEqual(await links(), []);
    });

    it('is entered by nobody at the pages: who comes is asked to prove that the account is theirs', async () => {
      const application = await RelyingParty.make(api);
      const traveller = new Traveller(api, application, provider, id);
      const sub = uniqueName('person');
      await provider.change(sub, claims);
      const { page } = await traveller.travel(sub);
      assert.equal(page.redirectTarget, undefined);
      assert.equal(stepOf(page), 'provider-link', page.text);
      assert.deepEqual(await links(), []);
    });
  });
