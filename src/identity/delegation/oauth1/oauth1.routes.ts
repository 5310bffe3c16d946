// /v3/OS-OAUTH1, and the access tokens of a user
import { Answer } from '../../../platform/http/index.ts';
import { SIGNATURE } from '../../access/context/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { RoleEnvelope, RoleList, renderRole } from '../../directory/roles/index.ts';
import { listOf, PAGE_DOCUMENTATION, signedRequestOf, wholeList } from '../../ground/resource/index.ts';
import {
  AuthorizeRequestToken,
  CreatedOAuth1Consumer,
  CreateOAuth1Consumer,
  OAuth1AccessTokenEnvelope,
  OAuth1AccessTokenList,
  OAuth1ConsumerEnvelope,
  OAuth1ConsumerList,
  OAuth1TokenText,
  OAuth1Verifier,
  renderAccessToken,
  renderConsumer,
  tokenText,
  UpdateOAuth1Consumer,
} from './oauth1.schema.ts';
import type { OAuth1 } from './oauth1.ts';
import type { IssuedToken } from './tokens.rules.ts';

const tag = 'OAuth1';
const FORM = 'application/x-www-form-urlencoded';
const SIGNED =
  'The header `Authorization` has the parameters of OAuth 1.0 with a signature: HMAC-SHA1, HMAC-SHA256 or HMAC-SHA512 (RFC 5849). The answer is a form.';

const issued = (token: IssuedToken): Answer =>
  new Answer({ status: 201, headers: { 'Content-Type': FORM }, text: tokenText(token) });

function mountConsumers(app: IdentityApp, consumers: OAuth1['consumers']): void {
  const all = '/v3/OS-OAUTH1/consumers';
  const one = '/v3/OS-OAUTH1/consumers/:consumer_id';
  const consumer = ({ params }: { params: { consumer_id: string } }) => consumers.target(params.consumer_id);

  app.get(
    all,
    {
      id: 'listOauth1Consumers',
      summary: 'List the consumers of OAuth1',
      tag,
      rule: 'identity:list_consumers',
      documentation: PAGE_DOCUMENTATION,
      reply: { 200: OAuth1ConsumerList },
    },
    async (call) => listOf(call, 'consumers', await consumers.list(call.query), renderConsumer),
  );
  app.post(
    all,
    {
      id: 'createOauth1Consumer',
      summary: 'Register a consumer of OAuth1',
      description: 'The secret is in this answer only. Consumers of OAuth2 are registered at `/v3/OS-OAUTH2/consumers`.',
      tag,
      rule: 'identity:create_consumer',
      body: CreateOAuth1Consumer,
      reply: { 201: CreatedOAuth1Consumer },
    },
    async ({ caller, body, base }) => {
      const { row, secret } = await consumers.create(caller, body.consumer);
      return { consumer: { ...renderConsumer(base, row), secret } };
    },
  );
  app.get(
    one,
    {
      id: 'getOauth1Consumer',
      summary: 'Show a consumer of OAuth1',
      tag,
      rule: 'identity:get_consumer',
      target: consumer,
      reply: { 200: OAuth1ConsumerEnvelope },
    },
    ({ target, base }) => ({ consumer: renderConsumer(base, target) }),
  );
  app.patch(
    one,
    {
      id: 'updateOauth1Consumer',
      summary: 'Change a consumer of OAuth1',
      description: 'All but its id and its secret.',
      tag,
      rule: 'identity:update_consumer',
      target: consumer,
      body: UpdateOAuth1Consumer,
      reply: { 200: OAuth1ConsumerEnvelope },
    },
    async ({ caller, target, body, base }) => ({
      consumer: renderConsumer(base, await consumers.update(caller, target, body.consumer)),
    }),
  );
  app.delete(
    one,
    {
      id: 'deleteOauth1Consumer',
      summary: 'Delete a consumer of OAuth1, and with it its tokens',
      tag,
      rule: 'identity:delete_consumer',
      target: consumer,
      reply: { 204: null },
    },
    ({ caller, target }) => consumers.remove(caller, target),
  );
}

function mountTokens(app: IdentityApp, tokens: OAuth1['tokens']): void {
  app.post(
    '/v3/OS-OAUTH1/request_token',
    {
      id: 'createOauth1RequestToken',
      summary: 'Get a request token',
      description: `The first step of a consumer. ${SIGNED}`,
      tag,
      rule: 'anyone',
      access: SIGNATURE,
      documentation: {
        headers: { 'Requested-Project-Id': 'The project that the consumer asks for.' },
        required: ['Requested-Project-Id'],
        otherTypes: [FORM],
        type: FORM,
      },
      reply: { 201: OAuth1TokenText },
    },
    async (call) => {
      const project = call.headers['requested-project-id'];
      const projectId = typeof project === 'string' ? project : undefined;
      return issued(await tokens.requestToken(signedRequestOf('POST', call), projectId, call.requestId));
    },
  );
  app.put(
    '/v3/OS-OAUTH1/authorize/:request_token_id',
    {
      id: 'authorizeOauth1RequestToken',
      summary: 'Authorize a request token',
      description: 'The user passes roles on to the consumer, and tells it the verifier of this answer.',
      tag,
      rule: 'identity:authorize_request_token',
      target: ({ params }) => tokens.target(params.request_token_id),
      body: AuthorizeRequestToken,
      reply: { 200: OAuth1Verifier },
    },
    async ({ caller, target, body }) => ({ token: { oauth_verifier: await tokens.authorize(caller, target, body.roles) } }),
  );
  app.post(
    '/v3/OS-OAUTH1/access_token',
    {
      id: 'createOauth1AccessToken',
      summary: 'Exchange a request token for an access token',
      description: `With the verifier that the user got. ${SIGNED}`,
      tag,
      rule: 'anyone',
      access: SIGNATURE,
      documentation: { otherTypes: [FORM], type: FORM },
      reply: { 201: OAuth1TokenText },
    },
    async (call) => issued(await tokens.accessToken(signedRequestOf('POST', call), call.requestId)),
  );
}

function mountAccessTokens(app: IdentityApp, accessTokens: OAuth1['accessTokens']): void {
  const all = '/v3/users/:user_id/OS-OAUTH1/access_tokens';
  const one = '/v3/users/:user_id/OS-OAUTH1/access_tokens/:access_token_id';
  const token = ({ params }: { params: { user_id: string; access_token_id: string } }) =>
    accessTokens.target(params.user_id, params.access_token_id);

  app.get(
    all,
    {
      id: 'listAccessTokensOfOauth1',
      summary: 'List the OAuth1 access tokens of a user',
      tag,
      rule: 'identity:list_access_tokens',
      target: ({ params }) => accessTokens.listTarget(params.user_id),
      reply: { 200: OAuth1AccessTokenList },
    },
    async (call) => wholeList(call, 'access_tokens', await accessTokens.list(call.target), renderAccessToken),
  );
  app.get(
    one,
    {
      id: 'getOauth1AccessToken',
      summary: 'Show an OAuth1 access token',
      tag,
      rule: 'identity:get_access_token',
      target: token,
      reply: { 200: OAuth1AccessTokenEnvelope },
    },
    ({ target, base }) => ({ access_token: renderAccessToken(base, target.row) }),
  );
  app.delete(
    one,
    {
      id: 'deleteOauth1AccessToken',
      summary: 'Delete an OAuth1 access token, and with it the tokens that were made with it',
      tag,
      rule: 'identity:delete_access_token',
      target: token,
      reply: { 204: null },
    },
    ({ caller, target }) => accessTokens.remove(caller, target),
  );
  app.get(
    '/v3/users/:user_id/OS-OAUTH1/access_tokens/:access_token_id/roles',
    {
      id: 'listRolesOfOauth1AccessToken',
      summary: 'List the roles of an OAuth1 access token',
      tag,
      rule: 'identity:list_access_token_roles',
      target: token,
      reply: { 200: RoleList },
    },
    (call) => wholeList(call, 'roles', call.target.roles, renderRole),
  );
  app.get(
    '/v3/users/:user_id/OS-OAUTH1/access_tokens/:access_token_id/roles/:role_id',
    {
      id: 'getRoleOfOauth1AccessToken',
      summary: 'Show a role of an OAuth1 access token',
      tag,
      rule: 'identity:get_access_token_role',
      target: token,
      reply: { 200: RoleEnvelope },
    },
    ({ params, target, base }) => ({ role: renderRole(base, accessTokens.roleOf(target, params.role_id)) }),
  );
}

export interface OAuth1RouteDeps {
  readonly oauth1Consumers: OAuth1['consumers'];
  readonly oauth1Tokens: OAuth1['tokens'];
  readonly oauth1AccessTokens: OAuth1['accessTokens'];
}

export function mountOAuth1(app: IdentityApp, modules: OAuth1RouteDeps): void {
  mountConsumers(app, modules.oauth1Consumers);
  mountTokens(app, modules.oauth1Tokens);
  mountAccessTokens(app, modules.oauth1AccessTokens);
}
