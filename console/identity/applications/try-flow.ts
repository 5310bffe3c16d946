// The authorization code flow with PKCE (RFC 6749, RFC 7636, OpenID Connect), run by the page in the place of an application. Everything stays in
// the memory of the page. ADR 021.
import { ApiError } from '../../shared/http.ts';
import { part } from '../../shared/router.ts';
import { api } from '../session.ts';
import type { ConsumerWithSecret } from './types.ts';

export type Values = readonly (readonly [name: string, value: string])[];
export type Claims = Readonly<Record<string, unknown>>;

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly userinfo_endpoint: string;
  readonly revocation_endpoint: string;
}

export interface Attempt {
  readonly metadata: Metadata;
  /** Where the answer arrives: the last part of the redirect address. */
  readonly id: string;
  readonly url: string;
  readonly parameters: Values;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface Exchange {
  readonly request: Values;
  readonly tokens: Claims;
  readonly idToken: { readonly header: Claims; readonly claims: Claims } | undefined;
  /** What is wrong with the ID token. Empty when everything is right. */
  readonly problems: readonly ('iss' | 'aud' | 'nonce' | 'exp')[];
  /** Only with the scope `openid`. */
  readonly userInfo: Claims | undefined;
  /** The tokens were given back. */
  readonly areEnded: boolean;
}

/** Parts of the answer that an application would refuse. */
export type AnswerProblem = 'state' | 'iss';

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));
const challengeOf = async (verifier: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));

/** The OpenID endpoints take no cookies and no token of the console. */
async function ask(url: string, init: RequestInit = {}): Promise<Claims> {
  const response = await fetch(url, { credentials: 'omit', cache: 'no-store', ...init });
  const text = await response.text();
  const body: Claims = text === '' ? {} : (JSON.parse(text) as Claims);
  if (response.ok) return body;
  throw new ApiError(response.status, String(body.error_description ?? body.error ?? response.status), {
    code: String(body.error),
  });
}

/** Claims of a JSON Web Token. Not verified: it came from the token endpoint itself (OpenID Connect Core, 3.1.3.7). */
function decode(token: string): { header: Claims; claims: Claims } {
  const [header, claims] = token.split('.', 2).map((text) => {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
  });
  return { header: header!, claims: claims! };
}

export async function beginAttempt(
  { id: clientId }: ConsumerWithSecret,
  { scope, prompt }: { readonly scope: string; readonly prompt: string },
): Promise<Attempt> {
  const path = `/v3/OS-OAUTH2/consumers/${part(clientId)}/sign-in-attempts`;
  const [metadata, { attempt }] = await Promise.all([
    ask('/.well-known/openid-configuration') as Promise<unknown> as Promise<Metadata>,
    api.post<{ attempt: { redirect_uri: string } }>(path),
  ]);
  const redirectUri = attempt.redirect_uri;
  const [state, nonce, verifier] = [random(), random(), random()];
  const parameters: Values = [
    ['response_type', 'code'],
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['scope', scope],
    ['state', state],
    // Without openid there is no ID token, and the provider refuses a nonce.
    ...(scope.split(' ').includes('openid') ? [['nonce', nonce] as const] : []),
    ['code_challenge', await challengeOf(verifier)],
    ['code_challenge_method', 'S256'],
    ...(prompt === '' ? [] : [['prompt', prompt] as const]),
  ];
  const url = new URL(metadata.authorization_endpoint);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  return { metadata, id: redirectUri.split('/').at(-1)!, url: url.href, parameters, redirectUri, state, nonce, verifier };
}

/** What is wrong with the answer of the provider (RFC 9207 for `iss`). */
export const answerProblem = ({ state, metadata }: Attempt, answer: Claims): AnswerProblem | undefined =>
  answer.state !== state ? 'state' : answer.iss !== undefined && answer.iss !== metadata.issuer ? 'iss' : undefined;

/** How the application says who it is: by its secret, or not at all if it has none. */
function clientAuthentication(consumer: ConsumerWithSecret): { headers: Record<string, string>; body: Values } {
  const { id, secret, client_type: type, token_endpoint_auth_method: method } = consumer;
  if (type === 'public') return { headers: {}, body: [['client_id', id]] };
  if (method === 'client_secret_post')
    return {
      headers: {},
      body: [
        ['client_id', id],
        ['client_secret', secret],
      ],
    };
  return { headers: { Authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}` }, body: [] };
}

const post = (url: string, consumer: ConsumerWithSecret, values: Values): Promise<Claims> => {
  const { headers, body } = clientAuthentication(consumer);
  return ask(url, {
    method: 'POST',
    headers,
    body: new URLSearchParams([...values, ...body].map(([name, value]) => [name, value])),
  });
};

function problemsOf({ metadata, nonce }: Attempt, clientId: string, claims: Claims): Exchange['problems'] {
  const isFor = claims.aud === clientId || (Array.isArray(claims.aud) && claims.aud.includes(clientId));
  return [
    ...(claims.iss === metadata.issuer ? [] : (['iss'] as const)),
    ...(isFor ? [] : (['aud'] as const)),
    ...(claims.nonce === nonce ? [] : (['nonce'] as const)),
    ...(Number(claims.exp) > Date.now() / 1000 ? [] : (['exp'] as const)),
  ];
}

/** True when the service has ended all of them. */
async function endTokens(consumer: ConsumerWithSecret, { metadata }: Attempt, tokens: Claims): Promise<boolean> {
  let areEnded = true;
  for (const token of [tokens.refresh_token, tokens.access_token])
    if (typeof token === 'string')
      await post(metadata.revocation_endpoint, consumer, [['token', token]]).catch(() => {
        areEnded = false;
      });
  return areEnded;
}

/** Redeems the code, asks who the person is, and gives the tokens back. */
export async function redeem(consumer: ConsumerWithSecret, attempt: Attempt, code: string): Promise<Exchange> {
  const { metadata, redirectUri, verifier } = attempt;
  const request: Values = [
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', redirectUri],
    ['code_verifier', verifier],
  ];
  const tokens = await post(metadata.token_endpoint, consumer, request);
  try {
    const idToken = typeof tokens.id_token === 'string' ? decode(tokens.id_token) : undefined;
    const problems = idToken ? problemsOf(attempt, consumer.id, idToken.claims) : [];
    const headers = { Authorization: `Bearer ${String(tokens.access_token)}` };
    const userInfo = idToken && (await ask(metadata.userinfo_endpoint, { headers }));
    return { request, tokens, idToken, problems, userInfo, areEnded: await endTokens(consumer, attempt, tokens) };
  } catch (error) {
    await endTokens(consumer, attempt, tokens);
    throw error;
  }
}
