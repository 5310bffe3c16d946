// Finds the user of a login: by id, or by name and domain.

import { type UserWithExpiry, unknownUserKey } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import type { UserRef } from './auth.schema.ts';
import type { MethodDeps } from './method.ts';

export interface LoginUser {
  readonly user: UserWithExpiry | undefined;
  /** Key for counting attempts. It is the same for all spellings of a name; otherwise the counts would reveal which users exist. */
  readonly key: string;
  /** The domain in which the name was looked up. */
  readonly domainId?: string | undefined;
}

export async function findLoginUser(
  { users, scopes }: MethodDeps,
  { id, name, domain }: UserRef,
  method: string,
): Promise<LoginUser> {
  const refuse = (field: string, why: string): never =>
    fail('request.invalid_field', { field: `auth.identity.${method}.user.${field}`, why });
  if (id !== undefined) return { user: await users.find(id), key: id };
  if (name === undefined) return refuse('name', 'an id or a name is required');
  if (domain?.id === undefined && domain?.name === undefined)
    return refuse('domain', 'a name needs the id or name of its domain');
  const domainId = await scopes.domainId(domain);
  const user = domainId === undefined ? undefined : await users.findByName(domainId, name);
  return { user, key: user?.id ?? unknownUserKey(domainId ?? domain.name!, name), domainId };
}
