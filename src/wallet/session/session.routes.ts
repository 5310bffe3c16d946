// /api/v1/auth

import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '../../platform/faults/index.ts';
import { Answer, type Call, type Query } from '../../platform/http/index.ts';
import { addressKey, type Throttle } from '../../platform/limits/index.ts';
import type { Caller, WalletApp } from '../access/index.ts';
import { fail } from '../ground/faults.ts';
import { isOwnPage } from './authenticate.ts';
import type { AuthenticatedCaller } from './identity.ts';
import { OWN_RESOURCE_PATH, type OwnResources } from './protected-resource.ts';
import type { WalletLogins } from './session.rules.ts';
import {
  LoggedOut,
  LoginQuery,
  LoginReply,
  LogoutQuery,
  LogoutReply,
  LogoutToken,
  renderUserInfo,
  UserInfo,
  WalletResource,
} from './session.schema.ts';
import type { SessionReader } from './session-reader.ts';

const tag = 'Authentication';

const wantsJson = (headers: IncomingHttpHeaders, response: string | undefined): boolean =>
  response === 'json' || (headers.accept ?? '').split(',', 1)[0]!.trim().startsWith('application/json');

/** With duplicates, because the library refuses repeated parameters. */
function parametersOf(query: Query): URLSearchParams {
  const returned = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value ?? []].flat()) returned.append(name, one as string);
  return returned;
}

/**
 * Another page may send the user here to log out, but not in a request that the user does not see. That holds for other hosts of the
 * same site, too: their requests have the cookie. Programs and old browsers do not say what a request is.
 */
function isHidden(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest = 'document' } = headers;
  // In advance, before anybody goes there.
  if (headers['sec-purpose'] !== undefined) return true;
  if (site === 'same-origin' || site === 'none') return false;
  // Frames are navigated too, and may be invisible.
  return mode !== 'navigate' || dest !== 'document';
}

const REDIRECT_HEADERS = {
  Location: 'The next address for the browser.',
  'Set-Cookie': 'The cookie of the login or of the session.',
};
const CALLBACK = {
  query: {
    state: 'The state of the login.',
    code: 'The authorization code.',
    iss: 'The issuer of the response (RFC 9207).',
    error: 'The OAuth error, if there is no code.',
  },
  required: ['state'],
  replyHeaders: REDIRECT_HEADERS,
};

interface SessionRouteDeps {
  readonly logins: WalletLogins;
  readonly sessionOf: SessionReader;
  readonly ownResource: Pick<OwnResources, 'find'>;
  /** Limits logins by client address. */
  readonly throttle: Throttle;
  /** Limits refused logout tokens by client address. */
  readonly logoutThrottle: Throttle;
}

function mountLogin(app: WalletApp, { logins, sessionOf, throttle }: SessionRouteDeps): void {
  app.get(
    '/api/v1/auth/login',
    {
      id: 'startLogin',
      summary: 'Start a login at the identity provider',
      description: 'For browsers: redirects to the identity provider. With `response=json`, the address is in the answer.',
      tag,
      rule: 'anyone',
      query: LoginQuery,
      documentation: { replyHeaders: REDIRECT_HEADERS },
      reply: { 302: null, 200: LoginReply },
    },
    async ({ query, headers, address }) => {
      throttle.take(addressKey(address));
      const { return_to: returnTo, prompt, login_hint: loginHint } = query;
      const { authorizationUrl, cookie } = await logins.begin({ returnTo, prompt, loginHint }, headers);
      return wantsJson(headers, query.response)
        ? new Answer({ status: 200, headers: { 'Set-Cookie': cookie }, body: { authorizationUrl } })
        : new Answer({ status: 302, headers: { 'Set-Cookie': cookie, Location: authorizationUrl } });
    },
  );

  app.get(
    '/api/v1/auth/callback',
    {
      id: 'finishLogin',
      summary: 'Finish a login: the provider redirects the browser here',
      tag,
      rule: 'anyone',
      documentation: CALLBACK,
      reply: { 303: null },
    },
    async ({ query, headers, address }) => {
      throttle.take(addressKey(address));
      const { returnTo, cookies } = await logins.finish(parametersOf(query as Query), sessionOf.cookies(headers));
      throttle.refund(addressKey(address));
      return new Answer({ status: 303, headers: { 'Set-Cookie': cookies, Location: returnTo } });
    },
  );
}

function mountOwnResource(app: WalletApp, { ownResource }: SessionRouteDeps): void {
  app.get(
    OWN_RESOURCE_PATH,
    {
      id: 'getWalletResourceMetadata',
      summary: 'Show whose access tokens the API takes',
      description:
        'RFC 9728. Only if it takes access tokens, and their audience (`GATEHOUSE_WALLET_BEARER_AUDIENCE`) is the address of the node. A refusal (401) names this address then.',
      tag,
      rule: 'anyone',
      forEveryOrigin: true,
      documentation: {
        example: {
          answers: {
            200: {
              resource: 'https://wallet.example.org',
              resource_name: 'Wallet',
              authorization_servers: ['https://id.example.org'],
              bearer_methods_supported: ['header'],
            },
          },
        },
      },
      reply: { 200: WalletResource },
    },
    () => ownResource.find() ?? fail('not-found', { kind: 'document' }),
  );
}

function mountUserInfo(app: WalletApp): void {
  app.get(
    '/api/v1/auth/userinfo',
    {
      id: 'getUserInfo',
      summary: 'Show who is logged in, with the claims of the provider',
      tag,
      rule: 'signed_in',
      reply: { 200: UserInfo },
    },
    ({ caller }) => renderUserInfo(caller as AuthenticatedCaller),
  );
}

function mountBackchannelLogout(app: WalletApp, { logins, logoutThrottle }: SessionRouteDeps): void {
  app.post(
    '/api/v1/auth/backchannel-logout',
    {
      id: 'endSessionsByProvider',
      summary: 'End sessions, for the identity provider',
      description:
        'Back-channel logout (OpenID Connect): ends one session or all sessions of a user. The logout token is signed by the provider.',
      tag,
      rule: 'anyone',
      form: true,
      body: LogoutToken,
      reply: { 200: LoggedOut },
    },
    async ({ body, address }) => {
      const key = addressKey(address);
      logoutThrottle.check(key);
      try {
        await logins.endByProvider(body.logout_token);
      } catch (error) {
        // Only invalid tokens count, so that neither logins nor many valid logouts block the provider.
        if (error instanceof Fault && error.code === 'invalid-logout-token') logoutThrottle.take(key);
        throw error;
      }
      return {};
    },
  );
}

function mountLogout(app: WalletApp, { logins, sessionOf }: SessionRouteDeps): void {
  const logOut = async ({
    query,
    headers,
  }: Pick<Call<Caller, unknown, { return_to?: string | undefined; response?: string | undefined }>, 'query' | 'headers'>) => {
    if (isHidden(headers)) fail('csrf');
    const { returnTo, endSessionUrl, cookies } = await logins.end(await sessionOf.find(headers), query.return_to);
    return wantsJson(headers, query.response)
      ? new Answer({
          status: 200,
          headers: { 'Set-Cookie': cookies },
          body: endSessionUrl === undefined ? {} : { endSessionUrl },
        })
      : new Answer({ status: 303, headers: { 'Set-Cookie': cookies, Location: endSessionUrl ?? returnTo } });
  };
  const logout = {
    tag,
    rule: 'anyone',
    query: LogoutQuery,
    documentation: { replyHeaders: REDIRECT_HEADERS },
    reply: { 303: null, 200: LogoutReply },
  } as const;
  app.get(
    '/api/v1/auth/logout',
    {
      id: 'logOut',
      summary: 'Log out',
      description: 'Ends the session here and, if the browser goes on, at the provider.',
      ...logout,
    },
    logOut,
  );
  app.post(
    '/api/v1/auth/logout',
    {
      id: 'logOutByPost',
      summary: 'Log out, with a POST',
      description: 'Ends the session here and, if the browser goes on, at the provider.',
      ...logout,
    },
    (call) => {
      const hasCookie = sessionOf.cookies(call.headers).session !== undefined;
      if (hasCookie && !isOwnPage(call.headers, logins.origin())) fail('csrf');
      return logOut(call);
    },
  );
}

export function mountSession(app: WalletApp, modules: SessionRouteDeps): void {
  mountLogin(app, modules);
  mountUserInfo(app);
  mountOwnResource(app, modules);
  mountBackchannelLogout(app, modules);
  mountLogout(app, modules);
}
