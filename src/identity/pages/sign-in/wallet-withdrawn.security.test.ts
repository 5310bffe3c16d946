// Attacks on signing in with a wallet: with a credential that does not count any more, or from one moment to the next.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { type CredentialHolder, makeCredentialHolder, receiveCredential } from '../../../../test/support/credential-holders.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { issuedTo, makeRoleWorld, takeRole, usesRoleWorld, withdraw } from '../../../../test/support/role-credentials.ts';
import { assertNotSignedIn, usesVisitors } from '../../../../test/support/wallet-visitor.ts';

const REFUSED = /You cannot sign in with this credential/;

onUsualDatabase(
  'With a wallet, nobody gets in',
  (api) => {
    const db = usesDatabaseOf(api);
    const { world } = usesRoleWorld(api);
    const { application, visitor } = usesVisitors(api);

    /** Something happens between the answer of the wallet and the return of the browser. */
    async function inBetween(happens: (person: CredentialHolder) => Promise<unknown>): Promise<void> {
      for (const device of ['link', 'code'] as const) {
        const person = await makeCredentialHolder(api, world);
        const visit = await visitor().ask();
        const { body } = await visit.answered(person.holder, device);
        const number = device === 'code' ? await visit.numberAt(body.redirect_uri) : '';
        await happens(person);
        const page = await (device === 'code' ? visit.types(number) : visit.returns(body.redirect_uri));
        assertNotSignedIn(page);
        assert.equal(page.status, 401);
        assert.match(page.text, REFUSED);
      }
    }

    it('when the role is taken away in between', () => inBetween((person) => takeRole(api, person, world)));
    it('when the credential is revoked in between', () =>
      inBetween(async (person) => withdraw(api, (await issuedTo(api, person))[0].id, 'revoke')));
    it('when it is suspended in between', () =>
      inBetween(async (person) => withdraw(api, (await issuedTo(api, person))[0].id, 'suspend')));
    it('when the user is disabled in between', () =>
      inBetween((person) => api.patch(`/v3/users/${person.id}`, { user: { enabled: false } })));
    it('when the user is deleted in between', () => inBetween((person) => api.delete(`/v3/users/${person.id}`)));
    it('when the application is deleted in between', async () => {
      const own = await makeRoleWorld(api);
      const person = await makeCredentialHolder(api, own);
      const visit = await visitor().ask();
      const { body } = await visit.answered(person.holder);
      await api.delete(`/v3/OS-OAUTH2/consumers/${own.application.id}`);
      assert.match((await visit.returns(body.redirect_uri)).text, REFUSED);
    });

    it('with a credential that was revoked, and all of them get the same answer', async () => {
      const [revoked, gone, disabled] = [
        await makeCredentialHolder(api, world),
        await makeCredentialHolder(api, world),
        await makeCredentialHolder(api, world),
      ];
      await takeRole(api, revoked, world);
      await api.delete(`/v3/users/${gone.id}`);
      await api.patch(`/v3/users/${disabled.id}`, { user: { enabled: false } });
      const pages = [];
      for (const { holder } of [revoked, gone, disabled]) {
        const visit = await visitor().ask();
        // The wallet learns nothing.
        const page = await visit.shows(holder);
        pages.push([page.status, page.text.replaceAll(/value="[^"]*"|interaction[/=][\w-]+|data-[\w-]+="[^"]*"/g, '')]);
      }
      assert.deepEqual(pages[1], pages[0]);
      assert.deepEqual(pages[2], pages[0]);
    });

    it('with a credential that has expired', async () => {
      const short = await makeRoleWorld(api, { validity_seconds: 60 });
      const person = await makeCredentialHolder(api, short);
      const visit = await visitor().ask();
      const { body } = await visit.answered(person.holder);
      api.clock.advance(90);
      assert.match((await visit.returns(body.redirect_uri)).text, REFUSED);
    });

    it('with the credential of a user who was deleted and made again under the same name', async () => {
      const name = uniqueName('again');
      const person = await makeCredentialHolder(api, world, { name });
      await api.delete(`/v3/users/${person.id}`);
      await makeUser(api, { name });
      const visit = await visitor().ask();
      assert.match((await visit.shows(person.holder)).text, REFUSED);
    });

    it('by the entry of another credential, although our signature is right', async () => {
      const person = await makeCredentialHolder(api, world);
      // As after the restore of a backup that was made before it was issued: the entry is free, and is given to another.
      await db().write((tx) =>
        tx.updateTable('issued_credentials').set({ key_thumbprint: 'of another key' }).where('user_id', '=', person.id).execute(),
      );
      const visit = await visitor().ask();
      // The wallet learns nothing.
      assert.match((await visit.shows(person.holder)).text, REFUSED);
    });

    it('any longer in a session that began with a credential that somebody withdrew', async () => {
      for (const how of ['revoke', 'suspend'] as const) {
        const person = await makeCredentialHolder(api, world);
        const visit = await visitor().ask();
        await visit.shows(person.holder);
        const silently = async () => (await visit.browser.go((await application().ask({ prompt: 'none' })).url)).redirectTarget;
        assert.ok((await silently())?.searchParams.has('code'), 'signed in');
        await withdraw(api, (await issuedTo(api, person))[0].id, how);
        assert.equal((await silently())?.searchParams.get('error'), 'login_required');
      }
    });

    it('with one of several copies after another was revoked with the role', async () => {
      const person = await makeCredentialHolder(api, world);
      const second = await receiveCredential(api, person, world.sdJwt);
      await takeRole(api, person, world);
      for (const holder of [person.holder, second]) {
        const visit = await visitor().ask();
        assert.match((await visit.shows(holder)).text, REFUSED);
      }
    });
  },
  { settings: { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' } },
);
