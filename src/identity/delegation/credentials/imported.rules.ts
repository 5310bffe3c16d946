// Credentials that exist in another system: sealed under our key, with the id that they have there.
import { seconds } from '../../../platform/clock.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { CredentialRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { checkContent, idOfAccessKey, isEc2, readEc2Blob, sealContext } from './content.ts';
import { insertCredential, lockCredential, updateCredential } from './credentials.store.ts';

export interface ImportedCredential {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string | null;
  readonly type: string;
  readonly blob: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

export function createImportedCredentials({ db, clock, seal }: Pick<Deps, 'db' | 'clock'> & { readonly seal: Seal }) {
  function rowOf({ id, userId, projectId, type, blob, extra }: ImportedCredential): CredentialRow {
    checkContent({ type, blob, projectId });
    // A key is found by its name.
    if (isEc2(type) && idOfAccessKey(readEc2Blob(blob)!.access) !== id)
      fail('request.bad_value', { field: 'id', why: 'it is not that of the access key' });
    return {
      id,
      user_id: userId,
      project_id: projectId,
      type,
      blob: seal.seal(Buffer.from(blob), sealContext(id)),
      extra: JSON.stringify(extra),
      last_step: 0,
      epoch: clock.now(),
      created_at: seconds(clock),
    };
  }

  return {
    /** Whoever calls has looked for the user and the project. */
    async insert({ tx, audit }: Change, credential: ImportedCredential): Promise<void> {
      const row = rowOf(credential);
      await insertCredential(tx, row);
      audit('credential.created', { kind: 'credential', id: row.id }, { user_id: row.user_id, type: row.type });
    },

    /** False when it is not here any more. */
    async replace({ tx, audit, invalidate }: Change, credential: ImportedCredential): Promise<boolean> {
      const before = await lockCredential(db, tx, credential.id);
      if (!before) return false;
      const { id, created_at: _, last_step: __, ...values } = rowOf(credential);
      await updateCredential(tx, id, { ...values, epoch: Math.max(before.epoch + 1, values.epoch) });
      invalidate(tagOf.delegation({ kind: 'ec2', id }));
      const { user_id, project_id, type } = values;
      audit('credential.updated', { kind: 'credential', id }, { user_id, project_id, type });
      return true;
    },
  };
}

export type ImportedCredentials = ReturnType<typeof createImportedCredentials>;
