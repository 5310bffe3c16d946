// The demo issuer and verifier of the guide, run as the guide says.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from './support/ports.ts';
import { onWallet } from './support/wallet.ts';

const DEMO = fileURLToPath(new URL('../examples/credentials/demo.js', import.meta.url));

onWallet('SQLite', 'The example of credentials', {}, (wallet) => {
  let demo: ChildProcess | undefined;
  after(() => demo?.kill());

  it('issues a credential, and receives only the requested claims', async () => {
    const [issuer, verifier] = [await freePort(), await freePort()];
    const env = { ...process.env, ISSUER_PORT: String(issuer), VERIFIER_PORT: String(verifier) };
    demo = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(demo.stdout!, 'data');
    const text = async (address: string): Promise<string> => (await (await fetch(address)).text()).trim();

    const person = await wallet.logIn();
    const received = await person.post('/api/v1/wallet/oid4vci', { uri: await text(`http://127.0.0.1:${issuer}/offer`) });
    assert.equal(received.status, 201, received.text);
    const uri = await text(`http://127.0.0.1:${verifier}/request`);
    const preview = await person.post('/api/v1/wallet/oid4vp', { uri, preview: true });
    assert.equal(preview.body.satisfiable, true, preview.text);
    const shown = await person.post('/api/v1/wallet/oid4vp', { uri });
    assert.equal(shown.status, 200, shown.text);
    assert.deepEqual(JSON.parse(await text(`http://127.0.0.1:${verifier}/results`)), [{ level: 'gold', since: 1843 }]);
  });
});
