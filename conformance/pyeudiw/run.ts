// pyeudiw, the toolchain of the Italian wallet, as verifier and as issuer, with our issuer and our wallet, HAIP on: `run.ts PYTHON`, a Python that has the
// packages of requirements.txt.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { createFormats } from '../../src/verifiable/formats/index.ts';
import { issuerWorld, newSigner } from '../../test/support/issuers.ts';
import { VP } from '../../test/support/presentation.ts';
import { issuedTo, withdraw } from '../../test/support/role-credentials.ts';
import { startChecks } from '../support/checks.ts';
import { stop } from '../support/debian.ts';
import { startHaipCircle } from '../support/haip-circle.ts';
import { startPeer } from '../support/peer.ts';

const [python = 'python3'] = process.argv.slice(2);
const version = spawnSync(python, ['-c', 'import importlib.metadata as m; print(m.version("pyeudiw"))'], { encoding: 'utf8' });
if (version.status !== 0) stop(`${python} has no pyeudiw; see conformance/pyeudiw/README.md`);

const { ask, end } = startPeer(python, join(import.meta.dirname, 'peer.py'));
const partOf = (token: string, index: number): any => JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());
const circle = await startHaipCircle();
const checks = startChecks();
const { check } = checks;

try {
  console.log(`pyeudiw ${version.stdout.trim()}`);
  const { api, owner, person, world, issuer } = circle;
  circle.trustVerifiers(await ask('root'));
  const vct = `${api.service.issuer()}/openid/credential-types/${world.typeId}`;
  const query = {
    credentials: [
      { id: 'role', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['roles'] }, { path: ['name'] }] },
    ],
  };
  const issuerKey = new X509Certificate(Buffer.from(issuer.chain[0], 'base64')).publicKey.export({ format: 'jwk' });

  const credential = await circle.receive();
  let presented = '';
  let request: any;

  await check('asks our wallet, and decrypts its answer', async () => {
    const { link, claims } = await ask('ask', { query });
    request = claims;
    const answer = await owner.post(VP, { uri: link, credentialIds: [credential.id] });
    assert.equal(answer.status, 200, answer.text);
    const received = await ask('received');
    assert.equal(received.state, claims.state);
    assert.deepEqual(Object.keys(received.vp_token), ['role']);
    [presented] = received.vp_token.role;
  });

  // It looks the key up by the id in the header.
  const key = { ...issuerKey, kid: partOf(presented, 0).kid };
  const verify = (more: object = {}): Promise<any> =>
    ask('verify', { token: presented, key, audience: request.client_id, nonce: request.nonce, ...more });

  await check('verifies what our wallet showed: signature, key binding, and no other claims than those asked for', async () => {
    const { claims, bound } = await verify();
    assert.equal(bound, true);
    assert.equal(claims.vct, vct);
    assert.deepEqual(claims.roles[0].names, ['manager']);
    assert.equal(claims.name, person.name);
    assert.deepEqual([claims.email, claims.sub], [undefined, undefined]);
  });

  await check('refuses it with another nonce, for another verifier, and by another key', async () => {
    await assert.rejects(verify({ nonce: 'another' }), /nonce/);
    await assert.rejects(verify({ audience: 'x509_hash:another' }), /audience/);
    await assert.rejects(verify({ key: await ask('signing_key') }));
  });

  await check('reads our status list, before and after the credential was revoked', async () => {
    const all = (await owner.get('/api/v1/wallet/credentials?include=raw')).body as { id: string; raw: [string] }[];
    const [raw] = all.find(({ id }) => id === credential.id)!.raw;
    const { status } = partOf(raw, 1);
    const { uri, idx: index } = status.status_list;
    const read = async (): Promise<any> => ask('status', { token: await (await fetch(uri)).text(), index });
    assert.deepEqual(await read(), { status: 0, expired: false, sub: uri });
    for (const { id, state } of await issuedTo(api, person)) if (state === 'valid') await withdraw(api, id, 'revoke');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    api.clock.advance(61);
    assert.equal((await read()).status, 1);
  });

  const device = newSigner();
  const { trust, clock, world: issuers } = issuerWorld({ now: Date.now() });
  issuers.anchors.push({ certificate: new X509Certificate(await ask('root')) } as never);
  const { 'dc+sd-jwt': ours } = createFormats({ trust, clock });
  const now = Math.floor(Date.now() / 1000);
  const issued: string = await ask('issue', {
    claims: { iss: 'https://localhost', vct: 'urn:example:person', iat: now, exp: now + 3600 },
    disclosable: { given_name: 'Ada', family_name: 'Lovelace' },
    holder: device.jwk,
  });

  await check('issues a credential that is verified here', async () => {
    const { claims, binding } = await ours.verify(issued);
    assert.deepEqual([claims.given_name, claims.family_name], ['Ada', 'Lovelace']);
    assert.deepEqual((binding as any).jwk.x, device.jwk.x);
  });

  await check('verifies what is shown of it here', async () => {
    const context = { paths: [['given_name']], nonce: 'n', audience: 'x509_hash:v', now: Date.now() };
    const token = await ours.present(issued, context as never, device);
    const { claims } = await ask('verify', { token, key: await ask('signing_key'), audience: 'x509_hash:v', nonce: 'n' });
    assert.deepEqual([claims.given_name, claims.family_name], ['Ada', undefined]);
  });
} finally {
  end();
  await circle.stop();
}
process.exit(checks.failed === 0 ? 0 : 1);
