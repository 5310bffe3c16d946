// Lists and purges credentials. Purging does not notify the issuer.
import type { Clock } from '../../platform/clock.ts';
import type { Static } from '../../platform/http/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import {
  type Caller,
  EVERYONE,
  ownerTag,
  type RunWalletChange,
  readAs,
  targetFor,
  type UnlessDamaged,
  type WalletTarget,
} from '../access/index.ts';
import type { CredentialInstanceRow, CredentialRow, Database, Reader } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { ListPage } from '../resource/index.ts';
import { instancesOf } from './copies.store.ts';
import { damagedContent, openContent, openCopy } from './credential-content.ts';
import { type Credential, type CredentialDetails, renderCredential } from './credentials.schema.ts';
import {
  type CredentialFilter,
  countCredentials,
  credentialsByIds,
  deleteCredential,
  didsByIds,
  keyStates,
  listCredentials,
} from './credentials.store.ts';

const present = (ids: readonly (string | null)[]): string[] => [...new Set(ids.flatMap((id) => id ?? []))];

export function createCredentials(deps: {
  db: Database;
  clock: Clock;
  change: RunWalletChange;
  seal: Seal;
  unlessDamaged: UnlessDamaged;
}) {
  const { db, clock, change, seal, unlessDamaged } = deps;

  async function withDetails(
    reader: Reader,
    owner: string,
    rows: readonly CredentialRow[],
    raw: boolean,
  ): Promise<CredentialDetails[]> {
    const now = clock.now();
    const dids = await didsByIds(reader, owner, present(rows.map((row) => row.did_id)));
    const copies = await instancesOf(
      reader,
      owner,
      rows.map(({ id }) => id),
    );
    const states = await keyStates(reader, owner, present(copies.map((copy) => copy.key_id)));
    const stateOf = ({ key_id: id }: CredentialInstanceRow): string | undefined => (id === null ? undefined : states.get(id));
    return rows.map((row) => {
      const own = copies.filter((copy) => copy.credential_id === row.id);
      // The copy that is shown next. Copies with a revoked key are skipped.
      const next = own.find((copy) => ['active', 'rotated'].includes(stateOf(copy) ?? '')) ?? own[0];
      const content = unlessDamaged('credential', row.id, () => openContent(seal, row));
      return {
        row,
        content: content ?? damagedContent(row),
        isDamaged: content === undefined,
        did: row.did_id === null ? undefined : dids.get(row.did_id),
        keyId: next?.key_id ?? undefined,
        keyState: next && stateOf(next),
        instances: own.length,
        ...(raw
          ? { raw: own.flatMap((copy) => unlessDamaged('credential', row.id, () => [openCopy(seal, copy).raw]) ?? []) }
          : {}),
        now,
      };
    });
  }

  return {
    list: ({ owner }: Caller, filter: CredentialFilter, page: ListPage, raw: boolean): Promise<CredentialDetails[]> =>
      readAs(db, owner, async (reader) =>
        withDetails(reader, owner, await listCredentials(reader, owner, filter, page, clock.now()), raw),
      ),

    show: async (row: CredentialRow): Promise<CredentialDetails> =>
      (await readAs(db, row.owner, (reader) => withDetails(reader, row.owner, [row], false)))[0]!,

    /** As JSON, for the answer of an issuance. */
    byIds: ({ owner }: Caller, ids: readonly string[]): Promise<Static<typeof Credential>[]> =>
      readAs(db, owner, async (reader) =>
        (await withDetails(reader, owner, await credentialsByIds(reader, owner, ids), false)).map(renderCredential),
      ),

    /** For all owners. */
    countByFormat: () => readAs(db, EVERYONE, countCredentials),

    target: (caller: Caller, id: string): Promise<WalletTarget<CredentialRow>> =>
      targetFor(caller, {
        rule: 'owner',
        kind: 'credential',
        find: async (owner) => (await readAs(db, owner, (reader) => credentialsByIds(reader, owner, [id])))[0],
      }),

    async purge(caller: Caller, { owner, id }: CredentialRow): Promise<void> {
      await change(caller, owner, async ({ tx, audit, invalidate }) => {
        if (!(await deleteCredential(tx, owner, id))) fail('not-found', { kind: 'credential' });
        audit('credential.purged', { kind: 'credential', id });
        invalidate(ownerTag(owner));
      });
    },
  };
}

export type WalletCredentials = ReturnType<typeof createCredentials>;
