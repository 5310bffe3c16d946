// Previews of offers: what they show of hostile metadata, and that only what was shown is accepted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CREDENTIALS,
  credentialIds,
  EXCHANGES,
  issuedCredentials,
  onEachWalletWithIssuer,
  VCI,
} from '../../../test/support/issuance.ts';
import type { IssuerTwist } from '../../../test/support/toy-issuer.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

onEachWalletWithIssuer('Previews of offers', (wallet, issuer) => {
  /** Changes the issuer's metadata. */
  const twistMetadata = (change: (metadata: any) => void): IssuerTwist => ({
    reply: (endpoint, { body }) => {
      if (endpoint === 'metadata') change(body);
    },
  });
  const describeIdentity = (description: object): IssuerTwist =>
    twistMetadata(({ credential_configurations_supported: { identity } }) => {
      identity.credential_metadata = description;
    });

  it('show names, colours and labels in every language, and so does the credential', async () => {
    const person = await wallet.logIn();
    issuer.twist = describeIdentity({
      display: [
        { name: 'Identity', locale: 'en', background_color: '#12107C', text_color: '#fff', description: 'Who you are' },
        { name: 'Identidad', locale: 'es-ES', logo: { uri: 'https://issuer.example/logo.png' } },
      ],
      claims: [
        { path: ['given_name'], mandatory: true, display: [{ name: 'Nombre', locale: 'es' }] },
        { path: ['nationalities', null] },
      ],
    });
    const displays = [
      { locale: 'en', name: 'Identity', description: 'Who you are', backgroundColor: '#12107C', textColor: '#fff' },
      { locale: 'es-ES', name: 'Identidad' },
    ];
    const labels = [
      { path: ['given_name'], names: [{ locale: 'es', name: 'Nombre' }], mandatory: true },
      { path: ['nationalities', null] },
    ];
    const { body } = await person.post(VCI, { uri: issuer.offer(), preview: true });
    assert.deepEqual([body.offered[0].displays, body.offered[0].labels], [displays, labels]);
    const [credential] = issuedCredentials(await person.post(VCI, { exchangeId: body.exchangeId }));
    assert.deepEqual([credential.displays, credential.labels], [displays, labels]);
    assert.deepEqual((await person.get(`${CREDENTIALS}/${credential.id}`)).body, credential);
  });

  describe('that are outdated', () => {
    const changes: Record<string, (metadata: any) => void> = {
      'another name of the issuer': (metadata) => {
        metadata.display = [{ name: 'Your bank' }];
      },
      'another name of the credential': ({ credential_configurations_supported: { identity } }) => {
        identity.credential_metadata.display = [{ name: 'Passport' }];
      },
      'another type': ({ credential_configurations_supported: { identity } }) => {
        identity.vct = 'https://example.org/other';
      },
    };
    for (const [name, change] of Object.entries(changes))
      it(`are not accepted: ${name}`, async () => {
        const person = await wallet.logIn();
        const uri = issuer.offer();
        const { exchangeId } = (await person.post(VCI, { uri, preview: true })).body;
        issuer.twist = twistMetadata(change);
        // By its id, and by the offer itself.
        for (const body of [{ exchangeId }, { uri }]) assertProblem(await person.post(VCI, body), 409, 'preview-outdated');
        assert.deepEqual(issuer.asked('token'), [], 'the code was not redeemed');
        assert.deepEqual(await credentialIds(person), []);

        issuer.twist = {};
        issuedCredentials(await person.post(VCI, { exchangeId }));
      });

    it('are accepted after another look', async () => {
      const person = await wallet.logIn();
      const { exchangeId } = (await person.post(VCI, { uri: issuer.offer(), preview: true })).body;
      issuer.twist = twistMetadata(changes['another name of the issuer']!);
      assertProblem(await person.post(VCI, { exchangeId }), 409, 'preview-outdated');
      const { body } = await person.post(VCI, { exchangeId, preview: true });
      assert.equal(body.issuer.name, 'Your bank');
      assert.equal((await person.get(`${EXCHANGES}/${exchangeId}`)).body.summary.name, 'Your bank');
      issuedCredentials(await person.post(VCI, { exchangeId }));
    });
  });
});
