// The method `application_credential`: the secret of a program that a user passed roles on to.

import { loginRefused } from '../../directory/logins/index.ts';
import { fail } from '../../ground/faults.ts';
import { findLoginUser } from './login-user.ts';
import { type LoginMethod, requireMethodData, setSubject } from './method.ts';

export const loginByApplicationCredential: LoginMethod = async (deps, identity, attempt) => {
  const { id, name, user: owner, secret } = requireMethodData('application_credential', identity.application_credential);
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
