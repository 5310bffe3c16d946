import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider } from '../../../../test/support/federation.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { linkOf } from '../../../../test/support/ways-in.ts';
import { bindProviderSession } from './provider-sessions.store.ts';

const ISSUER = 'https://provider.example.org';
const HOUR = 3600;

onEachDatabase('A sign-in through a provider', (api) => {
  const db = usesDatabaseOf(api);

  it('that is not finished when it expires begins no session, also if it was not swept yet', async () => {
    const user = await api.make('user', { name: uniqueName('user') });
    const provider = await connectProvider(api, { issuer: ISSUER, clientId: 'x', clientSecret: 'y' });
    const link = linkOf(user.id, provider.id, ISSUER);
    const now = Math.floor(api.clock.now() / 1000);
    const row = {
      id: uniqueName('session'),
      link_id: link.id,
      session_hash: null,
      sid_hash: null,
      sealed: null,
      refresh_at: null,
      for_api: 0,
    };
    await db().write(async (tx) => {
      await tx.insertInto('provider_links').values(link).execute();
      await tx
        .insertInto('provider_sessions')
        .values({ ...row, created_at: now, expires_at: now + HOUR })
        .execute();
    });
    const bind = (at: number): Promise<boolean> =>
      db().write((tx) => bindProviderSession(tx, row.id, { session_hash: 'x', expires_at: at + HOUR }, at));
    assert.equal(await bind(now + HOUR), false);
    assert.equal(await bind(now + HOUR - 1), true);
  });
});
