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
