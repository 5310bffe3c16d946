// A consumer of OAuth1: it signs its requests as RFC 5849 says.
import assert from 'node:assert/strict';
import { createHmac, randomInt } from 'node:crypto';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';
import { send } from './http.ts';

export interface OAuth1Key {
  readonly id: string;
  readonly secret: string;
}

export interface Signing {
  readonly consumer: OAuth1Key;
  readonly token?: OAuth1Key | undefined;
  readonly verifier?: string;
  readonly timestamp?: number;
  readonly nonce?: string;
  readonly method?: string;
  readonly hash?: string;
}

const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The header Authorization of a POST to an address without a query. */
export function authorizationOf(api: TestApi, url: string, signing: Signing): string {
  const { consumer, token, verifier, method = 'HMAC-SHA1', hash = 'sha1' } = signing;
  const values: Record<string, string> = {
    oauth_consumer_key: consumer.id,
    oauth_nonce: signing.nonce ?? String(randomInt(2 ** 47)),
    oauth_signature_method: method,
    oauth_timestamp: String(signing.timestamp ?? Math.floor(api.clock.now() / 1000)),
    oauth_version: '1.0',
    ...(token ? { oauth_token: token.id } : {}),
    ...(verifier === undefined ? {} : { oauth_verifier: verifier }),
  };
  const names = Object.keys(values).sort();
  const normalized = names.map((name) => `${name}=${escaped(values[name]!)}`).join('&');
  const text = `POST&${escaped(url)}&${escaped(normalized)}`;
  const key = `${escaped(consumer.secret)}&${escaped(token?.secret ?? '')}`;
  const signature = createHmac(hash, key).update(text).digest('base64');
  const all = { ...values, oauth_signature: signature };
  return `OAuth ${Object.entries(all)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(', ')}`;
}

/** Forms are no JSON. */
async function post(api: TestApi, path: string, headers: Record<string, string>, body?: unknown): Promise<ApiAnswer> {
  const response = await send(api.url + path, {
    method: 'POST',
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

export const keyOf = ({ status, text }: ApiAnswer): OAuth1Key => {
  assert.equal(status, 201, text);
  const form = new URLSearchParams(text);
  return { id: form.get('oauth_token')!, secret: form.get('oauth_token_secret')! };
};

export const askRequestToken = (api: TestApi, project: string, signing: Signing, authorization?: string): Promise<ApiAnswer> =>
  post(api, '/v3/OS-OAUTH1/request_token', {
    Authorization: authorization ?? authorizationOf(api, `${api.url}/v3/OS-OAUTH1/request_token`, signing),
    'Requested-Project-Id': project,
  });

export const askAccessToken = (api: TestApi, signing: Signing, authorization?: string): Promise<ApiAnswer> =>
  post(api, '/v3/OS-OAUTH1/access_token', {
    Authorization: authorization ?? authorizationOf(api, `${api.url}/v3/OS-OAUTH1/access_token`, signing),
  });

export const signedLogin = (api: TestApi, signing: Signing, scope?: unknown, authorization?: string): Promise<ApiAnswer> =>
  post(
    api,
    '/v3/auth/tokens',
    { Authorization: authorization ?? authorizationOf(api, `${api.url}/v3/auth/tokens`, signing) },
    { auth: { identity: { methods: ['oauth1'], oauth1: {} }, scope } },
  );

export async function makeConsumer(api: TestApi, values: Record<string, unknown> = {}): Promise<OAuth1Key> {
  const answer = await api.post('/v3/OS-OAUTH1/consumers', { consumer: { description: 'a printer', ...values } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.consumer;
}

/** An administrator of a project of their own. */
export async function oauth1Person(api: TestApi, roles: readonly string[] = ['admin', 'member']) {
  const project = await api.make('project', { name: uniqueName('project') });
  return { ...(await api.persona(roles, { project: project.id })), project };
}

export const authorize = (api: TestApi, token: string, request: OAuth1Key, roles: readonly unknown[] = [{ name: 'member' }]) =>
  api.put(`/v3/OS-OAUTH1/authorize/${request.id}`, { roles }, { token });

/** All steps. */
export async function makeAccessToken(api: TestApi, person: Awaited<ReturnType<typeof oauth1Person>>) {
  const consumer = await makeConsumer(api);
  const request = keyOf(await askRequestToken(api, person.project.id, { consumer }));
  const answer = await authorize(api, person.token, request);
  assert.equal(answer.status, 200, answer.text);
  const verifier: string = answer.body.token.oauth_verifier;
  const token = keyOf(await askAccessToken(api, { consumer, token: request, verifier }));
  return { consumer, request, verifier, token };
}
