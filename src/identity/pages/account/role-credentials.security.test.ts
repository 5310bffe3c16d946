// Attacks on roles for a wallet on the account page.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type TestApi, underAttack } from '../../../../test/support/api.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import {
  issuedTo,
  makeHolder,
  makeRoleWorld,
  TestCredentialWallet,
  takeRole,
  usesRoleWorld,
} from '../../../../test/support/role-credentials.ts';
import { offeredOn, PAGE } from '../../../../test/support/role-credentials-page.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const { en } = LANGUAGES;

const fieldsOf = (page: BrowserPage, step: string) => page.forms.find(({ fields }) => fields.step === step)!.fields;

const statesOf = async (api: TestApi, id: string): Promise<string[]> => (await issuedTo(api, { id })).map(({ state }) => state);

async function countOf(api: TestApi, action: string, userId: string): Promise<number> {
  const { body } = await api.get(`/v3/OS-AUDIT/events?action=${action}&limit=1000`);
  const about = (event: any) => event.target_id === userId || event.user_id === userId;
  return body.events.filter(about).length;
}

underAttack('Attacks on roles for a wallet on the account page', (api) => {
  const { world } = usesRoleWorld(api, { formats: ['dc+sd-jwt'] });
  const wallet = new TestCredentialWallet(api);

  it('a credential of somebody else is not revoked, and one cannot tell that it exists', async () => {
    const [person, thief] = [await makeHolder(api, world), await makeHolder(api, world)];
    await wallet.receiveFor(person, world.sdJwt);
    await wallet.receiveFor(thief, world.sdJwt);
    const [owner, evil] = [new TestBrowser(api), new TestBrowser(api)];
    const { credential } = fieldsOf(await owner.signIn(PAGE, person), 'credential-revoke');
    const page = await evil.signIn(PAGE, thief);
    assert.ok(!page.text.includes(credential!));
    for (const id of [credential!, '', 'x', `${credential}x`, "' or '1'='1", 'x'.repeat(5000)]) {
      const answer = await evil.submit(page, 'credential-revoke', { credential: id });
      assert.equal(answer.status, 400);
      assert.ok(answer.text.includes(en.isGone));
    }
    assert.deepEqual([await statesOf(api, person.id), await statesOf(api, thief.id)], [['valid'], ['valid']]);
  });

  it('no form without the token of the session, or from another site, offers or revokes', async () => {
    const person = await makeHolder(api, world);
    await wallet.receiveFor(person, world.sdJwt);
    const [here, there] = [new TestBrowser(api), new TestBrowser(api)];
    const page = await here.signIn(PAGE, person);
    await there.signIn(PAGE, person);
    const offers = await countOf(api, 'credential_offer.created', person.id);
    assert.equal(offers, 1, 'of the wallet');
    for (const step of ['credential-offer', 'credential-revoke']) {
      const fields = fieldsOf(page, step);
      assert.equal((await here.send(PAGE, { ...fields, form_token: '' })).status, 403);
      assert.equal((await there.send(PAGE, fields)).status, 403, 'the token of another session');
      assert.equal((await here.send(PAGE, fields, { origin: 'https://evil.example.org' })).status, 403);
      assert.equal(stepOf(await new TestBrowser(api).send(PAGE, fields)), 'password', 'nobody is signed in');
    }
    assert.deepEqual(await statesOf(api, person.id), ['valid']);
    assert.equal(await countOf(api, 'credential_offer.created', person.id), offers);
  });

  it('an old login makes no offer, but still revokes', async () => {
    const person = await makeHolder(api, world);
    await wallet.receiveFor(person, world.sdJwt);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PAGE, person);
    const offers = await countOf(api, 'credential_offer.created', person.id);
    assert.equal(offers, 1, 'of the wallet');
    api.clock.advance(901);
    const asked = await browser.submit(page, 'credential-offer');
    assert.equal(stepOf(asked), 'password');
    assert.doesNotMatch(asked.text, /openid-credential-offer/);
    assert.equal(await countOf(api, 'credential_offer.created', person.id), offers);
    await browser.submit(page, 'credential-revoke');
    assert.deepEqual(await statesOf(api, person.id), ['revoked']);
    const again = await browser.signIn(asked.url, person);
    offeredOn(await browser.submit(again, 'credential-offer'));
  });

  it('revoking twice, also at once, changes nothing more', async () => {
    const person = await makeHolder(api, world);
    await wallet.receiveFor(person, world.sdJwt);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PAGE, person);
    const fields = fieldsOf(page, 'credential-revoke');
    const both = await Promise.all(
      [1, 2].map(() => browser.request(PAGE, { method: 'POST', body: new URLSearchParams(fields) })),
    );
    assert.deepEqual(
      both.map(({ status }) => status),
      [303, 303],
    );
    const events = await countOf(api, 'issued_credential.revoked', person.id);
    assert.ok(events > 0);
    assert.equal((await browser.send(PAGE, fields)).status, 200);
    assert.deepEqual(await statesOf(api, person.id), ['revoked']);
    assert.equal(await countOf(api, 'issued_credential.revoked', person.id), events);
  });

  it('what one has no role for is not offered, whatever the form says', async () => {
    const [person, other, stranger] = [await makeHolder(api, world), await makeRoleWorld(api), await makeUser(api)];
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PAGE, person);
    for (const configuration of [other.sdJwt, other.typeId, world.typeId, world.jwtVc, '', '<b>', 'x'.repeat(5000)]) {
      const answer = await browser.submit(page, 'credential-offer', { configuration });
      assert.equal(answer.status, 400, configuration);
      assert.ok(answer.text.includes(en.rolesNotAvailable) && !answer.text.includes('openid-credential-offer'));
    }
    await takeRole(api, person, world);
    assert.equal((await browser.submit(page, 'credential-offer')).status, 400, 'the role was taken away meanwhile');
    const evil = new TestBrowser(api);
    const own = await evil.signIn('/account/security', stranger);
    const form = { form_token: own.forms[0]!.fields.form_token!, step: 'credential-offer', configuration: world.sdJwt };
    assert.equal((await evil.send(PAGE, form)).status, 400);
  });

  it('does not make offers without end', async () => {
    const person = await makeHolder(api, world);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PAGE, person);
    for (let made = 0; made < 20; made++) offeredOn(await browser.submit(page, 'credential-offer'));
    const answer = await browser.submit(page, 'credential-offer');
    assert.equal(answer.status, 400);
    assert.ok(answer.text.includes(en.tooManyOffers(20)));
  });

  it('shows nothing to whoever was disabled meanwhile, and their offer is void', async () => {
    const person = await makeHolder(api, world);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PAGE, person);
    const { uri } = offeredOn(await browser.submit(page, 'credential-offer'));
    assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } })).status, 200);
    assert.equal(stepOf(await browser.submit(page, 'credential-offer')), 'password');
    const offer = await fetch(new URL(uri).searchParams.get('credential_offer_uri')!);
    assert.equal(offer.status, 404);
  });
});
