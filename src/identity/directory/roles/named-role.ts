// Roles that a request names by their ids or their names, to pass them on.
import type { Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { rolesNamed } from './roles.store.ts';

export interface NamedRole {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** Whether there is a role of an id is not checked: whoever passes it on has to have it. */
async function idOf(db: Reader, { id, name }: NamedRole): Promise<string> {
  if ((id === undefined) === (name === undefined))
    fail('request.bad_value', { field: 'roles', why: 'each needs either an id or a name' });
  if (id !== undefined) return id;
  const [role, another] = await rolesNamed(db, name!);
  if (another) fail('request.bad_value', { field: 'roles', why: `several roles are named ${name}` });
  return role?.id ?? fail('role.not_found', { id: name! });
}

export async function idsOfRoles(db: Reader, roles: readonly NamedRole[]): Promise<string[]> {
  const ids: string[] = [];
  for (const role of roles) ids.push(await idOf(db, role));
  return ids;
}
