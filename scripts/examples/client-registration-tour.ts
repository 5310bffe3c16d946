// Calls the operations of applications that register themselves.
import type { Recorder } from './recorder.ts';

const METADATA = {
  client_name: 'Assistant',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: 'openid offline_access',
};

export async function tourClientRegistration(api: Recorder): Promise<void> {
  const quiet = { unrecorded: true };
  const path = '/v3/domains/default/config/application_registration';
  await api.call('PUT', '/v3/domains/default/config', {
    body: { config: { application_registration: { mode: 'token' } } },
    ...quiet,
  });
  const tokens = '/v3/OS-OAUTH2/registration_tokens';
  const made = await api.call('POST', tokens, {
    body: { registration_token: { name: 'Build server', domain_id: 'default', uses: 2, lifetime_seconds: 86_400 } },
  });
  const { id, token } = made.registration_token;
  await api.call('GET', tokens);
  const bearer = (text: string) => ({ headers: { Authorization: `Bearer ${text}` } });
  const register = () => api.call('POST', '/openid/clients', { body: METADATA, ...bearer(token) });
  const [client, other] = [await register(), await register()];
  const own = `/openid/clients/${client.client_id}`;
  await api.call('GET', own, bearer(client.registration_access_token));
  const changed = await api.call('PUT', own, {
    body: { client_id: client.client_id, ...METADATA, client_name: 'Assistant of Ada' },
    ...bearer(client.registration_access_token),
  });
  const registered = '/v3/OS-OAUTH2/registered_applications';
  await api.call('GET', `${registered}?kept=false`);
  await api.call('DELETE', own, bearer(changed.registration_access_token));
  const { client_name: name, redirect_uris } = other;
  await api.call('POST', `${registered}/${other.client_id}/keep`, { body: { registered_application: { name, redirect_uris } } });
  await api.call('DELETE', `/v3/OS-OAUTH2/consumers/${other.client_id}`, quiet);
  await api.call('DELETE', `${tokens}/${id}`);
  await api.call('DELETE', path, quiet);
}
