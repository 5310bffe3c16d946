// Authorization codes for clients of Keyrock's back-end: their own front-end asks the person for consent, and sends the answer with
// the person's token. Applications that are registered with the grant type `implicit` get an access token instead of a code.
import type { Provider } from 'oidc-provider';
import { type Caller, type FreshLogin, loginTimeOf } from '../../access/rules/index.ts';
import { findConsumer, grantsOf, isStrangers, securityProfileOf } from '../../applications/consumers/index.ts';
import type { ConsumerRow, Database } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { SCOPES } from '../provider/index.ts';
import type { Records } from '../records/index.ts';

/** The pending consent, between the two calls. Stored rows have this name, so it cannot be changed. */
const MODEL = 'OldAuthorization';
const QUESTION_SECONDS = 600;

export const RESPONSE_TYPES = ['code', 'token'] as const;
export type ResponseType = (typeof RESPONSE_TYPES)[number];

const isBound = ({
  dpop_bound_access_tokens: key,
  tls_client_certificate_bound_access_tokens: certificate,
}: Readonly<Record<string, unknown>>): boolean => key === true || certificate === true;

export interface CodeRequest {
  readonly clientId: string;
  readonly responseType: ResponseType;
  readonly redirectUri: string | undefined;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
}

export function createKeyrockCodes({
  db,
  records,
  freshLogin,
  provider,
}: {
  readonly db: Database;
  readonly records: Records;
  readonly freshLogin: Pick<FreshLogin, 'requireEnough'>;
  provider(): Promise<Provider>;
}) {
  const idOf = (caller: Caller, clientId: string): string => `${clientId} ${caller.userId}`;

  async function findAllowedConsumer(clientId: string, responseType: ResponseType): Promise<ConsumerRow> {
    const consumer = await findConsumer(db.read, clientId);
    if (!consumer) fail('request.bad_value', { field: 'client_id', why: 'there is no such application' });
    // These calls have neither pushed requests nor PKCE, nor bound tokens.
    if (securityProfileOf(consumer) !== undefined)
      fail('request.bad_value', { field: 'client_id', why: 'the security profile of this application asks for /openid/par' });
    const grantTypes = grantsOf(consumer);
    if (responseType === 'code' && !grantTypes.has('authorization_code'))
      fail('request.bad_value', { field: 'response_type', why: 'this application gets no codes' });
    if (responseType === 'token' && !grantTypes.has('implicit'))
      fail('request.bad_value', { field: 'response_type', why: 'a token is for applications with the grant type implicit' });
    if (responseType === 'token' && isBound(parseJson(consumer.extra)))
      fail('request.bad_value', { field: 'response_type', why: 'tokens of this application are bound' });
    // Public clients need PKCE to redeem a code, which these calls do not support.
    if (responseType === 'code' && consumer.client_type === 'public')
      fail('request.bad_value', { field: 'client_id', why: 'a public application uses /openid/authorize' });
    // Its people are asked on the pages of the service, which say that nobody knows it.
    if (isStrangers(consumer))
      fail('request.bad_value', { field: 'client_id', why: 'an application that registered itself uses /openid/authorize' });
    return consumer;
  }

  /** Binds what is stored to the user's state at the time the caller's token was checked. */
  const bindToCaller = <T>({ userId, authContext }: Caller, work: () => Promise<T>): Promise<T> =>
    records.duringRequest(async () => {
      records.bind(userId, authContext.userGeneration);
      await records.readLifetimes(userId);
      return work();
    });

  /** The application must exist, and the redirect URI must be registered. */
  async function startAuthorization(caller: Caller, { clientId, responseType, redirectUri, scopes, state }: CodeRequest) {
    const consumer = await findAllowedConsumer(clientId, responseType);
    const uri = registeredRedirectUri(consumer, redirectUri);
    const answer = { responseType, ...(state === undefined ? {} : { state }) };
    const payload = { accountId: caller.userId, clientId, redirectUri: uri, ...answer };
    await records.save(MODEL, idOf(caller, clientId), payload, QUESTION_SECONDS);
    return { consumer, redirectUri: uri, scopes: scopes.length > 0 ? scopes : (JSON.parse(consumer.scopes) as string[]) };
  }

  /** A consent can be answered once. Returns the URL to redirect the person to. */
  async function approve(caller: Caller, clientId: string, scopes: readonly string[]): Promise<string> {
    // As at the sign-in page: the account may ask for more since the login, and what the application gets lasts longer than the token.
    await freshLogin.requireEnough({ userId: caller.userId, methods: caller.token.methods });
    const question = await records.find(MODEL, idOf(caller, clientId));
    if (!question || !(await records.consume(MODEL, idOf(caller, clientId))))
      fail('request.bad_value', {
        field: 'client_id',
        why: 'it has no open authorization request, or the request was already answered',
      });
    await records.destroy(MODEL, idOf(caller, clientId));
    // The application may have changed since: its type, its grant type or its redirect URIs.
    const responseType = question.responseType === 'token' ? 'token' : 'code';
    const consumer = await findAllowedConsumer(clientId, responseType);
    const location = new URL(registeredRedirectUri(consumer, String(question.redirectUri)));
    const issued =
      responseType === 'token'
        ? await issueToken(caller, clientId, scopes)
        : await issueCode(caller, clientId, scopes, String(question.redirectUri));
    const state: Record<string, string> = question.state === undefined ? {} : { state: String(question.state) };
    const answer = Object.entries({ ...issued, ...state });
    // A token must not be sent to the server of the address, nor be in its logs (RFC 6749, 4.2.2).
    if (responseType === 'token') location.hash = new URLSearchParams(answer).toString();
    else for (const [name, value] of answer) location.searchParams.set(name, value);
    return location.href;
  }

  /** The consent, as codes and tokens have it. */
  async function grantTo(caller: Caller, clientId: string, scopes: readonly string[]) {
    const models = await provider();
    const client = await models.Client.find(clientId);
    if (!client) fail('request.bad_value', { field: 'client_id', why: 'there is no such application' });
    const allowed = client.scope?.split(' ') ?? SCOPES;
    const scope = SCOPES.filter((one) => scopes.includes(one) && allowed.includes(one)).join(' ');
    const grant = new models.Grant({ accountId: caller.userId, clientId });
    if (scope !== '') grant.addOIDCScope(scope);
    return { models, about: { accountId: caller.userId, client, grantId: await grant.save(), scope } };
  }

  async function issueCode(
    caller: Caller,
    clientId: string,
    scopes: readonly string[],
    redirectUri: string,
  ): Promise<Record<string, string>> {
    const { models, about } = await grantTo(caller, clientId, scopes);
    const code = new models.AuthorizationCode({
      ...about,
      gty: 'authorization_code',
      redirectUri,
      // A token made from another token keeps the time of the login.
      authTime: Math.floor(loginTimeOf(caller.token) / 1000),
    } as never);
    return { code: await code.save() };
  }

  /** Never a refresh token: whoever reads the address would have access for ever. */
  async function issueToken(caller: Caller, clientId: string, scopes: readonly string[]): Promise<Record<string, string>> {
    const { models, about } = await grantTo(caller, clientId, scopes);
    const token = new models.AccessToken({ ...about, gty: 'implicit' } as never);
    return {
      access_token: await token.save(),
      token_type: 'Bearer',
      expires_in: String(token.expiration),
      ...(about.scope === '' ? {} : { scope: about.scope }),
    };
  }

  return {
    startAuthorization: (caller: Caller, request: CodeRequest) => bindToCaller(caller, () => startAuthorization(caller, request)),
    approve: (caller: Caller, clientId: string, scopes: readonly string[]) =>
      bindToCaller(caller, () => approve(caller, clientId, scopes)),
  };
}

export type KeyrockCodes = ReturnType<typeof createKeyrockCodes>;

function registeredRedirectUri(consumer: ConsumerRow, requested: string | undefined): string {
  const uris = JSON.parse(consumer.redirect_uris) as string[];
  const uri = requested ?? (uris.length === 1 ? uris[0] : undefined);
  if (uri === undefined || !uris.includes(uri))
    fail('request.bad_value', { field: 'redirect_uri', why: 'it is not one of the application' });
  return uri;
}
