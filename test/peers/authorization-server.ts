// oidc-provider as the authorization server of a credential issuer, in a process of its own. Settings come as JSON in
// AUTHORIZATION_SERVER: { host?, port?, tls?, clients?: extra clients, scopes?, seconds?, requirePar?, requireDpop? }.
// Whoever is named in login_hint is logged in, else `ada`. Prints one line of JSON: address, address of the control, and the
// client an issuer chains with.
//
// POST /clients  oidc-provider's client metadata: registered, or replaced
// GET  /grants   → how often tokens were given, by grant type
import { generateKeyPairSync } from 'node:crypto';
import Provider, { type ClientMetadata, interactionPolicy } from 'oidc-provider';
import { announce, control, open } from './control.ts';

const settings = JSON.parse(process.env.AUTHORIZATION_SERVER ?? '{}');
const { address, serve } = await open(settings);
const scopes: string[] = settings.scopes ?? ['person', 'member', 'licence'];

const clients = new Map<string, ClientMetadata>();
for (const client of settings.clients ?? []) clients.set(client.client_id, client);
/** By grant: a provider forgets what came with the authorization request, an issuer looks for it in the token. */
const issuerStates = new Map<string, string>();
const granted: Record<string, number> = {};
const records = new Map<string, any>();

/** In memory; clients are looked up at every request, so that tests can register them late. */
class Memory {
  readonly #model: string;
  constructor(model: string) {
    this.#model = model;
  }
  async upsert(id: string, payload: object) {
    records.set(`${this.#model}:${id}`, payload);
  }
  async find(id: string) {
    return this.#model === 'Client' ? clients.get(id) : records.get(`${this.#model}:${id}`);
  }
  async findByUid(uid: string) {
    return [...records].find(([key, { uid: own }]) => key.startsWith(`${this.#model}:`) && own === uid)?.[1];
  }
  async findByUserCode() {
    return undefined;
  }
  async consume(id: string) {
    records.get(`${this.#model}:${id}`).consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id: string) {
    records.delete(`${this.#model}:${id}`);
  }
  async revokeByGrantId(grantId: string) {
    for (const [key, { grantId: own }] of records) if (own === grantId) records.delete(key);
  }
}

const policy = interactionPolicy.base();
policy.remove('consent');
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const provider = new Provider(address, {
  adapter: Memory as never,
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'own' } as never] },
  cookies: { keys: ['of the tests'] },
  scopes: ['openid', 'offline_access', ...scopes],
  extraParams: ['issuer_state'],
  responseTypes: ['code'],
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  interactions: { policy, url: (_context, { uid }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none'],
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
    grant.addOIDCScope('openid offline_access');
    for (const resource of [oidc.params!.resource].flat())
      if (resource) grant.addResourceScope(String(resource), scopes.join(' '));
    grant.addOIDCScope(scopes.join(' '));
    const id = await grant.save();
    if (oidc.params!.issuer_state) issuerStates.set(id, String(oidc.params!.issuer_state));
    return grant;
  },
  extraTokenClaims: async (_context, token) => {
    const state = 'grantId' in token ? issuerStates.get(token.grantId!) : undefined;
    return state ? { issuer_state: state } : {};
  },
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1), requireNonce: () => settings.requireDpop === true },
    pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: settings.requirePar === true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: scopes.join(' '),
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: settings.seconds ?? 300,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});

provider.on('grant.success', ({ oidc }) => {
  const type = String(oidc.params?.grant_type);
  granted[type] = (granted[type] ?? 0) + 1;
});
if (process.env.PEER_LOG) {
  for (const event of ['server_error', 'pushed_authorization_request.error', 'grant.error', 'authorization.error'])
    provider.on(event as 'server_error', (_context, error) => console.error(event, error));
}

serve(async (request, response) => {
  if (!request.url!.startsWith('/interaction/')) return provider.callback()(request, response);
  const { params } = await provider.interactionDetails(request, response);
  const login = { accountId: String(params.login_hint ?? 'ada') };
  await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
});

const controlled = await control({
  'POST /clients': (client) => void clients.set(client.client_id, client),
  'GET /grants': () => granted,
});
announce({ address, control: controlled });
