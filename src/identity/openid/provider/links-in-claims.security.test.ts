// What provisioning clients write about people, and applications show.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fetchUserInfo } from 'openid-client';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { BAD_EMAILS, BAD_LINKS } from '../../../../test/support/bad-links.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { assertScimRefused, patchOf, USER } from '../../../../test/support/scim.ts';

onUsualDatabase('Links and addresses of a person', (api) => {
  const db = usesDatabaseOf(api);
  const claimsOf = async (person: { id: string; name: string; password: string }) => {
    const party = await RelyingParty.make(api);
    const tokens = await party.tokensFor(person, { scope: 'openid profile email' });
    return fetchUserInfo(party.config, tokens.access_token, person.id) as Promise<Record<string, unknown>>;
  };

  it('run no code and read no file, however SCIM sets them', async () => {
    const { id, name } = await makeUser(api);
    const path = `/scim/v2/Users/${id}`;
    const before = (await api.get(path)).body;
    for (const value of BAD_LINKS) {
      assertScimRefused(await api.put(path, { schemas: [USER], userName: name, profileUrl: value }), 400, 'invalidValue');
      const photos = [{ value, primary: true }];
      for (const operation of [
        { op: 'replace', path: 'profileUrl', value },
        { op: 'add', value: { photos } },
        { op: 'add', path: 'photos', value: photos },
        { op: 'add', path: 'photos[type eq "photo"].value', value },
      ])
        assertScimRefused(await api.patch(path, patchOf(operation)), 400, 'invalidValue');
      assertRefused(await api.put(`/v3/OS-SCIM/v2/Users/${id}`, { userName: name, profileUrl: value }), 400, /profileUrl/);
    }
    assert.deepEqual((await api.get(path)).body, before);
  });

  it('are given to applications if they are http or https', async () => {
    const person = await makeUser(api);
    const [profileUrl, photo] = ['https://people.example.org/ann#me', 'http://people.example.org/ann.jpg'];
    const operation = { op: 'add', value: { profileUrl, photos: [{ value: photo }] } };
    assertOk(await api.patch(`/scim/v2/Users/${person.id}`, patchOf(operation)), 204);
    const { profile, picture } = await claimsOf(person);
    assert.deepEqual([profile, picture], [profileUrl, photo]);
    const party = await RelyingParty.make(api);
    const named = JSON.stringify({ userinfo: { picture: { essential: true } } });
    const tokens = await party.tokensFor(person, { scope: 'openid', claims: named });
    const asked = await fetchUserInfo(party.config, tokens.access_token, person.id);
    assert.deepEqual([asked.picture, asked.profile], [photo, undefined], 'by its name, without the scope');
    // Microsoft's validator sends words. They are kept, but are no addresses.
    assertOk(
      await api.patch(`/scim/v2/Users/${person.id}`, patchOf({ op: 'add', path: 'profileUrl', value: 'XKCDQWERTY' })),
      204,
    );
    assert.equal((await claimsOf(person)).profile, undefined);
  });

  it('are not given to applications if they were stored before they were checked', async () => {
    const person = await makeUser(api);
    const email = 'ann@example.org<script>';
    const profile = JSON.stringify({
      profileUrl: 'javascript:alert(1)',
      photos: [{ value: 'data:text/html,x' }],
      emails: [{ value: email, primary: true }],
    });
    const extra = JSON.stringify({ email });
    await db().write((tx) => tx.updateTable('users').set({ profile, extra }).where('id', '=', person.id).execute());
    const claims = await claimsOf(person);
    assert.deepEqual([claims.profile, claims.picture, claims.email], [undefined, undefined, undefined]);
    assertOk(await api.get(`/scim/v2/Users/${person.id}`));
    assertOk(await api.patch(`/scim/v2/Users/${person.id}`, patchOf({ op: 'add', path: 'title', value: 'Dr' })), 204);
    assertOk(await api.patch(`/v3/users/${person.id}`, { user: { description: 'other changes go on' } }));
  });

  it('have no markup and no lists in an e-mail address, whichever API sets it', async () => {
    const { id, name } = await makeUser(api);
    for (const email of BAD_EMAILS) {
      assertRefused(await api.patch(`/v3/users/${id}`, { user: { email } }), 400, /email/);
      assertRefused(await api.post('/v3/users', { user: { name: 'bad-address', email } }), 400, /email/);
      assertRefused(await api.post('/v3/OS-REGISTRATION/users', { user: { name: 'bad', password: 'x', email } }), 400, /email/);
      const emails = [{ value: email }];
      assertScimRefused(await api.put(`/scim/v2/Users/${id}`, { schemas: [USER], userName: name, emails }), 400, 'invalidValue');
      for (const operation of [
        { op: 'add', path: 'emails', value: emails },
        { op: 'replace', path: 'emails[type eq "work"].value', value: email },
      ])
        assertScimRefused(await api.patch(`/scim/v2/Users/${id}`, patchOf(operation)), 400, 'invalidValue');
    }
    for (const email of ["o'brien+x@example.org", 'j\u00f6rg@b\u00fccher.example', ''])
      assertOk(await api.patch(`/v3/users/${id}`, { user: { email } }));
  });
});
