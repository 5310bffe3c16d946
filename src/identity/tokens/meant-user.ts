// The user a login names: by id, or by name and domain.
import { fail } from '../faults.ts';
import { nobodyKey, type UserWithExpiry } from '../users/index.ts';
import type { UserRef } from './auth.schema.ts';
import type { MethodDeps } from './method.ts';

export interface MeantUser {
  readonly user: UserWithExpiry | undefined;
  /** What attempts are counted under: one for all spellings of a name, or the count would tell who exists. */
  readonly key: string;
}

export async function meantUser(
  { users, scopes }: MethodDeps,
  { id, name, domain }: UserRef,
  method: string,
): Promise<MeantUser> {
  const refuse = (field: string, why: string): never =>
    fail('request.invalid_field', { field: `auth.identity.${method}.user.${field}`, why });
  if (id !== undefined) return { user: await users.find(id), key: id };
  if (name === undefined) return refuse('name', 'an id or a name is required');
  if (domain?.id === undefined && domain?.name === undefined)
    return refuse('domain', 'a name needs the id or name of its domain');
  const within = await scopes.domainId(domain);
  const user = within === undefined ? undefined : await users.findByName(within, name);
  return { user, key: user?.id ?? nobodyKey(within ?? domain.name!, name) };
}
