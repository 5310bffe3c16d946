// An application that proves itself by a key (private_key_jwt), with assertions of which a test can change any part.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';
import { makeApplication } from './applications.ts';
import { CALLBACK } from './relying-party.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface ClientKeyPair {
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: GenerateKeyPairResult['privateKey'];
}

export async function makeKey(alg = 'ES256', kid: string = uniqueName('key')): Promise<ClientKeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, privateKey };
}

export interface Assertion {
  /** Undefined: the claim is left out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: ClientKeyPair;
}

const seconds = (): number => Math.floor(Date.now() / 1000);

export class KeyedClient {
  readonly api: TestApi;
  readonly id: string;
  readonly secret: string;
  readonly key: ClientKeyPair;

  constructor(api: TestApi, application: { id: string; secret: string }, key: ClientKeyPair) {
    this.api = api;
    this.id = application.id;
    this.secret = application.secret;
    this.key = key;
  }

  static async make(api: TestApi, values: Record<string, unknown> = {}, alg = 'ES256'): Promise<KeyedClient> {
    const key = await makeKey(alg);
    const registered = {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      ...(values.jwks_uri === undefined ? { jwks: { keys: [key.jwk] } } : {}),
      ...values,
    };
    return new KeyedClient(api, await makeApplication(api, registered), key);
  }

  assertion({ claims = {}, header = {}, key = this.key }: Assertion = {}): Promise<string> {
    const now = seconds();
    const usual = { iss: this.id, sub: this.id, aud: this.api.url, iat: now, exp: now + 60, jti: uniqueName('assertion') };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, ...header } as never)
      .sign(key.privateKey);
  }

  /** The parameters by which it proves itself. */
  async proof(assertion: Assertion = {}): Promise<Record<string, string>> {
    return { client_assertion: await this.assertion(assertion), client_assertion_type: ASSERTION_TYPE };
  }

  send(path: string, parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.api.post(path, new URLSearchParams(parameters).toString(), {
      token: null,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** A token for itself. */
  async token(assertion: Assertion = {}, more: Record<string, string> = {}): Promise<ApiAnswer> {
    return this.send('/openid/token', { grant_type: 'client_credentials', ...(await this.proof(assertion)), ...more });
  }
}

/** An address with the keys of an application. */
export async function keyAddress(keys: JWK[]) {
  const answer = { status: 200, text: undefined as string | undefined, keys };
  const asked = { times: 0 };
  const server = createServer((_request, response) => {
    asked.times++;
    response.writeHead(answer.status, { 'Content-Type': 'application/json' });
    response.end(answer.text ?? JSON.stringify({ keys: answer.keys }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/keys`,
    answer,
    asked,
    close: () => new Promise((done) => server.close(done)),
  };
}
