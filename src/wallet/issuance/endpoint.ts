// Requests to an issuer's endpoints with an access token, with DPoP and encryption if required.
import { type CallbackContext, type RequestDpopOptions, resourceRequest } from '@openid4vc/oauth2';
import type { IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import { CredentialError, refusalOf } from './credential-error.ts';
import { decrypt, type Encryption } from './encryption.ts';
import type { IssuerToken } from './token.ts';

/** A client of the library with an access token. */
export interface AuthorizedClient {
  readonly client: Openid4vciClient;
  /** Signs DPoP proofs. */
  readonly callbacks: CallbackContext;
  readonly metadata: IssuerMetadataResult;
  readonly token: IssuerToken;
  readonly dpop: RequestDpopOptions | undefined;
}

export const NOT_JSON = 'an answer that is not JSON';

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  const value = jsonOf(text);
  if (value === undefined) throw new CredentialError(NOT_JSON);
  return value;
}

export async function send(
  { callbacks, token, dpop }: AuthorizedClient,
  url: string,
  payload: Record<string, unknown>,
  encryption: Encryption | undefined,
): Promise<unknown> {
  const sealed = await encryption?.encrypt?.(payload);
  const result = await resourceRequest({
    url,
    accessToken: token.accessToken,
    callbacks,
    ...(token.dpop && dpop ? { dpop } : {}),
    requestOptions: {
      method: 'POST',
      headers: { 'Content-Type': sealed ? 'application/jwt' : 'application/json', Accept: 'application/json, application/jwt' },
      body: sealed ?? JSON.stringify(payload),
    },
  });
  const text = await result.response.text();
  const type = result.response.headers.get('content-type') ?? '';
  if (!result.ok) {
    const body: unknown = type.includes('json') ? jsonOf(text) : undefined;
    throw refusalOf(body, result.response.status);
  }
  if (type.includes('application/jwt')) {
    if (!encryption?.privateKey) throw new CredentialError('an encrypted answer that was not asked for');
    return parse(await decrypt(text, encryption.privateKey).catch(() => ''));
  }
  if (encryption?.privateKey) throw new CredentialError('an answer in the clear, where an encrypted one was asked for');
  return parse(text);
}
