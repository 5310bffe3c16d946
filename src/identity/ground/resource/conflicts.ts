// Conflicts with concurrent changes are detected by the database. A check before the write would leave a gap.
import { isForeignKeyViolation, isUniqueViolation } from '../../../platform/database/index.ts';
import type { Fault } from '../../../platform/faults/index.ts';
import { fail, fault } from '../faults.ts';

/** Calls `otherwise` when a foreign key fails: a referenced row was deleted, or a deleted row is still referenced. */
export async function failOnBrokenReference<T>(otherwise: () => never, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isForeignKeyViolation(error)) otherwise();
    throw error;
  }
}

/** There is one of this name already. */
export const duplicateName = (kind: string, name: string): Fault =>
  fault('resource.duplicate', { kind, field: 'name', value: name });

/** Fails with 409 when there is a row with this value already. */
export async function failOnDuplicate<T>(kind: string, field: string, value: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) fail('resource.duplicate', { kind, field, value });
    throw error;
  }
}

export const failOnDuplicateName = <T>(kind: string, name: string, write: () => Promise<T>): Promise<T> =>
  failOnDuplicate(kind, 'name', name, write);
