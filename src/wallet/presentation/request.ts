// The request of a verifier: fetched, opened, and held to the rules the library leaves to us.
import type { Openid4vpClient, ResolvedOpenid4vpAuthorizationRequest } from '@openid4vc/openid4vp';
import { newSecret } from '../../platform/ids.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { fail } from '../faults.ts';
import { decodeJws, isHostile } from '../jws.ts';
import { calling, protocolError } from '../openid4vc.ts';
import { TrustError } from '../trust/index.ts';

const REQUEST_OBJECT = 'application/oauth-authz-req+jwt';
/** URL-safe characters only (OID4VP, 5.2): it goes into signatures and addresses. */
const NONCE = /^[\w.~-]{1,512}$/;

/** What the wallet says of itself to verifiers that ask by POST. */
export const WALLET_METADATA = {
  vp_formats_supported: {
    'dc+sd-jwt': {
      'sd-jwt_alg_values': ['ES256', 'EdDSA', 'ES384', 'ES512'],
      'kb-jwt_alg_values': ['ES256', 'EdDSA', 'ES384', 'ES512'],
    },
    jwt_vc_json: { alg_values: ['ES256', 'EdDSA', 'ES384', 'ES512'] },
    mso_mdoc: { issuerauth_alg_values: [-7, -9, -8], deviceauth_alg_values: [-7, -9, -8] },
    ldp_vc: { proof_type_values: ['DataIntegrityProof'], cryptosuite_values: ['eddsa-rdfc-2022', 'ecdsa-rdfc-2019'] },
  },
  client_id_prefixes_supported: ['redirect_uri', 'decentralized_identifier', 'x509_san_dns', 'x509_hash', 'verifier_attestation'],
  request_object_signing_alg_values_supported: ['ES256', 'EdDSA', 'ES384', 'ES512', 'RS256', 'PS256'],
  response_types_supported: ['vp_token'],
  response_modes_supported: ['direct_post', 'direct_post.jwt'],
};

/** A request whose signature, client and shape hold. */
export interface Opened {
  readonly resolved: ResolvedOpenid4vpAuthorizationRequest;
  readonly responseUri: string;
  readonly responseMode: 'direct_post' | 'direct_post.jwt';
  readonly nonce: string;
  readonly state: string | undefined;
  /** The request object as it came, where there was one. */
  readonly requestObject: string | undefined;
  /** What request_uri gave; whoever goes on with this very request hands it back. */
  readonly fetched: Fetched | undefined;
}

export interface Fetched {
  readonly jwt: string;
  readonly walletNonce?: string;
}

const invalid = (why: string): never => fail('invalid-presentation-request', { why });

function parametersOf(uri: string): URLSearchParams {
  const url = URL.parse(uri) ?? fail('invalid-request', { why: 'uri is not an address' });
  for (const name of new Set(url.searchParams.keys()))
    if (url.searchParams.getAll(name).length > 1) invalid(`${name.slice(0, 50)} is there twice`);
  return url.searchParams;
}

/** We fetch it ourselves: the library would not send a nonce of ours, and could not tell whether it came back. */
async function fetchRequestObject(outbound: Outbound, url: string, method: string): Promise<Fetched> {
  if (method !== 'get' && method !== 'post')
    fail(
      'invalid-presentation-request',
      { why: 'request_uri_method is get or post' },
      { detail: { protocol: { error: 'invalid_request_uri_method' } } },
    );
  const walletNonce = method === 'post' ? newSecret() : undefined;
  const form = new URLSearchParams({ wallet_metadata: JSON.stringify(WALLET_METADATA), wallet_nonce: walletNonce ?? '' });
  const answer = await calling('verifier', 'request_uri', () =>
    outbound({
      method: method === 'post' ? 'POST' : 'GET',
      url,
      kind: 'request-object',
      headers: {
        Accept: REQUEST_OBJECT,
        ...(method === 'post' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(method === 'post' ? { body: form.toString() } : {}),
      // `application/jwt` and `text/plain` are what older verifiers say.
      accept: [REQUEST_OBJECT, 'application/jwt', 'text/plain'],
    }),
  );
  if (answer.status !== 200) fail('upstream-error', { who: 'verifier', why: `request_uri: status ${answer.status}` });
  return { jwt: answer.body.toString('utf8').trim(), ...(walletNonce === undefined ? {} : { walletNonce }) };
}

/** What must be known before the library looks at it. */
function checkUnread(parameters: URLSearchParams, requestObject: string | undefined): void {
  let payload: Readonly<Record<string, unknown>> = Object.fromEntries(parameters);
  if (requestObject !== undefined) {
    const { header, payload: inner } = decoded(requestObject);
    // The library lets any type pass for requests that look like an early draft.
    if (header.typ !== 'oauth-authz-req+jwt') invalid('its type is not that of a request');
    payload = inner;
  }
  // The library would follow it with a client of its own that may call any address. The final text has no such parameter.
  if (payload.client_metadata_uri !== undefined) invalid('client_metadata_uri is not supported');
  if (payload.dcql_query !== undefined && payload.presentation_definition !== undefined)
    invalid('it asks in two languages at once');
}

function decoded(requestObject: string): ReturnType<typeof decodeJws> {
  try {
    return decodeJws(requestObject);
  } catch {
    return invalid('it is not a signed request');
  }
}

/** Where an answer can be sent at all; whether it may be is decided when it is. */
function isAddress(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === '';
}

function checkShape(
  resolved: ResolvedOpenid4vpAuthorizationRequest,
  { requestObject, fetched }: Pick<Opened, 'requestObject' | 'fetched'>,
): Opened {
  const payload = resolved.authorizationRequestPayload as Readonly<Record<string, unknown>>;
  const { response_type: type, response_mode: mode, response_uri: to, redirect_uri: redirect, nonce, state } = payload;
  if (isHostile(payload)) invalid('it is nested too deeply');
  if (type !== 'vp_token') invalid('response_type is not vp_token');
  if (mode !== 'direct_post' && mode !== 'direct_post.jwt') return invalid('response_mode is not direct_post or direct_post.jwt');
  if (!isAddress(to)) return invalid('there is no usable response_uri');
  if (redirect !== undefined) invalid('redirect_uri stands beside response_uri');
  if (typeof nonce !== 'string' || !NONCE.test(nonce)) return invalid('there is no usable nonce');
  if (state !== undefined && typeof state !== 'string') return invalid('state is not a text');
  if (
    payload.dcql_query === undefined &&
    payload.presentation_definition === undefined &&
    payload.presentation_definition_uri === undefined
  )
    invalid('it asks for nothing');
  return { resolved, responseUri: to, responseMode: mode, nonce, state, requestObject, fetched };
}

/** Throws Faults; everything the library finds wrong is an invalid request, but for trust. `kept`: what was fetched before. */
export async function openRequest(
  uri: string,
  deps: { client: Openid4vpClient; outbound: Outbound },
  kept?: Fetched,
): Promise<Opened> {
  const parameters = parametersOf(uri);
  const clientId = parameters.get('client_id') ?? invalid('there is no client_id');
  const requestUri = parameters.get('request_uri');
  const given = parameters.get('request');
  if (requestUri !== null && given !== null) invalid('request and request_uri are both there');
  const fetched =
    requestUri === null
      ? undefined
      : (kept ?? (await fetchRequestObject(deps.outbound, requestUri, parameters.get('request_uri_method') ?? 'get')));
  const requestObject = fetched?.jwt ?? given ?? undefined;
  checkUnread(parameters, requestObject);
  const payload = requestObject === undefined ? plainPayload(parameters) : { client_id: clientId, request: requestObject };
  try {
    const resolved = await deps.client.resolveOpenId4vpAuthorizationRequest({
      authorizationRequestPayload: payload as never,
      wallet: { ...(fetched?.walletNonce ? { expectedNonce: fetched.walletNonce } : {}) },
    });
    return checkShape(resolved, { requestObject, fetched });
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (cause.constructor.name === 'Fault') throw cause;
      if (!(cause instanceof TrustError)) continue;
      if (cause.code === 'unreachable') fail('upstream-error', { who: 'verifier', why: cause.message });
      fail('untrusted-verifier', { why: cause.message });
    }
    if (protocolError(error)?.error === 'invalid_transaction_data')
      fail('unsupported-transaction-data', { why: 'an entry cannot be read' });
    return fail('invalid-presentation-request', { why: 'it does not hold' }, { reason: reasonOf(error as Error) });
  }
}

/** What the library says, without the request it likes to repeat. */
const reasonOf = ({ message }: Error): string => message.split(/ with data |\n\{/, 1)[0]!.slice(0, 500);

/** Parameters that are JSON travel as text in an address. */
function plainPayload(parameters: URLSearchParams): Record<string, unknown> {
  const json = new Set(['dcql_query', 'client_metadata', 'presentation_definition', 'transaction_data', 'verifier_info']);
  return Object.fromEntries(
    [...parameters].map(([name, text]) => {
      if (!json.has(name)) return [name, text];
      try {
        return [name, JSON.parse(text) as unknown];
      } catch {
        return invalid(`${name} is not JSON`);
      }
    }),
  );
}
