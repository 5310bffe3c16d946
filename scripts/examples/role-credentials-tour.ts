// Calls the operations about credentials that say which roles a person has.
import type { Recorder } from './recorder.ts';

export async function tourRoleCredentials(
  { call }: { call: Recorder['call'] },
  { applicationId, roleId }: { readonly applicationId: string; readonly roleId: string },
): Promise<void> {
  const all = '/v3/OS-ROLE-CREDENTIALS/types';
  const type = {
    id: 'town-buyer',
    application_id: applicationId,
    name: 'Buyer of the town',
    description: 'May order what the town needs',
    formats: ['dc+sd-jwt', 'jwt_vc_json'],
    roles: [roleId],
    claims: ['name', 'email'],
  };
  await call('POST', all, { body: { credential_type: type } });
  await call('GET', all);
  await call('GET', `${all}/${type.id}`);
  await call('PATCH', `${all}/${type.id}`, { body: { credential_type: { validity_seconds: 604_800 } } });
  const target = `/v3/OS-ROLE-CREDENTIALS/targets/${applicationId}`;
  await call('PUT', target, { body: { target: { did: 'did:web:orders.town.example' } } });
  await call('GET', target);
  await call('GET', '/v3/OS-ROLE-CREDENTIALS/issuer');
  await call('GET', '/.well-known/jwt-vc-issuer');
  await call('GET', `/openid/credential-types/${type.id}`);
}
