// Names of people reach applications, whichever API set them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fetchUserInfo } from 'openid-client';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const NAMES = { given_name: 'Ada', family_name: 'Lovelace', middle_name: 'King', nickname: 'Countess' };
const PLACE = { locale: 'en-GB', zoneinfo: 'Europe/London' };
const SCHEMAS = ['urn:ietf:params:scim:schemas:core:2.0:User'];

onEachDatabase('The names of a person', (api) => {
  const claimsOf = async (person: { id: string; name: string; password: string }) => {
    const party = await RelyingParty.make(api);
    const tokens = await party.tokensFor(person, { scope: 'openid profile' });
    return fetchUserInfo(party.config, tokens.access_token, person.id) as Promise<Record<string, unknown>>;
  };
  const picked = (claims: Record<string, unknown>, names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, claims[name]]));

  it('are in the user information when the base API set them, and in SCIM', async () => {
    const person = await makeUser(api, { ...NAMES, ...PLACE });
    const claims = await claimsOf(person);
    assert.deepEqual(picked(claims, { ...NAMES, ...PLACE }), { ...NAMES, ...PLACE });
    assert.deepEqual([claims.name, claims.displayName], ['Ada Lovelace', person.name]);
    const { name, nickName, locale, timezone } = assertOk(await api.get(`/scim/v2/Users/${person.id}`));
    assert.deepEqual(name, { givenName: 'Ada', familyName: 'Lovelace', middleName: 'King', formatted: 'Ada Lovelace' });
    assert.deepEqual([nickName, locale, timezone], ['Countess', 'en-GB', 'Europe/London']);
    const { user } = assertOk(await api.get(`/v3/users/${person.id}`));
    assert.deepEqual(picked(user, { ...NAMES, ...PLACE }), { ...NAMES, ...PLACE });
  });

  it('are those of the last change, of the base API, of SCIM or of the person', async () => {
    const person = await makeUser(api, NAMES);
    const path = `/v3/users/${person.id}`;
    assertOk(await api.patch(path, { user: { given_name: 'Augusta', nickname: null } }));
    const changed = await claimsOf(person);
    assert.deepEqual([changed.given_name, changed.family_name, changed.nickname], ['Augusta', 'Lovelace', undefined]);
    assert.equal(changed.name, 'Augusta Lovelace');
    const resource = {
      schemas: SCHEMAS,
      userName: person.name,
      active: true,
      name: { givenName: 'Grace', familyName: 'Hopper' },
    };
    assertOk(await api.put(`/scim/v2/Users/${person.id}`, resource));
    const provisioned = await claimsOf(person);
    assert.deepEqual([provisioned.given_name, provisioned.family_name, provisioned.middle_name], ['Grace', 'Hopper', undefined]);
    const { user } = assertOk(await api.get(path));
    assert.deepEqual([user.given_name, user.family_name, user.middle_name], ['Grace', 'Hopper', undefined]);
    const browser = new TestBrowser(api);
    const page = await browser.signIn('/account/profile', person);
    await browser.submit(page, 'profile', { givenName: 'Katherine' });
    assert.equal((await claimsOf(person)).given_name, 'Katherine');
    assert.equal(assertOk(await api.get(path)).user.given_name, 'Katherine');
  });

  it('are the same for the base API, SCIM, OpenID Connect and the person, with the language and the zone', async () => {
    const person = await makeUser(api, { given_name: 'Ada', language: 'pt-br', zoneinfo: 'Europe/Lisbon' });
    const path = `/v3/users/${person.id}`;
    const claims = await claimsOf(person);
    assert.deepEqual([claims.locale, claims.zoneinfo], ['pt-br', 'Europe/Lisbon']);
    const scim = assertOk(await api.get(`/scim/v2/Users/${person.id}`));
    assert.deepEqual([scim.preferredLanguage, scim.timezone], ['pt-br', 'Europe/Lisbon']);
    const browser = new TestBrowser(api);
    const page = await browser.signIn('/account/profile', person);
    assert.match(page.text, /Europe\/Lisbon/);
    await browser.submit(page, 'profile', { familyName: 'Lovelace', preferredLanguage: 'es', timezone: '' });
    const { user } = assertOk(await api.get(path));
    assert.deepEqual([user.given_name, user.family_name, user.language, user.zoneinfo], ['Ada', 'Lovelace', 'es', undefined]);
    const [listed] = assertOk(await api.get(`/v3/users?name=${encodeURIComponent(person.name)}`)).users;
    assert.deepEqual([listed.family_name, listed.language, listed.zoneinfo], ['Lovelace', 'es', undefined]);
    assert.equal((await claimsOf(person)).locale, 'es');
    const resource = { schemas: SCHEMAS, userName: person.name, preferredLanguage: 'de', timezone: 'no zone', locale: 'de_AT' };
    assertOk(await api.put(`/scim/v2/Users/${person.id}`, resource));
    const provisioned = await claimsOf(person);
    assert.deepEqual([provisioned.locale, provisioned.zoneinfo], ['de', undefined], 'what is no zone is not told');
    assert.deepEqual(assertOk(await api.get(path)).user.given_name, undefined);
    assertOk(await api.patch(path, { user: { language: null } }));
    assert.equal((await claimsOf(person)).locale, 'de-AT');
    assertOk(await api.patch(path, { user: { zoneinfo: 'no zone', description: 'as it was' } }));
  });

  it('are refused where they cannot be', async () => {
    const person = await makeUser(api);
    for (const user of [
      { given_name: 'a'.repeat(101) },
      { family_name: 'Love\u0007lace' },
      { family_name: '\u202egnirts' },
      { language: 'no language' },
      { language: '<script>' },
      { zoneinfo: 'Europe/Atlantis' },
      { zoneinfo: '+02:00' },
    ]) {
      const answer = await api.patch(`/v3/users/${person.id}`, { user });
      assert.equal(answer.status, 400, JSON.stringify(user));
      assert.match(answer.text, new RegExp(Object.keys(user)[0]!));
      assert.equal((await api.post('/v3/users', { user: { name: uniqueName('new'), ...user } })).status, 400);
    }
  });

  it('may be anything in the base API, as in Keystone; only texts are names', async () => {
    const person = await makeUser(api, { given_name: 7, family_name: { first: 'x' }, nickname: '' });
    const claims = await claimsOf(person);
    assert.deepEqual([claims.given_name, claims.family_name, claims.nickname], [undefined, undefined, undefined]);
    const { user } = assertOk(await api.get(`/v3/users/${person.id}`));
    assert.deepEqual([user.given_name, user.family_name], [7, { first: 'x' }]);
  });

  it('of users of earlier versions, who have them in the base API only, are there, too', async () => {
    const person = await makeUser(api, { ...NAMES, name: uniqueName('earlier') });
    const db = await databaseOf(api);
    try {
      await db.write((tx) => tx.updateTable('users').set({ profile: '{}' }).where('id', '=', person.id).execute());
    } finally {
      await db.close();
    }
    assert.deepEqual(picked(await claimsOf(person), NAMES), NAMES);
  });
});
