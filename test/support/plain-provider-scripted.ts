// A provider whose answers the test controls, to check how the wallet node handles malicious answers.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { ApiAnswer } from './api.ts';
import { PlainProvider } from './plain-provider.ts';
import type { TestWallet } from './wallet.ts';
import { cookiesOf } from './wallet-session.ts';

interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Script = (request: IncomingMessage, fields: URLSearchParams) => ScriptedReply | Promise<ScriptedReply>;

const { privateKey, publicKey } = await generateKeyPair('ES256');

export class ScriptedProvider extends PlainProvider {
  readonly publicKey = publicKey;
  /** Parameters of the current login, as the wallet node sent them. */
  nonce = '';
  /** Changed claims of the ID token; undefined omits a claim. */
  claims: Record<string, unknown> = {};
  /** Changed members of the token response. */
  tokens: Record<string, unknown> = {};
  metadata: Record<string, unknown> = {};
  /** Scripts by path that replace the regular answer. */
  scripts: Record<string, Script> = {};
  /** Requested paths. */
  readonly asked: string[] = [];
  #server: Server | undefined;

  honest(): void {
    this.claims = {};
    this.tokens = {};
    this.scripts = {};
  }

  /** The claims of an ID token, with the changes. */
  idClaims(): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    const honest = {
      iss: this.metadata.issuer ?? this.issuer,
      sub: 'anna',
      aud: this.clientId,
      iat: now,
      exp: now + 600,
      nonce: this.nonce,
    };
    return JSON.parse(JSON.stringify({ ...honest, ...this.claims }));
  }

  sign(claims: JWTPayload, header: object = {}, key: Parameters<SignJWT['sign']>[0] = privateKey): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'scripted', ...header }).sign(key);
  }

  async #answer(request: IncomingMessage): Promise<ScriptedReply> {
    const path = new URL(request.url!, this.issuer).pathname;
    this.asked.push(path);
    const fields = new URLSearchParams(await text(request));
    const script = this.scripts[path];
    if (script) return script(request, fields);
    if (path.endsWith('/.well-known/openid-configuration')) return { body: this.#discovery() };
    if (path === '/jwks')
      return { body: { keys: [{ ...(await exportJWK(publicKey)), kid: 'scripted', alg: 'ES256', use: 'sig' }] } };
    if (path !== '/token') return { status: 404 };
    const honest = { access_token: 'an access token', refresh_token: 'a refresh token', token_type: 'Bearer', expires_in: 120 };
    return { body: { ...honest, id_token: await this.sign(this.idClaims()), ...this.tokens } };
  }

  #discovery() {
    const { origin } = new URL(this.issuer);
    return {
      issuer: this.issuer,
      authorization_endpoint: `${origin}/auth`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
      ...this.metadata,
    };
  }

  override async start(): Promise<this> {
    const server = createServer((request, response) => {
      this.#answer(request).then(
        ({ status = 200, headers, body }) =>
          response
            .writeHead(status, { 'Content-Type': 'application/json', ...headers })
            .end(typeof body === 'string' ? body : JSON.stringify(body)),
        () => response.destroy(),
      );
    });
    const port = this.issuer === '' ? 0 : Number(new URL(this.issuer).port);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    this.#server = server;
    if (this.issuer === '') this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  override async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => (this.#server ? this.#server.close(resolve) : resolve(undefined)));
  }

  /** A whole login. `more`: other parameters of the provider's redirect, beside the code. */
  async logIn(wallet: TestWallet, more: Readonly<Record<string, string>> = {}): Promise<ApiAnswer> {
    const begun = await wallet.get('/api/v1/auth/login?response=json');
    if (begun.status !== 200) return begun;
    const { searchParams } = new URL(begun.body.authorizationUrl);
    this.nonce = searchParams.get('nonce')!;
    const query = new URLSearchParams({ code: 'a code', state: searchParams.get('state')!, ...more });
    const flow = cookiesOf(begun).gatehouse_wallet_login!;
    return wallet.get(`/api/v1/auth/callback?${query}`, { headers: { Cookie: `${flow.name}=${flow.value}` } });
  }
}
