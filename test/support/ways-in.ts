// Ways to sign in, written into the database: for tests of what counts as one.
import { randomUUID } from 'node:crypto';
import type { PasskeyRow, ProviderLinkRow } from '../../src/identity/ground/database/index.ts';

export const passkeyOf = (userId: string): PasskeyRow => ({
  id: randomUUID(),
  user_id: userId,
  credential_id: randomUUID(),
  public_key: '',
  counter: 0,
  transports: '[]',
  synced: 0,
  name: 'a key',
  created_at: 0,
  last_used_at: null,
  removed_at: null,
});

export const linkOf = (userId: string, providerId: string, issuer: string): ProviderLinkRow => ({
  id: randomUUID(),
  provider_id: providerId,
  issuer,
  subject: userId,
  protocol_id: 'openid',
  user_id: userId,
  label: 'somebody',
  given: JSON.stringify({ groups: [], roles: [] }),
  by_address: 0,
  created_at: 0,
  last_used_at: null,
});
