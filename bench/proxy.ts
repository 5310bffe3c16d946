// What a proxy sends for every request it guards: checks of access tokens of many people, with Keyrock's API and by introspection.
import { administrator, logIn, loginBody, memberTokens } from './gatehouse.ts';
import type { LoadRequest } from './load.ts';
import { contender, emptyRow, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';

const CALLBACK = 'https://app.example.org/callback';

interface Consumer {
  readonly id: string;
  readonly secret: string;
}

async function call(url: string, token: string, path: string, body?: unknown): Promise<Response> {
  return fetch(url + path, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { 'X-Auth-Token': token, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

/** Gets an access token for the user of this token, as clients of Keyrock's back-end do. */
async function accessToken(url: string, token: string, { id, secret }: Consumer): Promise<string> {
  const query = new URLSearchParams({ response_type: 'code', client_id: id, redirect_uri: CALLBACK, scope: 'all_info' });
  await call(url, token, `/v3/OS-OAUTH2/authorize?${query}`);
  const allowed = await call(url, token, '/v3/OS-OAUTH2/authorize', { user_auth: { client_id: id, scopes: ['all_info'] } });
  const code = new URL(allowed.headers.get('location')!).searchParams.get('code')!;
  const response = await fetch(`${url}/openid/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

export const proxy: Scenario = async (services, pace) => {
  const scenario = 'proxy';
  const data = await services.small();
  const service = await services.serve(data);
  const { url } = service;
  const admin = await logIn(url, loginBody(administrator));
  const body = { consumer: { name: 'bench', redirect_uris: [CALLBACK] } };
  const { consumer } = (await (await call(url, admin, '/v3/OS-OAUTH2/consumers', body)).json()) as { consumer: Consumer };
  const tokens: string[] = [];
  for (const token of await memberTokens(url, data.folder)) tokens.push(await accessToken(url, token, consumer));

  const Authorization = `Basic ${Buffer.from(`${consumer.id}:${consumer.secret}`).toString('base64')}`;
  const form = { Authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
  const question = tokens.map(
    (token): LoadRequest => ({ method: 'GET', path: `/v3/access-tokens/${token}`, headers: { 'X-Auth-Token': admin } }),
  );
  const introspection = tokens.map(
    (token): LoadRequest => ({ method: 'POST', path: '/openid/introspect', headers: form, text: `token=${token}` }),
  );
  const contenders = [
    contender('question about an access token', service, question),
    contender('introspection', service, introspection),
  ];
  const measurements = await measureBesideEmpty(contenders, pace);
  return [
    emptyRow(scenario, measurements),
    ...contenders.map(({ name }) => ratioToEmpty(scenario, measurements, name, name === 'introspection' ? undefined : 0.5)),
  ];
};
