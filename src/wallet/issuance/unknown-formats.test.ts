// An issuer that also has credentials in a format which this wallet does not know: the others can be had.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { issuedCredentials, onEachWalletWithIssuer, VCI } from '../../../test/support/issuance.ts';
import type { IssuerTwist } from '../../../test/support/toy-issuer.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const twistMetadata = (configuration: object): IssuerTwist => ({
  reply: (endpoint, { body }: any) => {
    if (endpoint === 'metadata') body.credential_configurations_supported.odd = configuration;
  },
});

onEachWalletWithIssuer('A format of an issuer that the wallet does not know', (wallet, issuer) => {
  const jwt = { proof_signing_alg_values_supported: ['ES256'] };
  for (const [what, configuration] of Object.entries({
    'another name': {},
    'a name that every object has': { format: 'constructor' },
    // What its algorithms are, each format defines, and each type of proof (OID4VCI 1.0, 12.2.4).
    'algorithms of another kind': { credential_signing_alg_values_supported: [{ suite: 'x', hash: 'y' }] },
    'algorithms of two kinds': { credential_signing_alg_values_supported: ['ES256', -7] },
    'a proof with algorithms of another kind': {
      proof_types_supported: { jwt, cwt: { proof_signing_alg_values_supported: [-7] } },
    },
    'a proof without algorithms': { proof_types_supported: { secret: {} } },
    'other members': { vct: 7, doctype: [], credential_definition: 'x', claims: 'all', credential_metadata: { claims: 'all' } },
  }))
    it(`keeps none of the others from being had: ${what}`, async () => {
      const person = await wallet.logIn();
      issuer.twist = twistMetadata({ format: 'a+format', ...configuration });
      const uri = (...configurations: string[]): string => issuer.offer({ configurations });
      const { body } = await person.post(VCI, { uri: uri('odd', 'identity'), preview: true });
      assert.deepEqual(
        body.offered?.map(({ format, supported }: any) => [format, supported]),
        [
          ['unknown', false],
          ['dc+sd-jwt', true],
        ],
        JSON.stringify(body),
      );
      const both = issuedCredentials(await person.post(VCI, { exchangeId: body.exchangeId }));
      assert.deepEqual(
        both.map(({ credentialConfigurationId: id }) => id),
        ['identity'],
      );
      assert.equal(issuedCredentials(await person.post(VCI, { uri: uri('identity') })).length, 1);
      assertProblem(await person.post(VCI, { uri: uri('odd') }), 422, 'unsupported-format');
    });

  it('nor does a picture whose address is of another kind', async () => {
    const person = await wallet.logIn();
    const pictures = [
      ...['data:image/svg+xml;base64,PHN2Zy8+', 'data:image/svg+xml,%3Csvg/%3E', 'logo.png', '', 'ipfs://x', 7, null],
      { uri: 'x' },
    ];
    issuer.twist = {
      reply: (endpoint, { body }: any) => {
        if (endpoint !== 'metadata') return;
        const display = pictures.map((uri) => ({ name: 'Identity', logo: { uri }, background_image: { uri } }));
        body.display = [...display, { name: 'x', logo: 'x' }, { name: 'y', logo: [] }];
        body.credential_configurations_supported.identity.credential_metadata = { display };
        body.credential_configurations_supported.membership.display = display;
      },
    };
    const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
    assert.deepEqual(
      credential.displays,
      pictures.map(() => ({ name: 'Identity' })),
    );
  });

  it('nor does a type of proof that the wallet does not know, of a credential that it can have', async () => {
    const person = await wallet.logIn();
    issuer.twist = {
      reply: (endpoint, { body }: any) => {
        const { identity, membership } = endpoint === 'metadata' ? body.credential_configurations_supported : {};
        if (identity) identity.proof_types_supported = { jwt, cwt: { proof_signing_alg_values_supported: [-7] } };
        if (membership) membership.proof_types_supported = { cwt: { proof_signing_alg_values_supported: [-7] } };
      },
    };
    assert.equal(issuedCredentials(await person.post(VCI, { uri: issuer.offer() })).length, 1);
    const other = issuer.offer({ configurations: ['membership'] });
    assertProblem(await person.post(VCI, { uri: other }), 422, 'unsupported-proof-type', /cwt/);
  });
});
