// Fetches and verifies a verifier's request, with the checks that the library does not do.
import type { CallbackContext } from '@openid4vc/oauth2';
import type { ResolvedOpenid4vpAuthorizationRequest } from '@openid4vc/openid4vp';
import { newSecret } from '../../platform/ids.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import { FORMAT_NAMES, supportedFormats } from '../../verifiable/formats/index.ts';
import { decodeJws, isUnsafeJson } from '../../verifiable/jose/index.ts';
import { TrustError } from '../../verifiable/trust/index.ts';
import { fail } from '../ground/faults.ts';
import { protocolError, withUpstreamFaults } from '../protocols/index.ts';

const REQUEST_OBJECT = 'application/oauth-authz-req+jwt';
/** URL-safe characters only (OID4VP, 5.2). */
const NONCE = /^[\w.~-]{1,512}$/;

/** Wallet metadata for verifiers that use request_uri_method post. */
export const WALLET_METADATA = {
  vp_formats_supported: supportedFormats(FORMAT_NAMES),
  client_id_prefixes_supported: ['redirect_uri', 'decentralized_identifier', 'x509_san_dns', 'x509_hash', 'verifier_attestation'],
  request_object_signing_alg_values_supported: ['ES256', 'EdDSA', 'ES384', 'ES512', 'RS256', 'PS256'],
  response_types_supported: ['vp_token'],
  response_modes_supported: ['direct_post', 'direct_post.jwt'],
};

/** A verified request. */
export interface VerifierRequest {
  readonly resolved: ResolvedOpenid4vpAuthorizationRequest;
  readonly responseUri: string;
  readonly responseMode: 'direct_post' | 'direct_post.jwt';
  readonly nonce: string;
  readonly state: string | undefined;
  /** The verifier's keys and supported formats. */
  readonly clientMetadata: Readonly<Record<string, unknown>>;
  /** The original request object, if there is one. */
  readonly requestObject: string | undefined;
  /** The result of request_uri, to continue with the same request later. */
  readonly fetched: FetchedRequestObject | undefined;
}

export interface FetchedRequestObject {
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

/** Not done by the library, because it does not send and check a wallet nonce. */
async function fetchRequestObject(outbound: Outbound, url: string, method: string): Promise<FetchedRequestObject> {
  if (method !== 'get' && method !== 'post')
    fail(
      'invalid-presentation-request',
      { why: 'request_uri_method is get or post' },
      { detail: { protocol: { error: 'invalid_request_uri_method' } } },
    );
  const walletNonce = method === 'post' ? newSecret() : undefined;
  const form = new URLSearchParams({ wallet_metadata: JSON.stringify(WALLET_METADATA), wallet_nonce: walletNonce ?? '' });
  const answer = await withUpstreamFaults('verifier', 'request_uri', () =>
    outbound({
      method: method === 'post' ? 'POST' : 'GET',
      url,
      kind: 'request-object',
      headers: {
        Accept: REQUEST_OBJECT,
        ...(method === 'post' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(method === 'post' ? { body: form.toString() } : {}),
      // Older verifiers use `application/jwt` and `text/plain`.
      accept: [REQUEST_OBJECT, 'application/jwt', 'text/plain'],
    }),
  );
  if (answer.status !== 200) fail('upstream-error', { who: 'verifier', why: `request_uri: status ${answer.status}` });
  return { jwt: answer.body.toString('utf8').trim(), ...(walletNonce === undefined ? {} : { walletNonce }) };
}

/** Checks that must run before the library reads the request. */
function checkUnread(parameters: URLSearchParams, requestObject: string | undefined): void {
  let payload: Readonly<Record<string, unknown>> = Object.fromEntries(parameters);
  if (requestObject !== undefined) {
    const { header, payload: inner } = decoded(requestObject);
    // The library accepts any type for requests that look like an early draft.
    if (header.typ !== 'oauth-authz-req+jwt') invalid('its type is not that of a request');
    // A nested request could differ from the one that is checked here (RFC 9101, 4).
    if (inner.request !== undefined || inner.request_uri !== undefined) invalid('it holds another request');
    payload = inner;
  }
  const { client_metadata: metadata } = payload;
  if (metadata !== undefined && !isObject(requestObject === undefined ? jsonOf('client_metadata', String(metadata)) : metadata))
    invalid('client_metadata is not an object');
  // The library would fetch it with an unrestricted HTTP client. The final version has no such parameter.
  if (payload.client_metadata_uri !== undefined) invalid('client_metadata_uri is not supported');
  if (payload.dcql_query !== undefined && payload.presentation_definition !== undefined)
    invalid('it asks in two languages at once');
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * `iss` is ignored in a request (OID4VP, 5.8), and verifiers put their client id there, as RFC 9101 requires. The library would
 * compare it with the signing DID, so it gets a copy without `iss`. The signature is verified over the original. If the key is only
 * a fragment, `iss` is set to the verifier's DID.
 */
function withoutIssuer(requestObject: string): string {
  const { header, payload } = decoded(requestObject);
  const { iss: _, ...rest } = payload;
  const isFragment = typeof header.kid === 'string' && header.kid.startsWith('#');
  const did = /^(?:decentralized_identifier:)?(did:.*)$/.exec(String(payload.client_id))?.[1];
  const copy = isFragment && did !== undefined ? { ...rest, iss: did } : rest;
  const [head, , signature] = requestObject.split('.');
  return [head, Buffer.from(JSON.stringify(copy)).toString('base64url'), signature].join('.');
}

function decoded(requestObject: string): ReturnType<typeof decodeJws> {
  try {
    return decodeJws(requestObject);
  } catch {
    return invalid('it is not a signed request');
  }
}

/** Whether it is an http(s) URL. Whether it may be called is decided when the answer is sent. */
function isAddress(text: unknown): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === '';
}

function checkShape(
  resolved: ResolvedOpenid4vpAuthorizationRequest,
  { requestObject, fetched }: Pick<VerifierRequest, 'requestObject' | 'fetched'>,
): VerifierRequest {
  const payload = resolved.authorizationRequestPayload as Readonly<Record<string, unknown>>;
  const { response_type: type, response_mode: mode, response_uri: to, redirect_uri: redirect, nonce, state } = payload;
  if (isUnsafeJson(payload)) invalid('it is nested too deeply');
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
  // For registered verifiers the library leaves client_metadata in the request. Their response addresses are registered.
  const clientMetadata = (resolved.client.clientMetadata ?? payload.client_metadata ?? {}) as VerifierRequest['clientMetadata'];
  return { resolved, responseUri: to, responseMode: mode, nonce, state, clientMetadata, requestObject, fetched };
}

/** Throws Faults. Errors of the library mean an invalid request, except for trust errors. `previous`: the earlier fetched object. */
export async function openRequest(
  uri: string,
  deps: { callbacks: CallbackContext; outbound: Outbound },
  previous?: FetchedRequestObject,
): Promise<VerifierRequest> {
  const parameters = parametersOf(uri);
  const clientId = parameters.get('client_id') ?? invalid('there is no client_id');
  const requestUri = parameters.get('request_uri');
  const inlineRequest = parameters.get('request');
  if (requestUri !== null && inlineRequest !== null) invalid('request and request_uri are both there');
  const fetched =
    requestUri === null
      ? undefined
      : (previous ?? (await fetchRequestObject(deps.outbound, requestUri, parameters.get('request_uri_method') ?? 'get')));
  const requestObject = fetched?.jwt ?? inlineRequest ?? undefined;
  checkUnread(parameters, requestObject);
  const request = requestObject === undefined ? undefined : withoutIssuer(requestObject);
  const payload = request === undefined ? withOwnAddress(plainPayload(parameters)) : { client_id: clientId, request };
  const { verifyJwt } = deps.callbacks;
  const { Openid4vpClient } = await import('@openid4vc/openid4vp');
  const client = new Openid4vpClient({
    callbacks: {
      ...deps.callbacks,
      verifyJwt: (signer, jwt) => verifyJwt(signer, jwt.compact === request ? { ...jwt, compact: requestObject! } : jwt),
    },
  });
  try {
    const resolved = await client.resolveOpenId4vpAuthorizationRequest({
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
    return fail('invalid-presentation-request', { why: 'it is not valid' }, { reason: reasonOf(error as Error) });
  }
}

/** A verifier that is its own address need not name it twice (OID4VP 1.0, 5.9.3). Both modes that are served send the answer there. */
function withOwnAddress(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { client_id: id, response_uri: to, redirect_uri: redirect } = payload;
  const own =
    to === undefined && redirect === undefined && typeof id === 'string' ? /^redirect_uri:(.*)$/.exec(id)?.[1] : undefined;
  return own === undefined ? payload : { ...payload, response_uri: own };
}

/** The message of the library, without the request data in it. */
const reasonOf = ({ message }: Error): string => message.split(/ with data |\n\{/, 1)[0]!.slice(0, 500);

/** Parses the parameters that are JSON. */
function plainPayload(parameters: URLSearchParams): Record<string, unknown> {
  const json = new Set(['dcql_query', 'client_metadata', 'presentation_definition', 'transaction_data', 'verifier_info']);
  return Object.fromEntries(
    [...parameters].map(([name, text]) => {
      return [name, json.has(name) ? jsonOf(name, text) : text];
    }),
  );
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return invalid(`${name} is not JSON`);
  }
}
