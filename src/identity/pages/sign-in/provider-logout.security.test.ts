// A provider signs somebody out who is about to sign in here: with what it said before, no session begins.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, Traveller } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { now, ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';

onUsualDatabase('A person who was signed out at the provider', (api) => {
  const id = uniqueName('idp');
  let provider: PlainProvider;
  let application: RelyingParty;
  let people: ProviderTokens;
  before(async () => {
    provider = await providerFor(id, { sids: true });
    application = await RelyingParty.make(api);
    await connectProvider(api, provider, { id });
    people = new ProviderTokens(api, provider, id);
  });
  after(() => provider.stop());

  const traveller = (): Traveller => new Traveller(api, application, provider, id);
  const nextSecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1050 - (Date.now() % 1000)));

  it('does not finish the sign-in that had begun before, but begins another', async () => {
    const [sub, person] = [uniqueName('ann'), traveller()];
    const { page } = await person.travel(sub);
    await nextSecond();
    assert.equal((await people.signOut({ sub, iat: now() })).status, 200);
    const refused = await person.browser.submit(page, 'provider-new');
    assert.equal(refused.redirectTarget, undefined);
    assert.match(refused.text, /signed out/);
    await nextSecond();
    await traveller().signIn(sub, 'provider-new');
  });

  it('does not finish it, while others do', async () => {
    const [sub, other, person, stranger] = [uniqueName('ben'), uniqueName('cid'), traveller(), traveller()];
    const [own, theirs] = [await person.travel(sub), await stranger.travel(other)];
    await nextSecond();
    assert.equal((await people.signOut({ sub, iat: now() })).status, 200);
    assert.match((await person.browser.submit(own.page, 'provider-new')).text, /signed out/);
    const arrived = await stranger.browser.submit(theirs.page, 'provider-new');
    await stranger.arrive(theirs.request, arrived);
  });
});
