// Calls the operations of the wallet node: keys, DIDs, a credential of the demo issuer, and the demo verifier.
import { documentOf, failingProbes, type Recorder } from './recorder.ts';

const text = async (address: string): Promise<string> => (await (await fetch(address)).text()).trim();

export async function tourWallet(api: Recorder, { issuer, verifier }: { issuer: string; verifier: string }): Promise<void> {
  const call = api.call.bind(api);
  for (const path of [
    '/',
    '/healthz',
    '/livez',
    '/readyz',
    '/.well-known/did.json',
    '/.well-known/wallet-client',
    '/.well-known/wallet-client/jwks.json',
  ])
    await call('GET', path);
  failingProbes(api);
  documentOf(api);
  await call('GET', '/api/v1/auth/userinfo');
  await call('GET', '/api/v1/auth/login?response=json');
  api.addExample(
    'POST',
    '/api/v1/auth/backchannel-logout',
    { logout_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.eyJzdWIiOiIxZjQyIn0.AAAA' },
    { 200: {} },
  );

  const root = '/api/v1/wallet';
  const key = await call('POST', `${root}/keys`, { body: { algorithm: 'ES256', alias: 'Signing' } });
  await call('GET', `${root}/keys`);
  await call('GET', `${root}/keys/${key.id}`);
  const did = await call('POST', `${root}/dids`, {
    body: { method: 'web', path: 'library', alias: 'The library', keyIds: [key.id] },
  });
  await call('GET', `${root}/dids`);
  await call('GET', `${root}/dids/${did.id}`);
  await call('POST', `${root}/dids/${did.id}/publish`, { body: {} });
  await call('GET', '/dids/library/did.json');
  await call('POST', `${root}/keys/${key.id}/rotate`, { body: { graceSeconds: 86_400 } }).catch(() =>
    call('POST', `${root}/keys/${key.id}/rotate`, { body: {} }),
  );
  await call('POST', `${root}/dids/${did.id}/unpublish`, { body: {} });
  const spare = await call('POST', `${root}/keys`, { body: { alias: 'Spare' }, unrecorded: true });
  await call('POST', `${root}/keys/${spare.id}/revoke`, { body: { reason: 'keyCompromise' } }).catch(() =>
    call('POST', `${root}/keys/${spare.id}/revoke`, { body: {} }),
  );
  await call('GET', `${root}/node`);

  const preview = await call('POST', `${root}/oid4vci`, { body: { uri: await text(`${issuer}/offer`), preview: true } });
  api.examples.receiveCredentials!.request = undefined;
  const received = await call('POST', `${root}/oid4vci`, { body: { uri: await text(`${issuer}/offer`) } });
  api.examples.receiveCredentials!.answers!['202'] = { status: 'deferred', exchangeId: received.exchangeId, retryAfter: 5 };
  await call('GET', `${root}/credentials`);
  await call('GET', `${root}/credentials/${received.credentials[0].id}`);
  await call('POST', `${root}/oid4vp`, { body: { uri: await text(`${verifier}/request`) } });
  await call('GET', `${root}/exchanges`);
  await call('GET', `${root}/parties`);
  await call('GET', `${root}/exchanges/${received.exchangeId}`);
  await call('POST', `${root}/exchanges/${preview.exchangeId}/cancel`, { body: {} });
  for (const method of ['GET', 'POST']) {
    api.addExample(method, '/api/v1/auth/logout', undefined, {
      200: { endSessionUrl: 'http://127.0.0.1:5000/openid/logout?client_id=wallet' },
    });
  }
}
