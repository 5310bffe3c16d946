// Calls the operations about credentials that say which roles a person has.
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
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
  await call('GET', `${all}/${type.id}/OS-IMPACT/deletion`);
  const target = `/v3/OS-ROLE-CREDENTIALS/targets/${applicationId}`;
  await call('PUT', target, { body: { target: { did: 'did:web:orders.town.example' } } });
  await call('GET', target);
  await call('GET', '/v3/OS-ROLE-CREDENTIALS/issuer');
  await call('GET', '/.well-known/jwt-vc-issuer');
  await call('GET', `/openid/credential-types/${type.id}`);
}

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** A person takes a role along, in a wallet. */
export async function tourCredentialWallet(
  { call }: { call: Recorder['call'] },
  { userId, token, configurationId }: { readonly userId: string; readonly token: string; readonly configurationId: string },
): Promise<void> {
  const own = { headers: { 'X-Auth-Token': token } };
  await call('GET', `/v3/users/${userId}/OS-ROLE-CREDENTIALS/types`, own);
  const { offer } = await call('POST', `/v3/users/${userId}/OS-ROLE-CREDENTIALS/offers`, {
    body: { offer: { credential_configuration_ids: [configurationId] } },
    ...own,
  });
  const { credential_issuer: issuer } = await call('GET', '/.well-known/openid-credential-issuer');
  const address = new URL(new URL(offer.uri).searchParams.get('credential_offer_uri')!);
  const { grants } = await call('GET', address.pathname);
  const { access_token: access } = await call('POST', '/openid/token', {
    form: {
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'],
      tx_code: offer.tx_code,
    },
    unrecorded: true,
  });
  const { c_nonce: nonce } = await call('POST', '/openid/credentials/nonce');
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const proof = await new SignJWT({ aud: issuer, nonce })
    .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey);
  const headers = { Authorization: `Bearer ${access}` };
  const { notification_id } = await call('POST', '/openid/credentials/credential', {
    body: { credential_configuration_id: configurationId, proofs: { jwt: [proof] } },
    headers,
  });
  await call('POST', '/openid/credentials/notification', { body: { notification_id, event: 'credential_accepted' }, headers });
}
