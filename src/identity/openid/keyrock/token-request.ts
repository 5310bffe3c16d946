// POST /v3/OS-OAUTH2/access_token: Keyrock's path of the token endpoint. Accepts a form, or JSON with or without an envelope.
import type { IncomingMessage } from 'node:http';
import { parseJson, readBody } from '../../../platform/http/index.ts';
import { fail } from '../../ground/faults.ts';
import { withBody } from '../client-authentication/index.ts';
import { ANONYMOUS_WALLET } from '../first-party-clients/index.ts';
import { PRE_AUTHORIZED, ROOT } from '../paths/index.ts';

const MAX_BODY = 56 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** Converts the request for the standard endpoint. A form only needs another path. */
export async function toTokenRequest(request: IncomingMessage): Promise<IncomingMessage> {
  request.url = `${ROOT}/token`;
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return request;
  const sent = parseJson(await readBody(request, MAX_BODY)) as Record<string, unknown> | undefined;
  const inner = sent?.token_request ?? sent;
  if (typeof inner !== 'object' || inner === null) fail('request.not_an_object');
  const parameters = Object.entries(inner).filter(([, value]) => typeof value === 'string') as [string, string][];
  request.headers['content-type'] = FORM;
  return withBody(request, new URLSearchParams(parameters).toString());
}

/** Wallets need no client id to redeem a pre-authorized code (OID4VCI, 6.1), but the library does. */
export async function namingAnonymousWallet(request: IncomingMessage): Promise<IncomingMessage> {
  const { 'content-type': type = '', authorization, 'oauth-client-attestation': attestation } = request.headers;
  if (!type.toLowerCase().startsWith(FORM) || authorization !== undefined || attestation !== undefined) return request;
  const text = (await readBody(request, MAX_BODY)).toString();
  const form = new URLSearchParams(text);
  const isAnonymous = form.get('grant_type') === PRE_AUTHORIZED && !form.get('client_id') && !form.has('client_assertion');
  return withBody(request, isAnonymous ? `${text}&client_id=${ANONYMOUS_WALLET}` : text);
}
