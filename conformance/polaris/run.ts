// polaris-oid4vp, a verifier that others wrote and that is certified for HAIP, with our issuer and our wallet, HAIP on: `run.ts PYTHON`, a Python that
// has the packages of requirements.txt.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { VP } from '../../test/support/presentation.ts';
import { issuedTo, withdraw } from '../../test/support/role-credentials.ts';
import { startChecks } from '../support/checks.ts';
import { stop } from '../support/debian.ts';
import { startHaipCircle } from '../support/haip-circle.ts';
import { startPeer } from '../support/peer.ts';

const [python = 'python3'] = process.argv.slice(2);
const version = spawnSync(python, ['-c', 'import importlib.metadata as m; print(m.version("polaris-oid4vp"))'], {
  encoding: 'utf8',
});
if (version.status !== 0) stop(`${python} has no polaris-oid4vp; see conformance/polaris/README.md`);

const { ask, end } = startPeer(python, join(import.meta.dirname, 'peer.py'));
const circle = await startHaipCircle();
const checks = startChecks();
const { check } = checks;

try {
  console.log(`polaris-oid4vp ${version.stdout.trim()}`);
  const { api, world, person, owner, issuer, receive, trustVerifiers } = circle;
  const vct = `${api.service.issuer()}/openid/credential-types/${world.typeId}`;

  const start = async (anchors: string, claims: readonly unknown[] = ['roles', 'name']) => {
    const { anchor } = await ask('start', { anchors, vct, claims });
    trustVerifiers(anchor);
  };
  const show = async (credential: any): Promise<any> => {
    const { link } = await ask('ask');
    const answer = await owner.post(VP, { uri: link, credentialIds: [credential.id] });
    return { answer, verdict: await ask('verdict') };
  };

  await check('accepts the chain with which credentials are signed, and the name in it', async () => {
    const { why, names } = await ask('chain', { x5c: issuer.chain, anchors: issuer.root, iss: issuer.id });
    assert.deepEqual([why, names], ['', '']);
  });

  await check('does not accept the chain of requests to wallets as one of an issuer', async () => {
    const { why } = await ask('chain', { x5c: issuer.verifier.chain, anchors: issuer.verifier.root, iss: issuer.id });
    assert.match(why, /permits no credential signing/);
  });

  await check('takes what our wallet shows of a credential that it received with an attestation', async () => {
    await start(issuer.root);
    const credential = await receive();
    const { answer, verdict } = await show(credential);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([verdict?.status, verdict?.authentic], [200, true], JSON.stringify(verdict));
    assert.deepEqual(verdict.claims.roles[0].names, ['manager']);
    assert.equal(verdict.claims.name, person.name);
    assert.equal(verdict.claims.email, undefined, 'it was not asked for');
    assert.equal(verdict.claims.sub, undefined);
  });

  await check('reads the state of the credential in our status list, signed by the same chain', async () => {
    const credential = await receive();
    const all = (await owner.get('/api/v1/wallet/credentials?include=raw')).body as { id: string; raw: [string] }[];
    const [raw] = all.find(({ id }) => id === credential.id)!.raw;
    const { status } = JSON.parse(Buffer.from(raw.split('.')[1]!, 'base64url').toString());
    const read = async () => {
      const token = await (await fetch(status.status_list.uri)).text();
      return ask('status', { token, x5c: issuer.chain, reference: status.status_list, now: Math.floor(Date.now() / 1000) });
    };
    const before = await read();
    assert.deepEqual([before.checked, before.meaning], [true, 'VALID'], JSON.stringify(before));
    for (const { id, state } of await issuedTo(api, person)) if (state === 'valid') await withdraw(api, id, 'revoke');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    api.clock.advance(61);
    const after = await read();
    assert.equal(after.meaning, 'INVALID', JSON.stringify(after));
  });

  await check('refuses it below another root', async () => {
    const credential = await receive();
    const other = (await ask('client_certificate')).pem as string;
    await start(other);
    const { verdict } = await show(credential);
    assert.equal(verdict?.authentic, false, JSON.stringify(verdict));
    assert.equal(verdict.code, 'issuer_key');
  });

  await check('gets no answer where the wallet does not trust its certificate', async () => {
    await start(issuer.root);
    trustVerifiers(issuer.root);
    await new Promise((resolve) => setTimeout(resolve, 6000));
    const credential = await receive();
    const { answer, verdict } = await show(credential);
    assert.ok(answer.status >= 400, answer.text);
    assert.equal(verdict, null);
  });
} finally {
  end();
  await circle.stop();
}
process.exit(checks.failed === 0 ? 0 : 1);
