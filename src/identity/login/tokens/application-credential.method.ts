// The method `application_credential`: the secret of a program that a user passed roles on to.

import { loginRefused } from '../../directory/logins/index.ts';
import { fail } from '../../ground/faults.ts';
import { findLoginUser, type LoginMethod, setSubject } from './method.ts';

export const loginByApplicationCredential: LoginMethod<'application_credential'> = async (deps, data, attempt) => {
  const { id, name, user: owner, secret } = data;
  if (id === undefined && name === undefined)
    fail('request.invalid_field', { field: 'auth.identity.application_credential', why: 'an id or a name is required' });
  // With an id, its own user counts, whoever else is named.
  const find =
    id === undefined ? { userId: (await findLoginUser(deps, owner ?? {}, 'application_credential')).key, name: name! } : { id };
  const found = await deps.applicationCredential(find, secret, attempt);
  if (!found) throw loginRefused('application credential unknown, or its secret wrong');
  setSubject(attempt, found.user);
  const delegation = { kind: 'application_credential', id: found.id } as const;
  return { user: found.user, methods: ['application_credential'], delegation };
};
