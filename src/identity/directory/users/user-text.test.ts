import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderUser, userText } from './users.schema.ts';
import type { ListedUser } from './users.store.ts';

const row: ListedUser = {
  id: '0123456789abcdef0123456789abcdef',
  domain_id: 'default',
  name: 'ann',
  name_key: 'ann',
  enabled: 1,
  default_project_id: null,
  options: '{}',
  extra: '{}',
  last_active_at: null,
  created_at: 1_700_000_000,
  password_expires_at: null,
};
const rendering = { base: 'http://127.0.0.1:5000', now: 1_700_100_000, daysInactive: undefined };

describe('A user in a list', () => {
  it('is the same as alone, whatever is stored', () => {
    const strange = 'quo"te \\ back\u2028slash \u0000 \ud800 ñ 😀 </script>';
    for (const changes of [
      {},
      { enabled: 0 },
      { name: strange, domain_id: strange, id: strange, default_project_id: strange },
      { extra: JSON.stringify({ email: strange, [strange]: [1, { a: null }], description: '' }) },
      { options: JSON.stringify({ ignore_password_expiry: true, multi_factor_auth_rules: [['password', 'totp']] }) },
      { default_project_id: 'p', password_expires_at: 1_700_200_000, last_active_at: 1_700_000_500 },
    ] as const)
      for (const daysInactive of [undefined, 1]) {
        const [user, how] = [{ ...row, ...changes } as ListedUser, { ...rendering, daysInactive }];
        const read = JSON.parse(userText(user, how));
        assert.deepEqual(read, JSON.parse(JSON.stringify(renderUser(user, how))));
        assert.deepEqual(Object.keys(read), Object.keys(renderUser(user, how)));
      }
  });
});
