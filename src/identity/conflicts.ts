// A taken name is the database's word: looking first would leave a gap for two that come at once.
import { isUniqueViolation } from '../platform/database/index.ts';
import { fail } from './faults.ts';

export async function unlessTaken<T>(kind: string, name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) fail('resource.duplicate', { kind, field: 'name', value: name });
    throw error;
  }
}
