// Whether somebody can sign in by what they have connected, where a wallet shows it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { certify, type TestCertificate } from '../../../../test/support/certificates.ts';
import { CredentialIssuer, connectIssuer } from '../../../../test/support/credential-issuer.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { newId } from '../../../platform/ids.ts';
import { createLinks, type LinkDeps } from './links.rules.ts';
import { issuerOfSubjects } from './wallet-providers.rules.ts';

onEachDatabase('A link by a wallet', (api) => {
  const db = usesDatabaseOf(api);
  let domains: { id: string }[];
  before(async () => {
    domains = [
      await api.make('domain', { name: uniqueName('of people') }),
      await api.make('domain', { name: uniqueName('of it') }),
    ];
  });

  /** Somebody of the first domain, who has connected what a provider of the second trusts, and nothing else. */
  async function connected(more: object = {}, name = 'https://issuer.example', path = ['sub']): Promise<string> {
    const [ofPeople, ofProvider] = domains;
    const issuer = new CredentialIssuer(() => api.clock.now());
    const credentials = [{ format: 'dc+sd-jwt', types: ['a type'], subject: ['sub'] }];
    const settings = { credentials, issuers: ['https://issuer.example'], whole_service: true, ...more };
    const { id: provider_id } = await connectIssuer(api, issuer, { domainId: ofProvider!.id, settings });
    const { id: user_id } = await makeUser(api, { domain_id: ofPeople!.id });
    await db().write((tx) =>
      tx
        .insertInto('provider_links')
        .values({
          id: newId(),
          provider_id,
          issuer: issuerOfSubjects(name, path),
          subject: uniqueName('sub'),
          protocol_id: 'openid4vp',
          user_id,
          label: 'somebody',
          given: '{"groups":[],"roles":[]}',
          by_address: 0,
          created_at: 1,
          last_used_at: null,
        })
        .execute(),
    );
    return user_id;
  }

  /** Where these domains have wallets. */
  async function isUsable(userId: string, having: readonly { id: string }[]): Promise<boolean> {
    const links = createLinks({
      db: db(),
      entitlements: { needsProof: async () => false },
      hasWallets: async (_tx: unknown, domainId: string) => having.some(({ id }) => id === domainId),
    } as unknown as LinkDeps);
    return db().write((tx) => links.hasUsable(tx, userId));
  }

  it('is a way in where the domains of the person and of the provider have wallets, and nowhere else', async () => {
    const userId = await connected();
    const [ofPeople, ofProvider] = domains as [{ id: string }, { id: string }];
    assert.equal(await isUsable(userId, [ofPeople, ofProvider]), true);
    assert.equal(await isUsable(userId, [ofPeople]), false, 'wallets are not asked for it');
    assert.equal(await isUsable(userId, [ofProvider]), false, 'nobody of this domain is let in');
    assert.equal(await isUsable(userId, []), false);
  });

  it('is none when the root that issued the document is not listed any more', async () => {
    const [listed, another] = [certify({ name: 'CN=Root', ca: true }), certify({ name: 'CN=Root', ca: true })];
    const subject = ['a.b', 'sub'];
    const settings = {
      credentials: [{ format: 'mso_mdoc', types: ['a.b'], subject }],
      issuers: [],
      root_certificates: [listed.certificate.toString()],
    };
    const nameOf = ({ certificate }: TestCertificate): string => {
      const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
      return `x509_root:${createHash('sha256').update(key).digest('base64url')}`;
    };
    assert.equal(await isUsable(await connected(settings, nameOf(listed), subject), domains), true);
    assert.equal(await isUsable(await connected(settings, nameOf(another), subject), domains), false);
  });
});
