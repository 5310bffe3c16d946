// Headers of every answer, and settings that are refused at the start.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { onEachWallet } from '../../test/support/wallet.ts';
import { assertProblem } from '../../test/support/wallet-answers.ts';
import { ConfigError } from '../platform/config/index.ts';
import { createSeal, newMasterKey } from '../platform/seal/index.ts';
import { createWalletService, type WalletOptions } from './service.ts';

onEachWallet('Every answer', (wallet) => {
  it('has headers that keep a browser from running or embedding it', async () => {
    for (const path of ['/api/v1/wallet/keys', '/livez', '/.well-known/did.json', '/nowhere']) {
      const { headers } = await wallet.get(path);
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'", path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('strict-transport-security'), null, 'without TLS it would be ignored');
    }
  });

  it('refuses what a request has that is not asked for', async () => {
    const person = await wallet.logIn();
    const did = await person.make('dids');
    for (const step of ['publish', 'unpublish'])
      assertProblem(await person.post(`/api/v1/wallet/dids/${did.id}/${step}`, { surprise: 1 }), 400, 'invalid-request');
    assert.equal((await person.post(`/api/v1/wallet/dids/${did.id}/publish`)).status, 200);
    assert.equal((await person.post(`/api/v1/wallet/dids/${did.id}/unpublish`, {})).status, 200);
  });

  it('needs valid settings: the start fails and names the invalid one', async () => {
    const folder = await mkdtemp(`${tmpdir()}/settings-`);
    await writeFile(`${folder}/broken.json`, '{"a":');
    for (const [setting, wrong] of Object.entries({
      GATEHOUSE_WALLET_URL: { url: 'http://wallet_node:8080' },
      GATEHOUSE_WALLET_TRUST_ANCHORS: { trustAnchors: `${folder}/nowhere.pem` },
      GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS: { issuerTrustAnchors: `${folder}/nowhere.pem` },
      GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS: { verifierTrustAnchors: `${folder}/nowhere.pem` },
      GATEHOUSE_WALLET_VERIFIERS_FILE: { verifiersFile: `${folder}/broken.json` },
      GATEHOUSE_WALLET_PKCS11_LIBRARY: { pkcs11Library: `${folder}/nowhere.so` },
    })) {
      const options = { config: { ...wallet.config, ...wrong }, dataDir: folder, seal: createSeal([newMasterKey()]) };
      await assert.rejects(
        createWalletService({ ...options, log: { warn: () => undefined } } as unknown as WalletOptions),
        (error: Error) => error instanceof ConfigError && error.message.startsWith(`${setting}: `),
        setting,
      );
    }
    await rm(folder, { recursive: true });
  });
});
