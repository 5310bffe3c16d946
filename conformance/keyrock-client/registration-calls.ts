// The calls of Keyrock's client library for registration, and its logins in between, exactly as it sends them.
import type { ClientCall } from './calls.ts';

const G = '/v3/OS-REGISTRATION';
const ANN = { name: 'ann@example.org', first: 'a first password', second: 'a second password' };

const login = (name: string, password: string, status: number): ClientCall => ({
  name: `client.Client, ${name}`,
  method: 'POST',
  path: '/v3/auth/tokens',
  body: {
    auth: {
      identity: { methods: ['password'], password: { user: { password, name: ANN.name, domain: { id: 'default' } } } },
      scope: { project: { id: '{ann_organization}' } },
    },
  },
  status,
  unwraps: status === 201 ? 'token' : 'error',
});
const activation = (name: string, key: string, status: number): ClientCall => ({
  name: `user_registration.users.activate_user${name}`,
  method: 'PATCH',
  path: `${G}/activate/{${key}}/users/{ann}`,
  status,
  unwraps: status === 200 ? 'user' : 'error',
});
const reset = (name: string, status: number): ClientCall => ({
  name: `user_registration.users.reset_password${name}`,
  method: 'PATCH',
  path: `${G}/reset_password/{reset_token}/users/{ann}`,
  body: { user: { password: ANN.second } },
  status,
  unwraps: status === 200 ? 'user' : 'error',
});

/** The life of an account: registered, activated, its password lost and reset. */
export const registrationCalls: readonly ClientCall[] = [
  {
    name: 'user_registration.users.register_user',
    method: 'POST',
    path: `${G}/users`,
    body: { user: { name: ANN.name, domain_id: 'default', password: ANN.first, username: 'ann' } },
    status: 201,
    unwraps: 'user',
    learns: { ann: 'id', ann_organization: 'default_project_id', first_key: 'activation_key' },
  },
  login('not yet activated', ANN.first, 401),
  {
    name: 'user_registration.activation_key.new_activation_key',
    method: 'GET',
    path: `${G}/users/{ann}/activate`,
    status: 200,
    unwraps: 'activation_key',
    learns: { second_key: 'id' },
  },
  activation(', replaced key', 'first_key', 403),
  activation('', 'second_key', 200),
  activation(', used key', 'second_key', 403),
  login('activated', ANN.first, 201),
  {
    name: 'user_registration.token.get_reset_token',
    method: 'GET',
    path: `${G}/users/{ann}/reset_password`,
    status: 200,
    unwraps: 'reset_token',
    learns: { reset_token: 'id' },
  },
  reset('', 200),
  reset(', used token', 403),
  login('former password', ANN.first, 401),
  login('new password', ANN.second, 201),
];
