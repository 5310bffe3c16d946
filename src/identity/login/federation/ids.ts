// Ids of identity providers, mappings and protocols: chosen by the administrator, and part of addresses.
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { fail } from '../../ground/faults.ts';

const ID = /^(?!\.{1,2}$)[\w.~-]{1,64}$/;

export function checkNewId(field: string, id: string): void {
  if (!ID.test(id)) fail('request.bad_value', { field, why: 'it must have 1 to 64 letters, digits or the signs - . _ ~' });
}

/** Fails with 409 when it exists. */
export async function failOnDuplicateId<T>(kind: string, id: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) fail('resource.duplicate', { kind, field: 'ID', value: id });
    throw error;
  }
}
