// What the suite finds at the service: a person, and the applications that it plays itself. Made by the public API, as an administrator would.
import assert from 'node:assert/strict';
import { exportJWK, generateKeyPair } from 'jose';
import type { Credentials } from './person.ts';

/** In the addresses of the suite: `/test/a/ALIAS/callback`. */
export const ALIAS = 'gatehouse';

export interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

export interface KeyedClient {
  readonly client_id: string;
  readonly scope: string;
  /** With the private key: the suite signs with it. */
  readonly jwks: { readonly keys: readonly object[] };
}

/** Of the service under test. */
export interface Administrator {
  readonly url: string;
  readonly adminPassword: string;
}

export class Registrations {
  readonly #service: string;
  readonly #suite: string;
  readonly #token: string;

  private constructor(service: string, suite: string, token: string) {
    this.#service = service;
    this.#suite = suite;
    this.#token = token;
  }

  static async open({ url, adminPassword: password }: Administrator, suite: string): Promise<Registrations> {
    const user = { name: 'admin', domain: { id: 'default' }, password };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const answer = await fetch(`${url}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } }),
    });
    assert.equal(answer.status, 201, await answer.text());
    return new Registrations(url, suite, answer.headers.get('x-subject-token')!);
  }

  async #post(path: string, body: object): Promise<any> {
    const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': this.#token };
    const answer = await fetch(this.#service + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  /** Somebody with every claim that there is. */
  async person(): Promise<Credentials> {
    const who = { name: 'conformance', password: 'the person of the conformance run' };
    const profile = { given_name: 'Ada', family_name: 'Lovelace', language: 'en', zoneinfo: 'Europe/London' };
    await this.#post('/v3/users', { user: { ...who, ...profile, email: 'ada@example.org' } });
    return who;
  }

  async #application(values: object): Promise<{ id: string; secret: string }> {
    const at = `${this.#suite}/test/a/${ALIAS}`;
    const consumer = {
      name: `Suite ${Math.random().toString(36).slice(2, 8)}`,
      redirect_uris: [`${at}/callback`, `${at}/callback?dummy1=lorem&dummy2=ipsum`],
      post_logout_redirect_uris: [`${at}/post_logout_redirect`],
      ...values,
    };
    return (await this.#post('/v3/OS-OAUTH2/consumers', { consumer })).consumer;
  }

  /** With a secret. The addresses for sign-outs are those of the suite. */
  async client(values: object = {}): Promise<Client> {
    const { id, secret } = await this.#application(values);
    return { client_id: id, client_secret: secret };
  }

  backChannel = (): object => ({
    backchannel_logout_uri: `${this.#suite}/test/a/${ALIAS}/backchannel_logout`,
    backchannel_logout_session_required: true,
  });

  frontChannel = (): object => ({
    frontchannel_logout_uri: `${this.#suite}/test/a/${ALIAS}/frontchannel_logout`,
    frontchannel_logout_session_required: true,
  });

  /** Proves itself by a key (RFC 7523), as FAPI 2.0 wants. */
  async keyedClient(values: object = {}): Promise<KeyedClient> {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const about = { alg: 'ES256', use: 'sig', kid: 'suite' };
    const keys = [{ ...(await exportJWK(publicKey)), ...about }];
    const { id } = await this.#application({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys },
      require_pushed_authorization_requests: true,
      dpop_bound_access_tokens: true,
      ...values,
    });
    return { client_id: id, scope: 'openid email', jwks: { keys: [{ ...(await exportJWK(privateKey)), ...about }] } };
  }
}
