// Calls the operations about what users pass on to programs.
import type { Recorder } from './recorder.ts';

export async function tourApplicationCredentials({ call }: { call: Recorder['call'] }, userId: string): Promise<void> {
  const all = `/v3/users/${userId}/application_credentials`;
  const { application_credential: created } = await call('POST', all, {
    body: {
      application_credential: {
        name: 'nightly-report',
        description: 'Reads what was lent',
        roles: [{ name: 'reader' }],
        access_rules: [{ service: 'identity', method: 'GET', path: '/v3/users/**' }],
      },
    },
  });
  await call('GET', all);
  await call('GET', `${all}/${created.id}`);
  const rules = `/v3/users/${userId}/access_rules`;
  await call('GET', rules);
  await call('GET', `${rules}/${created.access_rules[0].id}`);
}

export async function tourTrusts({ call }: { call: Recorder['call'] }, userId: string): Promise<void> {
  const all = '/v3/OS-TRUST/trusts';
  const { projects } = await call('GET', '/v3/auth/projects', { unrecorded: true });
  const own = (projects as { id: string; name: string }[]).find(({ name }) => name === 'admin')!;
  const { trust } = await call('POST', all, {
    body: {
      trust: {
        trustor_user_id: userId,
        trustee_user_id: userId,
        impersonation: false,
        project_id: own.id,
        roles: [{ name: 'reader' }],
        expires_at: '2999-01-01T00:00:00.000000Z',
      },
    },
  });
  await call('GET', all);
  await call('GET', `${all}/${trust.id}`);
  await call('GET', `${all}/${trust.id}/roles`);
  await call('GET', `${all}/${trust.id}/roles/${trust.roles[0].id}`);
}
