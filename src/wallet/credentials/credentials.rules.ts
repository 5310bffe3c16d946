// What the wallet holds: listed, and purged. Purging tells the issuer nothing.
import type { Clock } from '../../platform/clock.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { type Caller, ownerTag, type RunChange } from '../caller.ts';
import type { CredentialRow, Database } from '../database.ts';
import { fail } from '../faults.ts';
import type { Page } from '../lists.ts';
import { readAs } from '../owners.store.ts';
import type { CredentialParts, Held } from './credentials.schema.ts';
import { type CredentialFilter, deleteCredential, didsByIds, keyStates, listCredentials } from './credentials.store.ts';

/** Bound to owner and credential: a row copied elsewhere does not open. */
export const credentialPlace = ({ owner, id }: Pick<CredentialRow, 'owner' | 'id'>): string =>
  `wallet|${owner}|${id}|credential|v1`;

const present = (ids: readonly (string | null)[]): string[] => [...new Set(ids.flatMap((id) => id ?? []))];

export function createCredentials(deps: { db: Database; clock: Clock; change: RunChange; seal: Seal }) {
  const { db, clock, change, seal } = deps;

  const open = (row: CredentialRow): Held => JSON.parse(seal.open(row.sealed, credentialPlace(row)).toString()) as Held;

  return {
    list: ({ owner }: Caller, filter: CredentialFilter, page: Page): Promise<CredentialParts[]> =>
      readAs(db, owner, async (reader) => {
        const now = clock.now();
        const rows = await listCredentials(reader, owner, filter, page, now);
        const states = await keyStates(reader, owner, present(rows.map((row) => row.key_id)));
        const dids = await didsByIds(reader, owner, present(rows.map((row) => row.did_id)));
        return rows.map((row) => ({
          row,
          held: open(row),
          did: row.did_id === null ? undefined : dids.get(row.did_id),
          keyState: row.key_id === null ? undefined : states.get(row.key_id),
          now,
        }));
      }),

    async purge(caller: Caller, id: string): Promise<void> {
      const { owner } = caller;
      await change(caller, owner, async ({ tx, audit, touch }) => {
        if (!(await deleteCredential(tx, owner, id))) fail('not-found', { kind: 'credential' });
        audit('credential.purged', { kind: 'credential', id });
        touch(ownerTag(owner));
      });
    },
  };
}

export type Credentials = ReturnType<typeof createCredentials>;
