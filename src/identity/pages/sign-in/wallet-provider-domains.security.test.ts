// The borders of domains, for people who show credentials of other issuers.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { CredentialIssuer, connectIssuer } from '../../../../test/support/credential-issuer.ts';
import { usesDomainFiles } from '../../../../test/support/domain-files.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { assertNotSignedIn, usesVisitors } from '../../../../test/support/wallet-visitor.ts';

const withoutWallets = usesDomainFiles({ 'without wallets': '[wallet]\nsign_in = off\n' });

onUsualDatabase(
  'A domain without wallets',
  (api) => {
    const { visitor } = usesVisitors(api);
    let issuer: CredentialIssuer;
    let domain: { id: string };
    let group: { id: string };
    before(async () => {
      issuer = await new CredentialIssuer(() => api.clock.now()).start();
      domain = await api.make('domain', { name: 'without wallets' });
      group = await api.make('group', { name: uniqueName('given'), domain_id: domain.id });
    });
    after(() => issuer.stop());

    const claims = [['email'], ['email_verified']];
    const trusted = { whole_service: true, trusts_email: true, email_domains: ['example.org'] };

    /** Shows a credential of a provider that is for the whole service. */
    async function show(email: string, name: object) {
      const credentials = [{ format: 'dc+sd-jwt', types: [issuer.type], subject: ['sub'], claims }];
      const rules = [{ local: [{ user: name }, { group: { id: group.id } }], remote: [{ type: 'email' }] }];
      const own = await connectIssuer(api, issuer, { rules, settings: { credentials, ...trusted } });
      const visit = await visitor().ask();
      const { holder } = await issuer.issue({ claims: { email, email_verified: true } });
      const page = await visit.shows(holder);
      assertNotSignedIn(page);
      return { visit, page, remove: async () => assertOk(await api.delete(own.path), 204) };
    }
    const members = async (): Promise<unknown[]> => assertOk(await api.get(`/v3/groups/${group.id}/users`)).users;

    it('has nobody who is connected or given something by what a wallet shows', async () => {
      const { id, name, password } = await makeUser(api, { domain_id: domain.id });
      const { visit, page, remove } = await show(`${uniqueName('mail')}@elsewhere.example`, { name: '{0}' });
      const proving = await visit.browser.submit(page, 'provider-link');
      const refused = await visit.presses(proving, 'password', { name, password, domain: 'without wallets' });
      assertNotSignedIn(refused);
      assert.match(refused.text, /not for the domain of the account/);
      assert.deepEqual(assertOk(await api.get(`/v3/users/${id}`)).user.federated ?? [], []);
      assert.deepEqual(await members(), []);
      await remove();
    });

    it('gets no new account by it', async () => {
      const { remove } = await show(`${uniqueName('new')}@example.org`, { name: '{0}', domain: { id: domain.id } });
      assert.deepEqual(
        assertOk(await api.get(`/v3/users?domain_id=${domain.id}`)).users.filter(({ name }: any) => name.startsWith('new')),
        [],
      );
      assert.deepEqual(await members(), []);
      await remove();
    });
  },
  { settings: { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both', ...withoutWallets } },
);
