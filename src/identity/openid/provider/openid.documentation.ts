// The OpenAPI documentation of routes that the OpenID library serves itself. test/openapi.test.ts checks the list against a
// running service.
import { type Documentation, type DocumentedRoute, t } from '../../../platform/http/index.ts';
import { ACCESS_TOKEN, APPLICATION } from '../../access/context/index.ts';
import { OAuthError } from '../../ground/resource/index.ts';
import { WEBSSO, WEBSSO_OF_PROVIDERS } from '../paths/index.ts';
import { ASSERTION_PARAMETERS } from './client-parameters.ts';

const tag = 'OpenID';
const keyrock = "OAuth2 of Keyrock's back-end";
const FORM = { bodyType: 'application/x-www-form-urlencoded' } as const;

const text = (description: string) => t.string({ description });
export const Page = t.string();
/** Errors of these routes are pages for browsers, which name HTML, and JSON for other clients: that of OAuth, or Keystone's. */
const HTML_PAGE = { type: 'text/html', error: Page } as const satisfies Documentation;
export const DashboardPage = t.string();
const FORM_CALL = { ...FORM, error: OAuthError } as const satisfies Documentation;

const authorizeParameters = {
  client_id: 'The application.',
  response_type: 'Must be code.',
  redirect_uri: 'A registered redirect URI.',
  scope: 'Space-separated scopes, including openid.',
  state: 'Returned unchanged.',
  nonce: 'Returned in the ID token.',
  code_challenge: 'PKCE (RFC 7636). Required for public applications.',
  code_challenge_method: 'Must be S256.',
  prompt: 'none, login or consent.',
  max_age: 'Maximum age of the last login, in seconds. The person must sign in again if it is older.',
  login_hint: 'The user name to fill in.',
  idp_hint: 'The id of the identity provider to sign in at, for people who are not signed in here. Without it, they choose one.',
  domain_hint: 'The name of the domain that the person is of: the sign-in page has its look.',
  resource: 'The registered API that the token is for (RFC 8707). Without it: the API that has the scopes, or this service.',
  authorization_details: 'Credentials to receive (RFC 9396, type openid_credential), as JSON.',
  issuer_state: 'From a credential offer.',
  request_uri: 'The request_uri from /openid/par. Replaces all other parameters except client_id.',
  request: 'All parameters as a JWT that the application has signed (RFC 9101). Replaces all others except client_id.',
  response_mode: 'query, fragment or form_post; jwt, query.jwt, fragment.jwt or form_post.jwt for a signed answer (JARM).',
};
const authorizeBody = Object.fromEntries(
  Object.entries(authorizeParameters).map(([name, description]) => [name, text(description)]),
);
const client = {
  client_id: text('The application, if it does not use HTTP Basic.'),
  client_secret: text('The client secret. Public applications have none.'),
  ...ASSERTION_PARAMETERS,
};

const TokenRequest = t.open(
  {
    grant_type: text(
      'authorization_code, refresh_token, client_credentials, password, the device_code of RFC 8628, the token-exchange of RFC 8693, the ciba of OpenID Connect, or the pre-authorized_code of OID4VCI.',
    ),
  },
  {
    ...client,
    code: text('With authorization_code.'),
    redirect_uri: text('With authorization_code: the redirect URI of the authorization request.'),
    code_verifier: text('With authorization_code: the PKCE verifier.'),
    refresh_token: text('With refresh_token. Can be used once; the reply contains a new one.'),
    device_code: text('With the device grant.'),
    auth_req_id: text('With ciba: the id of the request that the person has answered.'),
    'pre-authorized_code': text('With the grant of a credential offer. A wallet needs no client_id for it.'),
    subject_token: text(
      'With token-exchange (RFC 8693): the access token of a person, for the API of the application or issued to it.',
    ),
    subject_token_type: text('With token-exchange: urn:ietf:params:oauth:token-type:access_token, or jwt.'),
    requested_token_type: text('With token-exchange: the same, or left out.'),
    audience: text('With token-exchange: the same as resource.'),
    tx_code: text('With the grant of a credential offer: the code that the person has typed.'),
    username: text('With password.'),
    password: text('With password.'),
    domain: text('With password: the domain of the user.'),
    verification_code: text('With password: the code of the second factor.'),
    recovery_code: text('With password: a recovery code instead of verification_code.'),
    scope: text('Requested scopes. At most those that were granted.'),
    resource: text('The registered API that the token is for (RFC 8707).'),
  },
);
const Tokens = t.open(
  { access_token: t.string(), token_type: t.string(), expires_in: t.integer() },
  { refresh_token: t.string(), id_token: t.string(), scope: t.string() },
);
const Claims = t.open({ sub: t.string() });
const REDIRECT_HEADERS = { Location: 'With 303: the next page.' };
const PAGE_REPLY = { 200: Page, 303: null };

const LOGOUT = {
  id_token_hint: 'An ID token of the person.',
  client_id: 'The application that requests the logout.',
  post_logout_redirect_uri: 'A registered redirect URI for after the logout.',
  state: 'Returned unchanged.',
};
const ProviderMetadata = t.open({ issuer: t.string() });
const PublicKeys = t.object({ keys: t.array(t.open({})) });
const AuthorizeForm = t.open({ client_id: authorizeBody.client_id! }, authorizeBody);
const PushedRequest = t.open({}, { ...authorizeBody, ...client });
const PushedReply = t.object({ request_uri: t.string(), expires_in: t.integer() });
const RevocationRequest = t.open({ token: t.string() }, { ...client, token_type_hint: text('access_token or refresh_token.') });
const DeviceRequest = t.open(
  {},
  { ...client, scope: text(authorizeParameters.scope), resource: text(authorizeParameters.resource) },
);
const DeviceReply = t.open(
  { device_code: t.string(), user_code: t.string(), verification_uri: t.string(), expires_in: t.integer() },
  { verification_uri_complete: t.string() },
);
const SignInRequest = t.open(
  { scope: text('Names separated by blanks, openid among them.') },
  {
    ...client,
    login_hint: text('Who is asked: a user name as at the sign-in, or an e-mail address that one person has confirmed.'),
    id_token_hint: text('Or an ID token of the person, for this application.'),
    binding_message: text('At most 60 characters in one line, which the person compares.'),
    user_code: text('The code that the person demands of who asks, if the application is registered to send it.'),
    requested_expiry: text('For how many seconds it is asked, at most 600. Not given: 300.'),
    client_notification_token: text('With ping: the token with which the application is told.'),
    acr_values: text('How strong the sign-in of the person should be, as names separated by blanks.'),
    resource: text(authorizeParameters.resource),
    request: text('All of it as a signed request (RFC 9101), instead.'),
  },
);
const SignInRequestReply = t.open({ auth_req_id: t.string(), expires_in: t.integer(), interval: t.integer() });
const LogoutForm = t.open({}, Object.fromEntries(Object.entries(LOGOUT).map(([name, description]) => [name, text(description)])));

t.name({
  OAuthTokenRequest: TokenRequest,
  OAuthTokens: Tokens,
  UserClaims: Claims,
  ProviderMetadata,
  PublicKeys,
  AuthorizeForm,
  PushedAuthorization: PushedRequest,
  PushedAuthorizationReply: PushedReply,
  RevocationRequest,
  DeviceAuthorization: DeviceRequest,
  DeviceAuthorizationReply: DeviceReply,
  SignInRequest,
  SignInRequestReply,
  LogoutForm,
});
const DPOP = { DPoP: 'Proof of possession of the key the token is bound to (RFC 9449).' };

const WEBSSO_ROUTES = [
  [WEBSSO, '/:protocol_id', 'AuthWebsso', 'Any way to sign in will do, and whoever is signed in stays so.'],
  [
    WEBSSO_OF_PROVIDERS,
    '/:idp_id/protocols/:protocol_id/websso',
    'AuthIdentityProviderProtocolWebsso',
    'Whoever is not signed in does so through that provider.',
  ],
] as const;
const webssoRoutes = WEBSSO_ROUTES.flatMap(([base, path, name, how]) =>
  (['GET', 'POST'] as const).map(
    (method): DocumentedRoute => ({
      method,
      path: base + path,
      spec: {
        id: `${method === 'GET' ? 'get' : 'create'}${name}`,
        summary: `Sign in to a dashboard${base === WEBSSO ? '' : ' through a provider'}${method === 'GET' ? '' : ', by POST'}`,
        description: `For the browser of the person, whom a dashboard such as Horizon sends here. ${how} It ends with a form that posts the token of the person to the dashboard. The protocol is \`openid\`.`,
        tag: 'Federation',
        rule: 'anyone',
        documentation: {
          type: 'text/html',
          error: DashboardPage,
          query: {
            origin: 'The address at which the dashboard receives the token: one of `GATEHOUSE_IDENTITY_TRUSTED_DASHBOARD`.',
          },
          required: ['origin'],
          replyHeaders: REDIRECT_HEADERS,
        },
        reply: method === 'GET' ? PAGE_REPLY : { 303: null },
      },
    }),
  ),
);

export const openidRoutes: readonly DocumentedRoute[] = [
  ...webssoRoutes,
  {
    method: 'GET',
    path: '/.well-known/openid-configuration',
    spec: {
      id: 'getOpenidMetadata',
      summary: 'Show the OpenID Connect metadata',
      tag,
      rule: 'anyone',
      reply: { 200: ProviderMetadata },
    },
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    spec: {
      id: 'getOauthMetadata',
      summary: 'Show the OAuth2 metadata',
      description: 'RFC 8414. The content is that of the OpenID Connect metadata.',
      tag,
      rule: 'anyone',
      reply: { 200: ProviderMetadata },
    },
  },
  {
    method: 'GET',
    path: '/openid/jwks',
    spec: {
      id: 'listPublicKeys',
      summary: 'List the public keys that verify tokens',
      tag,
      rule: 'anyone',
      documentation: { type: 'application/jwk-set+json' },
      reply: { 200: PublicKeys },
    },
  },
  {
    method: 'GET',
    path: '/openid/authorize',
    spec: {
      id: 'startSignIn',
      summary: 'Start a login in the browser',
      description:
        'For the browser of the person, not for programs. It ends with a redirection to `redirect_uri` with a code, or an error.',
      tag,
      rule: 'anyone',
      documentation: { ...HTML_PAGE, query: authorizeParameters, required: ['client_id'], replyHeaders: REDIRECT_HEADERS },
      reply: { 303: null, 200: Page },
    },
  },
  {
    method: 'POST',
    path: '/openid/authorize',
    spec: {
      id: 'startSignInByForm',
      summary: 'Start a login, with form parameters',
      tag,
      rule: 'anyone',
      body: AuthorizeForm,
      documentation: { ...HTML_PAGE, ...FORM, replyHeaders: REDIRECT_HEADERS },
      reply: { 303: null },
    },
  },
  {
    method: 'POST',
    path: '/openid/par',
    spec: {
      id: 'pushAuthorizationRequest',
      summary: 'Push the parameters of a login (RFC 9126)',
      tag,
      access: APPLICATION,
      body: PushedRequest,
      documentation: FORM_CALL,
      reply: { 201: PushedReply },
    },
  },
  {
    method: 'POST',
    path: '/openid/token',
    spec: {
      id: 'getOpenidTokens',
      summary: 'Get tokens',
      description:
        'Exchanges a code, a refresh token, a device code or a password (if the application may) for tokens, or issues a token for the application itself. Public applications send their `client_id` and PKCE instead of a secret.',
      tag,
      access: APPLICATION,
      body: TokenRequest,
      documentation: { ...FORM_CALL, headers: DPOP },
      reply: { 200: Tokens },
    },
  },
  {
    method: 'POST',
    path: '/v3/OS-OAUTH2/access_token',
    spec: {
      id: 'getKeyrockTokens',
      summary: 'Get tokens at the path of Keyrock',
      description: 'A form, or JSON, also as `{"token_request": {…}}`.',
      tag: keyrock,
      access: APPLICATION,
      body: TokenRequest,
      form: true,
      documentation: { error: OAuthError },
      reply: { 200: Tokens },
    },
  },
  ...(['GET', 'POST'] as const).map(
    (method): DocumentedRoute => ({
      method,
      path: '/openid/userinfo',
      spec: {
        id: method === 'GET' ? 'getUserClaims' : 'getUserClaimsByPost',
        summary: 'Show claims about the user of an access token',
        description: 'Which ones depends on the scopes of the token.',
        tag,
        access: ACCESS_TOKEN,
        documentation: { error: OAuthError, headers: DPOP },
        reply: { 200: Claims },
      },
    }),
  ),
  {
    method: 'POST',
    path: '/openid/revoke',
    spec: {
      id: 'revokeOpenidToken',
      summary: 'Revoke a token (RFC 7009)',
      tag,
      access: APPLICATION,
      body: RevocationRequest,
      documentation: FORM_CALL,
      reply: { 200: null },
    },
  },
  {
    method: 'POST',
    path: '/openid/device/authorize',
    spec: {
      id: 'startDeviceSignIn',
      summary: 'Start a login on a device without a browser (RFC 8628)',
      tag,
      access: APPLICATION,
      body: DeviceRequest,
      documentation: FORM_CALL,
      reply: { 200: DeviceReply },
    },
  },
  {
    method: 'POST',
    path: '/openid/backchannel',
    spec: {
      id: 'askForSignIn',
      summary: 'Ask a person to sign in who is somewhere else (CIBA)',
      description:
        'The answer is the same whether there is such a person or not. They answer at /account; the application asks for the answer at the token endpoint.',
      tag,
      access: APPLICATION,
      body: SignInRequest,
      documentation: FORM_CALL,
      reply: { 200: SignInRequestReply },
    },
  },
  {
    method: 'GET',
    path: '/openid/device',
    spec: {
      id: 'showDevicePage',
      summary: 'Show the page to enter the code of a device',
      tag,
      rule: 'anyone',
      documentation: { ...HTML_PAGE, query: { user_code: 'The code to fill in.' } },
      reply: { 200: Page },
    },
  },
  {
    method: 'GET',
    path: '/openid/logout',
    spec: {
      id: 'startLogout',
      summary: 'Start a logout in the browser',
      tag,
      rule: 'anyone',
      documentation: { ...HTML_PAGE, query: LOGOUT, replyHeaders: REDIRECT_HEADERS },
      reply: PAGE_REPLY,
    },
  },
  {
    method: 'POST',
    path: '/openid/logout',
    spec: {
      id: 'startLogoutByForm',
      summary: 'Start a logout, with form parameters',
      tag,
      rule: 'anyone',
      body: LogoutForm,
      documentation: { ...HTML_PAGE, ...FORM, replyHeaders: REDIRECT_HEADERS },
      reply: { 303: null },
    },
  },
  {
    method: 'GET',
    path: '/account',
    spec: {
      id: 'showAccountPage',
      summary: 'Show the account page of the signed-in person',
      tag,
      rule: 'anyone',
      documentation: { ...HTML_PAGE, replyHeaders: REDIRECT_HEADERS },
      reply: PAGE_REPLY,
    },
  },
];
