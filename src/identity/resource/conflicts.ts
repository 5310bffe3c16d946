// What others did meanwhile is the database's word: looking first would leave a gap for two that come at once.
import { isForeignKeyViolation, isUniqueViolation } from '../../platform/database/index.ts';
import { fail } from '../faults.ts';

/** What a row refers to may be gone, and what is deleted may be referred to, between the look and the write. */
export async function unlessMoved<T>(otherwise: () => never, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isForeignKeyViolation(error)) otherwise();
    throw error;
  }
}

export async function unlessTaken<T>(kind: string, name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) fail('resource.duplicate', { kind, field: 'name', value: name });
    throw error;
  }
}
