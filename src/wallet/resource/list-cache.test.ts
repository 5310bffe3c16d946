// Caches of two processes on one database: a change in one process is visible in the other.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onWallet, TestWallet, WalletUser } from '../../../test/support/wallet.ts';

const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';

const settings: Record<string, string> = {};

onWallet('PostgreSQL', 'Two nodes of one wallet', { settings }, (wallet) => {
  let other: TestWallet;
  let [here, there]: WalletUser[] = [];

  before(async () => {
    const { name, cookie } = await wallet.logIn();
    // Both are one node, with one address: whoever logs in does so before it is said.
    settings.GATEHOUSE_WALLET_URL = 'http://wallet.example';
    await wallet.service.stop(1000);
    await wallet.open();
    other = new TestWallet('PostgreSQL', { settings, provider: wallet.provider });
    other.databaseUrl = wallet.databaseUrl;
    await other.open([wallet.masterKey]);
    [here, there] = [new WalletUser(wallet, name, cookie), new WalletUser(other, name, cookie)];
  });
  after(() => other.service.stop(1000));

  async function shows(what: () => Promise<unknown>, expected: unknown): Promise<void> {
    for (const end = Date.now() + 20_000; Date.now() < end; ) {
      if (JSON.stringify(await what()) === JSON.stringify(expected)) return;
      await sleep(20);
    }
    assert.deepEqual(await what(), expected);
  }

  it('drops lists and documents the other node changed', async () => {
    const states = async () => (await there!.get(DIDS)).body.map(({ state, versionId }: any) => [state, versionId]);
    const keys = async () => (await there!.get(KEYS)).body.map(({ state }: any) => state).sort();
    const methods = async () => {
      const { status, body } = await other.get('/dids/shared/did.json');
      return status === 200 ? body.verificationMethod.length : status;
    };
    assert.deepEqual([await states(), await keys(), await methods()], [[], [], 404]);
    const did = await here!.make('dids', { path: 'shared' });
    await shows(states, [['draft', 1]]);
    await shows(keys, ['active']);
    await here!.post(`${DIDS}/${did.id}/publish`);
    await shows(states, [['published', 1]]);
    await shows(methods, 1);
    await here!.post(`${KEYS}/${did.keys[0].keyId}/rotate`, {});
    await shows(states, [['published', 2]]);
    await shows(keys, ['active', 'rotated']);
    await shows(methods, 2);
    await here!.post(`${DIDS}/${did.id}/unpublish`);
    await shows(methods, 404);
  });

  it('has one document, whichever node is asked, and one key', async () => {
    const [one, two] = [await wallet.get('/.well-known/did.json'), await other.get('/.well-known/did.json')];
    assert.equal(one.body.id, 'did:web:wallet.example');
    assert.deepEqual(two.body, one.body);
    assert.equal(two.headers.get('etag'), one.headers.get('etag'));
    assert.equal(one.body.verificationMethod.length, 1);
  });
});
