// What the OpenID library serves itself, for the documentation: App has no routes of these. test/openapi.test.ts holds the list
// to a running service.
import { type Documentation, type DocumentedRoute, t } from '../../platform/http/index.ts';

/** How callers of these prove who they are: an application by its secret, a person by an access token. */
export const APPLICATION = 'application';
export const ACCESS_TOKEN = 'access token';

const tag = 'OpenID';
const keyrock = "OAuth2 of Keyrock's back-end";
const FORM = { bodyType: 'application/x-www-form-urlencoded' } as const;

const text = (description: string) => t.string({ description });
const Page = t.string();
const OAuthError = t.object({ error: t.string() }, { error_description: t.string() });
/** People get a page, whatever happens. */
const SHOWN = { type: 'text/html', error: Page } as const satisfies Documentation;
const CALLED = { ...FORM, error: OAuthError } as const satisfies Documentation;

const asked = {
  client_id: 'The application.',
  response_type: 'code.',
  redirect_uri: 'Where to send the browser back to: one that is registered.',
  scope: 'Words with spaces, openid among them.',
  state: 'Comes back as it is.',
  nonce: 'Comes back in the ID token.',
  code_challenge: 'PKCE (RFC 7636); public applications need it.',
  code_challenge_method: 'S256.',
  prompt: 'none, login or consent.',
  max_age: 'Sign in again if the last time is longer ago, in seconds.',
  login_hint: 'Who is to sign in.',
  resource: 'What the token is for (RFC 8707).',
  request_uri: 'What /openid/par answered, instead of all this but client_id.',
};
const askedBody = Object.fromEntries(Object.entries(asked).map(([name, description]) => [name, text(description)]));
const client = {
  client_id: text('The application, where it does not use HTTP Basic.'),
  client_secret: text('Its secret; public applications have none.'),
};

const TokenRequest = t.open(
  { grant_type: text('authorization_code, refresh_token, client_credentials, password, or the device_code of RFC 8628.') },
  {
    ...client,
    code: text('With authorization_code.'),
    redirect_uri: text('With authorization_code: the one the code was asked with.'),
    code_verifier: text('With authorization_code: PKCE.'),
    refresh_token: text('With refresh_token. It is good once; the answer has the next.'),
    device_code: text('With the device grant.'),
    username: text('With password.'),
    password: text('With password.'),
    domain: text('With password: the domain of the user.'),
    verification_code: text('With password: the second factor.'),
    recovery_code: text('With password: a recovery code instead.'),
    scope: text('What is asked for; no more than was allowed.'),
    resource: text('What the token is for (RFC 8707).'),
  },
);
const Tokens = t.open(
  { access_token: t.string(), token_type: t.string(), expires_in: t.integer() },
  { refresh_token: t.string(), id_token: t.string(), scope: t.string() },
);
const Claims = t.open({ sub: t.string() });
const Sent = { Location: 'Of 303: where the browser goes on.' };
const pages = { 200: Page, 303: null };

const LOGOUT = {
  id_token_hint: 'An ID token of the person.',
  client_id: 'The application that asks.',
  post_logout_redirect_uri: 'Where to send the browser back to: one that is registered.',
  state: 'Comes back as it is.',
};
const DPOP = { DPoP: 'Proof of the key the token is bound to (RFC 9449).' };

export const openidRoutes: readonly DocumentedRoute[] = [
  {
    method: 'GET',
    path: '/.well-known/openid-configuration',
    spec: {
      summary: 'What this provider offers, and where',
      tag,
      rule: 'anyone',
      reply: { 200: t.open({ issuer: t.string() }) },
    },
  },
  {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    spec: {
      summary: 'The same, where clients of OAuth2 look for it (RFC 8414)',
      tag,
      rule: 'anyone',
      reply: { 200: t.open({ issuer: t.string() }) },
    },
  },
  {
    method: 'GET',
    path: '/openid/jwks',
    spec: {
      summary: 'The keys its tokens are signed with',
      tag,
      rule: 'anyone',
      reply: { 200: t.object({ keys: t.array(t.open({})) }) },
    },
  },
  {
    method: 'GET',
    path: '/openid/authorize',
    spec: {
      summary: 'Sign in: a browser is sent here by an application, and back with a code',
      tag,
      rule: 'anyone',
      documentation: { ...SHOWN, query: asked, required: ['client_id'], replyHeaders: Sent },
      reply: { 303: null, 200: Page },
    },
  },
  {
    method: 'POST',
    path: '/openid/authorize',
    spec: {
      summary: 'The same by a form',
      tag,
      rule: 'anyone',
      body: t.open({ client_id: askedBody.client_id! }, askedBody),
      documentation: { ...SHOWN, ...FORM, replyHeaders: Sent },
      reply: { 303: null },
    },
  },
  {
    method: 'POST',
    path: '/openid/par',
    spec: {
      summary: 'Say beforehand what a login is to be (RFC 9126)',
      tag,
      access: APPLICATION,
      body: t.open({}, { ...askedBody, ...client }),
      documentation: CALLED,
      reply: { 201: t.object({ request_uri: t.string(), expires_in: t.integer() }) },
    },
  },
  {
    method: 'POST',
    path: '/openid/token',
    spec: {
      summary: 'Get tokens for a code, a refresh token, a password or the application itself',
      tag,
      access: APPLICATION,
      body: TokenRequest,
      documentation: { ...CALLED, headers: DPOP },
      reply: { 200: Tokens },
    },
  },
  {
    method: 'POST',
    path: '/v3/OS-OAUTH2/access_token',
    spec: {
      summary: 'The same by the address Keyrock has for it: a form, or JSON, also as {"token_request": {…}}',
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
        summary: 'Who an access token stands for, as far as its scopes say',
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
      summary: 'Give a token back (RFC 7009)',
      tag,
      access: APPLICATION,
      body: t.open({ token: t.string() }, { ...client, token_type_hint: text('access_token, or refresh_token.') }),
      documentation: CALLED,
      reply: { 200: null },
    },
  },
  {
    method: 'POST',
    path: '/openid/device/authorize',
    spec: {
      summary: 'A device without a browser asks for a code to show (RFC 8628)',
      tag,
      access: APPLICATION,
      body: t.open({}, { ...client, scope: text(asked.scope), resource: text(asked.resource) }),
      documentation: CALLED,
      reply: {
        200: t.open(
          { device_code: t.string(), user_code: t.string(), verification_uri: t.string(), expires_in: t.integer() },
          { verification_uri_complete: t.string() },
        ),
      },
    },
  },
  {
    method: 'GET',
    path: '/openid/device',
    spec: {
      summary: 'The page where a person enters the code a device shows',
      tag,
      rule: 'anyone',
      documentation: { ...SHOWN, query: { user_code: 'The code, already filled in.' } },
      reply: { 200: Page },
    },
  },
  {
    method: 'GET',
    path: '/openid/logout',
    spec: {
      summary: 'Sign out: a browser is sent here by an application',
      tag,
      rule: 'anyone',
      documentation: { ...SHOWN, query: LOGOUT, replyHeaders: Sent },
      reply: pages,
    },
  },
  {
    method: 'POST',
    path: '/openid/logout',
    spec: {
      summary: 'The same by a form',
      tag,
      rule: 'anyone',
      body: t.open({}, Object.fromEntries(Object.entries(LOGOUT).map(([name, description]) => [name, text(description)]))),
      documentation: { ...SHOWN, ...FORM, replyHeaders: Sent },
      reply: { 303: null },
    },
  },
  {
    method: 'GET',
    path: '/account',
    spec: {
      summary: 'The page where people look after their own account',
      tag,
      rule: 'anyone',
      documentation: { ...SHOWN, replyHeaders: Sent },
      reply: pages,
    },
  },
];
