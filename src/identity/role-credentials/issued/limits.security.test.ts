// One person, and how much of the service they can take with credentials.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { assignmentPath } from '../../../../test/support/applications.ts';
import {
  ISSUER,
  makeHolder,
  recordFor,
  stateOf,
  usesIssuedCredentials,
  verifierOf,
} from '../../../../test/support/issued-credentials.ts';
import type { IssuedCredentialRow } from '../../ground/database/index.ts';
import { MOST_USABLE } from './record.rules.ts';

const MOST_UNEXPIRED = 20_000;

onUsualDatabase(
  'A person who has credentials issued again and again',
  (api) => {
    const { db, on } = usesIssuedCredentials(api);
    const usable = async (userId: string): Promise<IssuedCredentialRow[]> =>
      db().read.selectFrom('issued_credentials').where('user_id', '=', userId).where('state', '=', 'valid').selectAll().execute();

    it('keeps the latest: a role is not kept by the time that it takes to revoke what says it', async () => {
      const holder = await makeHolder(api, db());
      const { user, organization, application, role, typeId } = holder;
      const first = await recordFor(on, user.id, typeId, 1);
      api.clock.advance(1);
      await recordFor(on, user.id, typeId, MOST_USABLE - 1);
      assert.equal(await stateOf(db(), first.ids[0]!), 'valid');
      api.clock.advance(1);
      const last = await recordFor(on, user.id, typeId, 1);
      const row = await on.issued.find(first.ids[0]!);
      assert.deepEqual([row?.state, row?.list_state, row?.reason], ['revoked', 1, 'replaced']);
      assert.equal(await stateOf(db(), last.ids[0]!), 'valid');
      assert.equal((await usable(user.id)).length, MOST_USABLE);
      assert.equal((await api.delete(assignmentPath({ user, organization, application, role }))).status, 204);
      assert.equal((await usable(user.id)).length, 0);
    });

    it('does not fill the lists with what was revoked', async () => {
      const { user, typeId } = await makeHolder(api, db());
      const { ids } = await recordFor(on, user.id, typeId);
      const row = (await on.issued.find(ids[0]!))!;
      const rows = Array.from({ length: MOST_UNEXPIRED - 1 }, (_, at) => ({
        ...row,
        id: `${row.id}-${at}`,
        list_id: `another of ${row.id}`,
        list_index: at,
        state: 'revoked' as const,
      }));
      for (let first = 0; first < rows.length; first += 500)
        await db().write((tx) =>
          tx
            .insertInto('issued_credentials')
            .values(rows.slice(first, first + 500))
            .execute(),
        );
      await assert.rejects(recordFor(on, user.id, typeId), /too many credentials/);
      await db().write((tx) => tx.deleteFrom('issued_credentials').where('id', '=', rows[0]!.id).execute());
      await recordFor(on, user.id, typeId);
    });

    it('cannot use what was issued after a backup that was restored', async () => {
      const { user, typeId } = await makeHolder(api, db());
      await recordFor(on, user.id, typeId);
      const verifier = await verifierOf(() => api.url, api.clock, db());
      await db().write((tx) => tx.updateTable('status_lists').set({ is_full: 1 }).execute());
      const [known] = (await recordFor(on, user.id, typeId)).credentials;
      const { uri, idx } = known!.tokenStatus;
      // As `gatehouse restore` leaves it.
      await db().write((tx) =>
        tx.updateTable('status_lists').set({ is_full: 2, version: 1 }).where('id', '=', uri.split('/').at(-1)!).execute(),
      );
      // Nothing is known of this one, so that nobody can revoke it.
      const lost = {
        ...known!,
        tokenStatus: { uri, idx: idx ^ 1 },
        bitstring: known!.bitstring.map((entry) => ({ ...entry, statusListIndex: String(idx ^ 1) })),
      };
      assert.deepEqual([await verifier.byToken(known!), await verifier.byBitstring(known!)], ['valid', 'valid']);
      assert.deepEqual([await verifier.byToken(lost), await verifier.byBitstring(lost)], ['revoked', 'revoked']);
      assert.equal((await api.delete(`/v3/OS-ROLE-CREDENTIALS/credentials/${known!.id}`)).status, 204);
      assert.equal(await verifier.byToken(known!), 'revoked');
      const [next] = (await recordFor(on, user.id, typeId)).credentials;
      assert.notEqual(next!.tokenStatus.uri, uri, 'no entry of it is used again');
      assert.equal(await verifier.byToken(next!), 'valid');
    });

    it('leaves a list: without any, nobody would look for credentials', async () => {
      const { user, typeId } = await makeHolder(api, db());
      await db().write(async (tx) => {
        await tx.deleteFrom('issued_credentials').execute();
        await tx.deleteFrom('status_lists').where('is_full', '=', 2).execute();
        await tx.updateTable('status_lists').set({ is_full: 1 }).execute();
      });
      await on.issued.sweep();
      assert.notEqual((await db().read.selectFrom('status_lists').selectAll().execute()).length, 0);
      await recordFor(on, user.id, typeId);
      await on.issued.sweep();
      const lists = await db().read.selectFrom('status_lists').selectAll().execute();
      assert.deepEqual(
        lists.map(({ is_full }) => is_full),
        [0],
        'the full ones are gone now',
      );
    });
  },
  { settings: { GATEHOUSE_IDENTITY_URL: ISSUER } },
);
