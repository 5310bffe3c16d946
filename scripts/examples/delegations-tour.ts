// Calls the operations about what users pass on to programs and to each other.
import { createHmac, randomInt } from 'node:crypto';
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
  await call('POST', '/v3/OS-OAUTH2/token', {
    form: { grant_type: 'client_credentials' },
    headers: { Authorization: `Basic ${Buffer.from(`${created.id}:${created.secret}`).toString('base64')}` },
  });
  await call('GET', `/v3/users/${userId}/OS-OAUTH2/consumers`);
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

interface Key {
  readonly id: string;
  readonly secret: string;
}

/** A step of a consumer of OAuth1. Its answer is a form. */
async function signedStep(
  url: string,
  consumer: Key,
  headers: Record<string, string>,
  more: Record<string, string> = {},
  secret = '',
): Promise<Key> {
  const values: Record<string, string> = {
    oauth_consumer_key: consumer.id,
    oauth_nonce: String(randomInt(2 ** 47)),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    ...more,
  };
  const pairs = Object.keys(values)
    .sort()
    .map((name) => `${name}=${encodeURIComponent(values[name]!)}`);
  const text = `POST&${encodeURIComponent(url)}&${encodeURIComponent(pairs.join('&'))}`;
  const signature = createHmac('sha1', `${consumer.secret}&${secret}`).update(text).digest('base64');
  const all = Object.entries({ ...values, oauth_signature: signature }).map(
    ([name, value]) => `${name}="${encodeURIComponent(value)}"`,
  );
  const answer = await fetch(url, { method: 'POST', headers: { Authorization: `OAuth ${all.join(', ')}`, ...headers } });
  const form = new URLSearchParams(await answer.text());
  return { id: form.get('oauth_token')!, secret: form.get('oauth_token_secret')! };
}

export async function tourOAuth1({ call }: { call: Recorder['call'] }, userId: string): Promise<void> {
  const all = '/v3/OS-OAUTH1/consumers';
  const { consumer } = await call('POST', all, { body: { consumer: { description: 'The printer of the library' } } });
  await call('GET', all);
  await call('GET', `${all}/${consumer.id}`);
  await call('PATCH', `${all}/${consumer.id}`, { body: { consumer: { description: 'The printer of the archive' } } });
  const { projects } = await call('GET', '/v3/auth/projects', { unrecorded: true });
  const own = (projects as { id: string; name: string }[]).find(({ name }) => name === 'admin')!;
  const base: string = consumer.links.self.replace(/\/consumers\/.*/, '');
  const request = await signedStep(`${base}/request_token`, consumer, { 'Requested-Project-Id': own.id });
  const { token } = await call('PUT', `/v3/OS-OAUTH1/authorize/${request.id}`, { body: { roles: [{ name: 'reader' }] } });
  const verified = { oauth_token: request.id, oauth_verifier: token.oauth_verifier as string };
  const { id } = await signedStep(`${base}/access_token`, consumer, {}, verified, request.secret);
  const tokens = `/v3/users/${userId}/OS-OAUTH1/access_tokens`;
  await call('GET', tokens);
  await call('GET', `${tokens}/${id}`);
  const { roles } = await call('GET', `${tokens}/${id}/roles`);
  await call('GET', `${tokens}/${id}/roles/${roles[0].id}`);
}
