// Calls the operations about other providers.
import type { Recorder } from './recorder.ts';

const IDP = 'harbour';

export async function tourFederation(api: Recorder): Promise<void> {
  const call = api.call.bind(api);
  const rules = [
    { local: [{ user: { name: '{0}', email: '{1}' } }], remote: [{ type: 'preferred_username' }, { type: 'email' }] },
  ];
  await call('PUT', `/v3/OS-FEDERATION/mappings/${IDP}`, { body: { mapping: { rules } } });
  await call('GET', `/v3/OS-FEDERATION/mappings/${IDP}`);
  await call('PATCH', `/v3/OS-FEDERATION/mappings/${IDP}`, { body: { mapping: { rules, schema_version: '2.0' } } });
  await call('GET', '/v3/OS-FEDERATION/mappings');
  const one = `/v3/OS-FEDERATION/identity_providers/${IDP}`;
  const provider = { description: 'The accounts of the harbour', remote_ids: ['https://login.harbour.example'], enabled: true };
  await call('PUT', one, { body: { identity_provider: provider } });
  await call('GET', one);
  await call('PATCH', one, { body: { identity_provider: { description: 'Accounts of the harbour' } } });
  await call('GET', '/v3/OS-FEDERATION/identity_providers');
  await call('PUT', `${one}/protocols/openid`, { body: { protocol: { mapping_id: IDP } } });
  await call('GET', `${one}/protocols/openid`);
  await call('PATCH', `${one}/protocols/openid`, { body: { protocol: { mapping_id: IDP } } });
  await call('GET', `${one}/protocols`);
  await call('PUT', `${one}/openid`, {
    body: {
      openid: {
        issuer: 'https://login.harbour.example',
        client_id: 'gatehouse',
        client_secret: 'the secret that the provider gave',
        button_name: 'Harbour',
        email_domains: ['harbour.example'],
      },
    },
  });
  const settings = await call('GET', `${one}/openid`);
  const key = { id: 'ruJlpLm4mGOFyB0fmZ1Tyx7N', used_for: 'sig', alg: 'PS256', created_at: '2026-11-17T09:00:00.000000Z' };
  api.addExample('GET', `${one}/openid/keys`, undefined, { 200: { keys: [key] } });
  api.addExample('POST', `${one}/openid/keys`, { keys: { at_once: true } }, { 201: { keys: [key] } });
  const registration = { initial_access_token: 'what the provider gave to allow it' };
  api.addExample('POST', `${one}/openid/registration`, { registration }, { 201: settings });
  api.addExample('GET', `${one}/openid/registration`, undefined, {
    200: { registration: { registered_at: '2026-11-17T09:00:00.000000Z', client_secret_expires_at: null } },
  });
  await call('PUT', `${one}/openid4vp`, {
    body: {
      openid4vp: {
        name: 'Harbour office',
        credentials: [
          {
            format: 'dc+sd-jwt',
            types: ['https://credentials.harbour.example/pilot'],
            subject: ['sub'],
            claims: [['given_name'], ['family_name'], ['email']],
          },
        ],
        issuers: ['https://credentials.harbour.example', 'did:web:credentials.harbour.example'],
        requires_status: true,
      },
    },
  });
  await call('GET', `${one}/openid4vp`);
  await call('POST', '/v3/OS-FEDERATION/sign_in_providers', {
    body: {
      sign_in_provider: {
        id: 'port',
        domain_id: 'default',
        enabled: true,
        mapping: { rules, schema_version: '2.0' },
        openid: {
          issuer: 'https://login.port.example',
          client_id: 'gatehouse',
          client_secret: 'the secret that the provider gave',
          button_name: 'Port',
          button_order: 1,
        },
      },
    },
  });
  await call('GET', '/v3/OS-FEDERATION/sign_in_providers');
  await call('POST', `${one}/mapping_trials`, {
    body: {
      trial: { claims: { sub: '7f3a', preferred_username: 'grace', email: 'grace@harbour.example', email_verified: true } },
    },
  });
  await call('GET', `${one}/provider_links`);
  await call('GET', `${one}/OS-IMPACT/deletion`);
  const address = (path: string): string => `https://login.harbour.example/${path}`;
  api.addExample(
    'POST',
    '/v3/OS-FEDERATION/provider_metadata',
    { metadata: { issuer: 'https://login.harbour.example' } },
    {
      200: {
        metadata: {
          issuer: 'https://login.harbour.example',
          authorization_endpoint: address('authorize'),
          token_endpoint: address('token'),
          userinfo_endpoint: address('userinfo'),
          jwks_uri: address('keys'),
          end_session_endpoint: null,
          registration_endpoint: address('register'),
          scopes_supported: ['openid', 'profile', 'email'],
          claims_supported: ['sub', 'email', 'preferred_username'],
          backchannel_logout_supported: true,
          problems: [],
        },
      },
    },
  );
  const result = {
    refusal: null,
    user: { kind: 'choice', id: null, name: 'grace', email: 'grace@harbour.example', domain_id: 'default' },
    groups: [],
    roles: [],
  };
  api.addExample('POST', `${one}/sign_in_attempts`, undefined, {
    201: {
      attempt: {
        id: '5f2c1d0e9b8a47369f0e1d2c3b4a5968',
        url: `${address('authorize')}?client_id=gatehouse&response_type=code&state=try.5f2c1d0e9b8a47369f0e1d2c3b4a5968`,
        expires_at: '2026-11-17T09:05:00.000000Z',
      },
    },
  });
  api.addExample(
    'POST',
    `${one}/sign_in_attempts/5f2c1d0e9b8a47369f0e1d2c3b4a5968/answer`,
    { answer: { query: `?code=SplxlOBeZQQYbYS6WxSbIA&state=try.5f2c1d0e9b8a47369f0e1d2c3b4a5968&provider=${IDP}` } },
    { 200: { attempt: { claims: { sub: '7f3a', preferred_username: 'grace', email: 'grace@harbour.example' }, result } } },
  );
  for (const method of ['GET', 'POST'])
    api.addExample(method, `${one}/protocols/openid/auth`, undefined, {
      201: {
        token: {
          methods: ['mapped'],
          audit_ids: ['dGhpcyBpcyBhbiBhdWRpdA'],
          expires_at: '2026-11-17T10:00:00.000000Z',
          issued_at: '2026-11-17T09:00:00.000000Z',
          user: {
            id: '5f2c1d0e9b8a47369f0e1d2c3b4a5968',
            name: 'grace',
            domain: { id: 'default', name: 'Default' },
            'OS-FEDERATION': {
              groups: [{ id: '0a1b2c3d4e5f60718293a4b5c6d7e8f9' }],
              identity_provider: { id: IDP },
              protocol: { id: 'openid' },
            },
          },
        },
      },
    });
  await call('GET', '/v3/OS-FEDERATION/projects');
  await call('GET', '/v3/OS-FEDERATION/domains');
}
