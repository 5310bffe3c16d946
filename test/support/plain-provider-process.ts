// The unmodified oidc-provider in its own process: an OpenID provider independent of Gatehouse. It logs in the user named in login_hint, or `person`.
// Its settings are JSON in PLAIN_PROVIDER. It prints its URL.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import Provider, { interactionPolicy } from 'oidc-provider';

const {
  person,
  clientId,
  clientSecret,
  key,
  accessTokenSeconds = 3600,
  redirectUri = 'http://127.0.0.1/api/v1/auth/callback',
  // Puts `sid` into ID tokens, as for clients with back-channel logout.
  sids = false,
  // 'all': answers every client; 'none': every token is inactive.
  introspection,
  refreshTokens = true,
} = JSON.parse(process.env.PLAIN_PROVIDER!);

const server = createServer();
await new Promise<void>((resolve) => server.listen(Number(process.env.PLAIN_PROVIDER_PORT ?? 0), '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const policy = interactionPolicy.base();
policy.remove('consent');
/** Users who may no longer log in. */
const closed = new Set<string>();
/** Claims set by tests, by user. */
const changed = new Map<string, Record<string, unknown>>();
const granted = new Map<string, number>();
/** Request counts by path. */
const asked = new Map<string, number>();

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      // A native one may use any port of this machine, but no https there.
      application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
      post_logout_redirect_uris: [new URL('/', redirectUri).href],
      grant_types: ['authorization_code', 'refresh_token'],
      ...(sids ? { backchannel_logout_uri: 'http://127.0.0.1/not-called', backchannel_logout_session_required: true } : {}),
    },
    {
      client_id: 'machine',
      client_secret: clientSecret,
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
    },
  ],
  jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig', kid: 'own' }] },
  cookies: { keys: ['of the tests'] },
  claims: {
    profile: ['name', 'preferred_username', 'groups', 'realm_access', 'https://example.org/roles'],
    email: ['email', 'email_verified'],
  },
  findAccount: async (_context, id) =>
    closed.has(id)
      ? undefined
      : {
          accountId: id,
          claims: async () => ({
            sub: id,
            name: `Person ${id}`,
            preferred_username: id,
            email: `${id}@example.org`,
            email_verified: true,
            groups: id.startsWith('admin') ? ['admin'] : ['people'],
            ...changed.get(id),
          }),
        },
  interactions: { policy, url: (_context, interaction) => `/interaction/${interaction.uid}` },
  issueRefreshToken: async () => refreshTokens,
  rotateRefreshToken: true,
  loadExistingGrant: async (context) => {
    const grant = new context.oidc.provider.Grant({
      clientId: context.oidc.client!.clientId,
      accountId: context.oidc.session!.accountId!,
    });
    grant.addOIDCScope('openid profile email offline_access');
    await grant.save();
    return grant;
  },
  ttl: {
    AccessToken: accessTokenSeconds,
    ClientCredentials: 600,
    IdToken: 3600,
    Grant: 86_400,
    RefreshToken: 86_400,
    Session: 86_400,
    Interaction: 600,
  },
  features: {
    devInteractions: { enabled: false },
    revocation: { enabled: true },
    backchannelLogout: { enabled: sids },
    introspection: { enabled: introspection !== undefined, allowedPolicy: async () => introspection === 'all' },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource) => ({
        scope: '',
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 600,
      }),
      useGrantedResource: () => false,
    },
  },
  pkce: { required: () => true },
});

provider.on('grant.success', ({ oidc }) => {
  const type = String(oidc.params?.grant_type);
  granted.set(type, (granted.get(type) ?? 0) + 1);
});

/** Paths whose next request is answered with 503. */
const busy = new Set<string>();

/** Control endpoints for tests, which no real provider has. */
const wishes: Record<string, (about: any) => unknown> = {
  close: ({ sub }) => closed.add(sub),
  busy: ({ path }) => busy.add(path),
  change: ({ sub, claims }) => changed.set(sub, claims),
  asked: ({ path }) => ({ count: asked.get(path) ?? 0 }),
  granted: ({ grantType }) => ({ count: granted.get(grantType) ?? 0 }),
  mint: async ({ header, claims }) => ({
    token: await new SignJWT(claims as JWTPayload)
      .setProtectedHeader({ alg: 'RS256', kid: 'own', ...header })
      .sign(await importJWK(key, 'RS256')),
  }),
};

// Tests use random ports. For native applications any port of a loopback redirect URI is allowed (RFC 8252, 7.3).
server.on('request', async (request, response) => {
  const url = new URL(request.url!, issuer);
  const wish = wishes[/^\/tests\/(\w+)$/.exec(url.pathname)?.[1] ?? ''];
  if (wish) {
    const result = await wish(JSON.parse(await text(request)));
    return response.writeHead(200).end(JSON.stringify(result ?? {}));
  }
  asked.set(url.pathname, (asked.get(url.pathname) ?? 0) + 1);
  if (busy.delete(url.pathname)) return response.writeHead(503).end();
  if (!url.pathname.startsWith('/interaction/')) return provider.callback()(request, response);
  const { params } = await provider.interactionDetails(request, response);
  const hint = (params.login_hint as string | undefined) ?? person;
  const result = hint ? { login: { accountId: hint } } : { error: 'access_denied', error_description: 'nobody was named' };
  await provider.interactionFinished(request, response, result as never, { mergeWithLastSubmission: false });
});

console.log(issuer);
