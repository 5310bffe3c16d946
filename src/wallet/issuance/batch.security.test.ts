// An offer of many copies does not keep the wallet busy for minutes: few slow keys are generated.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { it } from 'node:test';
import { issuedCredentials, keysOf, onEachWalletWithIssuer, VCI } from '../../../test/support/issuance.ts';

/** Made once: an imported key is as good as a new one here. */
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

onEachWalletWithIssuer('A batch for a key that takes long to make', (wallet, issuer) => {
  const receive = async (algorithms: readonly string[]) => {
    const person = await wallet.logIn();
    await person.make('keys', { jwk: rsa(), algorithm: 'RS256' });
    [issuer.batchSize, issuer.proofAlgorithms] = [20, algorithms];
    try {
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer(), count: 20 }));
      return { credential, algorithms: (await keysOf(person)).map(({ algorithm }) => algorithm) };
    } finally {
      [issuer.batchSize, issuer.proofAlgorithms] = [10, ['ES256', 'EdDSA']];
    }
  };

  it('has copies with quick keys, where the issuer takes them', async () => {
    const { credential, algorithms } = await receive(['RS256', 'ES256']);
    assert.equal(credential.instances, 20);
    assert.deepEqual(algorithms, ['RS256', ...Array(19).fill('ES256')]);
  });

  it('has few copies, where the issuer takes nothing else', async () => {
    const { credential, algorithms } = await receive(['RS256']);
    assert.deepEqual([credential.instances, algorithms], [3, ['RS256', 'RS256', 'RS256']]);
  });
});
