// What was issued to wallets. Fetching a credential takes a wallet, so these examples are given.
import type { Recorder } from './recorder.ts';

const ALL = '/v3/OS-ROLE-CREDENTIALS/credentials';
const ID = '5f1d3a0c2b4e4d7f9a8b7c6d5e4f3a2b';
const APPLICATION = '8c1f0a9b7d6e4c5b8a7f6e5d4c3b2a19';
const TIME = '2026-11-17T09:00:00.000000Z';
const SIGNED = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxZjQyIn0.AAAA';
const LIST = '/openid/status-lists/1b4e28ba2fa14d2983a77e9c7f6d5a40';

export function tourIssuedCredentials(api: Recorder, userId: string): void {
  const credential = {
    id: ID,
    user_id: userId,
    type_id: 'city-worker',
    application_id: APPLICATION,
    client_id: null,
    issuance_id: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    format: 'dc+sd-jwt',
    roles: [{ target: APPLICATION, names: ['editor', 'reader'] }],
    state: 'valid',
    reason: null,
    issued_at: TIME,
    expires_at: TIME,
    first_issued_at: TIME,
    refreshed_at: null,
    changed_at: TIME,
    links: { self: `http://127.0.0.1:5000${ALL}/${ID}` },
  };
  const links = { self: `http://127.0.0.1:5000${ALL}`, previous: null, next: null };
  api.addExample('GET', ALL, undefined, { 200: { links, credentials: [credential] } });
  api.addExample('GET', `${ALL}/${ID}`, undefined, { 200: { credential } });
  const suspended = { ...credential, state: 'suspended', reason: 'administrator' };
  api.addExample('PATCH', `${ALL}/${ID}`, { credential: { state: 'suspended' } }, { 200: { credential: suspended } });
  for (const path of [LIST, `${LIST}/bitstring`, `${LIST}/suspension`]) api.addExample('GET', path, undefined, { 200: SIGNED });
}
