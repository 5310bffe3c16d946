// Our issuer with HAIP on, our wallet node, which it knows by an attestation, and somebody who has a role: for verifiers that others wrote.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestApi } from '../../test/support/api.ts';
import { issuedCredentials, VCI } from '../../test/support/issuance.ts';
import { makeHolder, makeOffer, makeRoleWorld } from '../../test/support/role-credentials.ts';
import { TestWallet } from '../../test/support/wallet.ts';

export async function startHaipCircle() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-circle-'));
  const file = (name: string): string => join(folder, name);
  for (const anchors of ['issuers.pem', 'verifiers.pem']) writeFileSync(file(anchors), '');
  const wallet = new TestWallet('SQLite', {
    settings: {
      GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS: file('issuers.pem'),
      GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS: file('verifiers.pem'),
    },
  });
  const api = new TestApi('SQLite', {
    settings: { GATEHOUSE_IDENTITY_HAIP: 'on', GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE: file('providers.json') },
  });
  const stop = async (): Promise<void> => {
    await wallet.stop().catch(() => {});
    await api.stop().catch(() => {});
    rmSync(folder, { recursive: true });
  };
  try {
    await wallet.start();
    const known = (await wallet.request('GET', '/.well-known/wallet-client')).body;
    writeFileSync(file('root.pem'), known.attester.root);
    const clients = [{ client_id: known.client_id, redirect_uris: known.redirect_uris }];
    writeFileSync(
      file('providers.json'),
      JSON.stringify({ providers: [{ name: 'Ours', certificates_file: 'root.pem', clients }] }),
    );
    await api.start();
    const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'], claims: ['name', 'email'] });
    const person = await makeHolder(api, world);
    const owner = await wallet.logIn();
    const { issuer } = (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body;
    writeFileSync(file('issuers.pem'), issuer.root);
    /** A credential in the wallet, by an offer. */
    async function receive(): Promise<any> {
      const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
      return issuedCredentials(await owner.post(VCI, { uri, txCode }))[0];
    }
    /** The wallet looks at the file every five seconds. */
    const trustVerifiers = (pem: string): void => writeFileSync(file('verifiers.pem'), pem);
    return { wallet, api, world, person, owner, issuer, receive, trustVerifiers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
