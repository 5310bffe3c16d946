// Mobile documents that pymdoccbor verifies, issues and shows, against ours: `run.ts PYTHON`, a Python that has the package.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { createFormats } from '../../src/verifiable/formats/index.ts';
import { TestApi } from '../../test/support/api.ts';
import { makeCredentialHolder } from '../../test/support/credential-holders.ts';
import { Holder, readWalletRequest } from '../../test/support/holder.ts';
import { issuerWorld, newSigner } from '../../test/support/issuers.ts';
import { RelyingParty } from '../../test/support/relying-party.ts';
import { makeRoleWorld } from '../../test/support/role-credentials.ts';
import { WalletVisitor } from '../../test/support/wallet-visitor.ts';
import { startChecks } from '../support/checks.ts';
import { stop } from '../support/debian.ts';

const [python = 'python3'] = process.argv.slice(2);
const version = spawnSync(python, ['-c', 'import importlib.metadata as m, pymdoccbor; print(m.version("pymdoccbor"))'], {
  encoding: 'utf8',
});
if (version.status !== 0)
  stop(
    `${python} has no pymdoccbor. Run: python3 -m venv FOLDER && FOLDER/bin/pip install pymdoccbor, and pass FOLDER/bin/python`,
  );

function ask(command: string, request: object): any {
  const input = `${JSON.stringify({ command, ...request })}\n`;
  const { stdout, stderr, status } = spawnSync(python, [join(import.meta.dirname, 'peer.py')], { input, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const api = new TestApi('SQLite', { settings: { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' } });
await api.start();
const checks = startChecks();
const { check } = checks;

try {
  console.log(`pymdoccbor ${version.stdout.trim()}`);
  const world = await makeRoleWorld(api, { formats: ['mso_mdoc'] });
  const person = await makeCredentialHolder(api, world, { format: 'mso_mdoc' });
  const { raw, key } = person.holder;
  const { root } = (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer;

  await check('verifies a document that was issued here: certificate, signature, digests', async () => {
    const { valid, doctype, elements, status } = ask('verify', { raw, root });
    assert.equal(valid, true);
    assert.deepEqual(elements, { [doctype]: ['email', 'name', 'roles', 'sub'] });
    assert.ok(status.status_list.uri.startsWith(api.url) && Number.isInteger(status.status_list.idx));
  });

  await check('refuses it below another root', async () => {
    const { root: another } = ask('issue', { doctype: 'x', device: person.holder.jwk });
    assert.equal(ask('verify', { raw, root: another }).valid, false);
  });

  const newVisit = async () => new WalletVisitor(api, await RelyingParty.make(api)).ask();
  const sessionOf = async (link: string) => {
    const { payload } = await readWalletRequest(link);
    const { client_id: clientId, nonce, response_uri: responseUri, client_metadata: about } = payload;
    return { clientId, nonce, responseUri, thumbprint: await calculateJwkThumbprint(about.jwks.keys[0]) };
  };
  const pem = key.privateKey.export({ type: 'pkcs8', format: 'pem' });

  await check('shows it, with the signature of pycose, and its holder is signed in', async () => {
    const visit = await newVisit();
    const { response } = ask('present', { raw, key: pem, session: await sessionOf(visit.link) });
    const { status, body } = await person.holder.answer(visit.link, { presentation: () => response });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await visit.claims(await visit.returns(body.redirect_uri))).sub, person.id);
  });

  await check('shows it in another session, and nobody is', async () => {
    const visit = await newVisit();
    const session = { ...(await sessionOf(visit.link)), nonce: 'another' };
    const { response } = ask('present', { raw, key: pem, session });
    assert.equal((await person.holder.answer(visit.link, { presentation: () => response })).status, 400);
  });

  const device = newSigner(new Holder().key.privateKey);
  const issued = ask('issue', { doctype: 'org.example.person', device: device.jwk });
  const { trust, clock, world: issuers } = issuerWorld({ now: Date.now() });
  issuers.anchors.push({ certificate: new X509Certificate(issued.root) } as never);
  const { mso_mdoc: ours } = createFormats({ trust, clock });

  await check('issues a document that is verified here', async () => {
    const { claims, binding } = await ours.verify(issued.raw);
    assert.deepEqual(claims, { 'org.example.person': { family_name: 'Lovelace', given_name: 'Ada' } });
    assert.deepEqual(binding, { kind: 'jwk', jwk: device.jwk });
  });

  await check('verifies what our wallet shows of it', async () => {
    const handover = { responseUri: 'https://verifier.example/answer', encryptionThumbprint: Buffer.alloc(32) };
    const context = { paths: [['org.example.person', 'given_name']], nonce: 'n', audience: 'v', now: Date.now(), handover };
    const response = await ours.present(issued.raw, context, device);
    const { valid, elements } = ask('verify_response', { response, root: issued.root });
    assert.deepEqual([valid, elements], [true, { 'org.example.person': { given_name: 'Ada' } }]);
  });
} finally {
  await api.stop();
}
process.exit(checks.failed === 0 ? 0 : 1);
