// OAuth2 in the format of Keyrock's back-end. Grants, codes and tokens are the same as in the standard API.

import { isoTime } from '../../../platform/clock.ts';
import { Answer, t } from '../../../platform/http/index.ts';
import { andThen } from '../../../platform/maybe-promise.ts';
import { factsOnly, type IdentityApp, targetOf } from '../../access/rules/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { Links, ListLinks, single, wholeList } from '../../ground/resource/index.ts';
import type { AccessTokens } from '../provider/index.ts';
import type { Records, StoredRecord } from '../records/index.ts';
import { type KeyrockCodes, RESPONSE_TYPES } from './codes.ts';

const tag = "OAuth2 of Keyrock's back-end";

const AUTHORIZE_DOCUMENTATION = {
  query: {
    client_id: 'The application.',
    redirect_uri: 'A registered redirect URI. Optional if only one is registered.',
    response_type: 'code, or token for an application with the grant type `implicit`.',
    scope: 'Space-separated scopes. Default: the scopes of the application.',
    state: 'Returned unchanged.',
  },
  required: ['client_id', 'response_type'],
};
const REDIRECT_DOCUMENTATION = {
  replyHeaders: { Location: 'The redirect URI, with the code; with the access token after `#`, if that was requested.' },
};
const AuthorizationRequest = t.object({
  data: t.object({
    consumer: t.object({ id: t.string(), name: t.string() }, { description: t.nullable(t.string()) }),
    redirect_uri: t.string(),
    requested_scopes: t.array(t.string()),
  }),
});
const AuthorizationApproval = t.envelope(
  'user_auth',
  t.open(
    {
      client_id: t.string({ minLength: 1, maxLength: 255 }),
      scopes: t.array(t.string({ maxLength: 255 }), { minItems: 1, maxItems: 50 }),
    },
    { user_id: t.string() },
  ),
);
const AccessToken = t.object({
  id: t.string(),
  authorizing_user_id: t.string(),
  consumer_id: t.string(),
  scopes: t.array(t.string()),
  expires_at: t.string(),
  valid: t.boolean(),
  links: Links,
});
const AccessTokenEnvelope = t.envelope('access_token', AccessToken);
const AccessTokenList = t.object({ links: ListLinks, access_tokens: t.array(AccessToken) });
const UserInformation = t.open(
  { id: t.string(), email: t.string(), displayName: t.string(), app_id: t.string() },
  { roles: t.array(t.open({})), organizations: t.array(t.open({})) },
);

interface KeyrockOAuthRouteDeps {
  readonly openid: {
    readonly accessTokens: AccessTokens;
    readonly keyrockCodes: KeyrockCodes;
    readonly records: Records;
    revoke(actor: Actor, userId: string, id: string): Promise<void>;
  };
}

function mountAccessTokensOfUsers(app: IdentityApp, modules: KeyrockOAuthRouteDeps): void {
  const many = '/v3/users/:user_id/OS-OAUTH2/access_tokens' as const;
  const one = '/v3/users/:user_id/OS-OAUTH2/access_tokens/:access_token_id' as const;

  const rule = 'access_tokens';
  const target = ({ params }: { params: { user_id: string } }) => ({
    facts: { userId: params.user_id },
    get: () => params.user_id,
  });

  const render = (base: string, userId: string, { id, payload }: StoredRecord) => ({
    // An identifier, not the token: a list must not reveal usable tokens.
    id,
    authorizing_user_id: userId,
    consumer_id: payload.clientId ?? '',
    scopes: String(payload.scope ?? '')
      .split(' ')
      .filter(Boolean),
    expires_at: isoTime(Number(payload.exp) * 1000),
    valid: true,
    links: { self: `${base}/v3/users/${userId}/OS-OAUTH2/access_tokens/${id}` },
  });

  app.get(
    many,
    {
      id: 'listUserAccessTokens',
      summary: 'List access tokens of a user',
      tag,
      rule,
      target,
      reply: { 200: AccessTokenList },
    },
    async (call) => {
      const tokens = await modules.openid.records.listOfUser(call.target, 'AccessToken');
      return wholeList(
        call,
        'access_tokens',
        tokens.map((token) => render(call.base, call.target, token)),
      );
    },
  );

  app.get(
    one,
    {
      id: 'getUserAccessToken',
      summary: 'Show an access token of a user',
      tag,
      rule,
      target,
      reply: { 200: AccessTokenEnvelope },
    },
    async ({ target: userId, params, base }) => {
      const tokens = await modules.openid.records.listOfUser(userId, 'AccessToken');
      const token = tokens.find(({ id }) => id === params.access_token_id) ?? fail('access_token.not_found');
      return { access_token: render(base, userId, token) };
    },
  );

  app.delete(
    one,
    { id: 'deleteUserAccessToken', summary: 'Revoke an access token', tag, rule, target, reply: { 204: null } },
    (call) => modules.openid.revoke(call.caller, call.target, call.params.access_token_id),
  );
}

export function mountKeyrockOAuth(app: IdentityApp, modules: KeyrockOAuthRouteDeps): void {
  app.get(
    '/v3/OS-OAUTH2/authorize',
    {
      id: 'getAuthorizationRequest',
      summary: 'Show what an application requests from the caller',
      description: 'The first step at the paths of Keyrock. A program shows the answer to the person, and then authorizes.',
      tag,
      rule: 'authorize',
      target: ({ caller }) => factsOnly({ userId: caller.userId }),
      documentation: AUTHORIZE_DOCUMENTATION,
      reply: { 200: AuthorizationRequest },
    },
    async ({ caller, query }) => {
      const [id = '', uri, type, scope = '', state] = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state'].map(
        (name) => single(query, name),
      );
      const responseType = RESPONSE_TYPES.find((one) => one === type);
      if (!responseType) fail('request.bad_value', { field: 'response_type', why: `it must be ${RESPONSE_TYPES.join(' or ')}` });
      const request = { clientId: id, responseType, redirectUri: uri, scopes: scope.split(' ').filter(Boolean), state };
      const { consumer, redirectUri, scopes } = await modules.openid.keyrockCodes.startAuthorization(caller, request);
      return {
        data: {
          consumer: { id: consumer.id, name: consumer.name, description: consumer.description },
          redirect_uri: redirectUri,
          requested_scopes: scopes,
        },
      };
    },
  );

  app.post(
    '/v3/OS-OAUTH2/authorize',
    {
      id: 'authorizeApplication',
      summary: 'Authorize an application',
      description:
        'Answers with a redirection that has the code, or the access token. What was requested before can be authorized once.',
      tag,
      rule: 'authorize',
      target: ({ caller, body }) => factsOnly({ userId: body.user_auth.user_id ?? caller.userId }),
      body: AuthorizationApproval,
      documentation: REDIRECT_DOCUMENTATION,
      reply: { 302: null },
    },
    async ({ caller, body: { user_auth: approval } }) => {
      const location = await modules.openid.keyrockCodes.approve(caller, approval.client_id, approval.scopes);
      return new Answer({ status: 302, headers: { Location: location } });
    },
  );

  app.get(
    '/v3/access-tokens/:token',
    {
      id: 'getUserOfAccessToken',
      summary: 'Show the user of an access token and their roles',
      fromMemory: true,
      tag,
      rule: 'verify_access_token',
      target: ({ params }) =>
        andThen(modules.openid.accessTokens.verify(params.token), (found) =>
          // A token bound to a key or a certificate is refused: this API cannot check the proof. Introspection says what it is bound to.
          targetOf(
            found?.user && found.confirmation === undefined ? found : undefined,
            () => ({}),
            () => fail('access_token.not_found'),
          ),
        ),
      reply: { 200: UserInformation },
    },
    ({ target }) => new Answer({ text: target.information }),
  );

  mountAccessTokensOfUsers(app, modules);
}

t.name({
  AccessTokenEnvelope,
  AccessTokenList,
  AuthorizationRequest,
  AuthorizationApproval,
  AccessToken,
  AccessTokenUser: UserInformation,
});
