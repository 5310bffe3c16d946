// What the suite finds at the service: a person, and the applications that it plays itself. Made by the public API, as an administrator would.
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { newId } from '../../../src/platform/ids.ts';
import { certify, usages } from '../../../test/support/certificates.ts';
import type { Credentials } from './person.ts';

/** In the addresses of the suite: `/test/a/ALIAS/callback`. Two runs at the same suite do not disturb each other. */
export const ALIAS = `gatehouse-${process.pid}`;

/** Runs at one service do not disturb each other. */
export const newName = (kind: string): string => `${kind}-${newId().slice(0, 8)}`;

/** For clients of TLS (RFC 5280, 4.2.1.12). */
const CLIENT_AUTH = usages('1.3.6.1.5.5.7.3.2');

export interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

/** In the words of the suite. */
export interface FapiWays {
  readonly signs: 'private_key_jwt' | 'mtls';
  readonly bound: 'dpop' | 'mtls';
  readonly profile: 'fapi2' | 'fapi2-message-signing' | 'fapi-ciba';
}

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The id of the provider that the suite plays, and what people see of it. */
export const PROVIDER = 'suite';
export const PROVIDER_NAME = 'The suite';

const METHODS = { private_key_jwt: 'private_key_jwt', mtls: 'self_signed_tls_client_auth' } as const;

/** As the suite wants it in a configuration, with the private key: it signs with it. */
export interface FapiClient {
  readonly client: { readonly client_id: string; readonly scope: string; readonly jwks: { readonly keys: readonly object[] } };
  readonly mtls: { readonly cert: string; readonly key: string };
}

/** Private. */
export async function newKey(alg: 'ES256' | 'PS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: 'suite' };
}

/** Of one of RSA. */
const publicPart = ({ kty, n, e, alg, use, kid }: JWK): JWK => ({ kty, n, e, alg, use, kid }) as JWK;

/** Of the service under test. */
export interface Administrator {
  readonly url: string;
  readonly adminPassword: string;
}

export interface RegisteredPerson extends Credentials {
  readonly id: string;
}

/** Its configurations, by the formats of the suite. */
export interface RoleCredential {
  readonly sd_jwt_vc: string;
  readonly mdoc: string;
  readonly vct: string;
  readonly doctype: string;
}

/** In the settings of a provider of credentials. The two claims are a name. */
export interface ShownCredential {
  readonly format: string;
  readonly claims: readonly (readonly string[])[];
}

export type OfferGrant = 'pre-authorized_code' | 'authorization_code';

export interface CredentialOffer {
  readonly uri: string;
  readonly tx_code: string | null;
}

export class Registrations {
  readonly #service: string;
  readonly #suite: string;
  readonly #token: string;
  /** The provider of credentials that is enabled. */
  #trusted: string | undefined;
  #hasProvider = false;

  private constructor(service: string, suite: string, token: string) {
    this.#service = service;
    this.#suite = suite;
    this.#token = token;
  }

  static async open({ url, adminPassword: password }: Administrator, suite: string): Promise<Registrations> {
    const user = { name: 'admin', domain: { id: 'default' }, password };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    return new Registrations(url, suite, await Registrations.#logIn(url, user, scope));
  }

  static async #logIn(url: string, user: object, scope: object): Promise<string> {
    const answer = await fetch(`${url}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } }),
    });
    assert.equal(answer.status, 201, await answer.text());
    return answer.headers.get('x-subject-token')!;
  }

  async #send(method: string, path: string, body?: object, token = this.#token): Promise<any> {
    const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': token };
    const answer = await fetch(this.#service + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  #post = (path: string, body: object): Promise<any> => this.#send('POST', path, body);

  /** Somebody with every claim that there is, in an organization of their own. */
  async person(name = 'conformance'): Promise<RegisteredPerson> {
    const who = { name, password: 'the person of the conformance run' };
    const names = { given_name: 'Ada', middle_name: 'King', family_name: 'Lovelace', nickname: 'Countess' };
    const own = (await this.#post('/v3/projects', { project: { name: `${name}'s own` } })).project.id;
    const about = { language: 'en', zoneinfo: 'Europe/London', email: `${name}@example.org`, default_project_id: own };
    const { id } = (await this.#post('/v3/users', { user: { ...who, ...names, ...about } })).user;
    // What provisioning clients write.
    const links = {
      profileUrl: 'https://ada.example.org',
      photos: [{ value: 'https://ada.example.org/ada.jpg', type: 'photo', primary: true }],
    };
    const Operations = [{ op: 'add', value: links }];
    await this.#send('PATCH', `/scim/v2/Users/${id}`, { schemas: [PATCH_SCHEMA], Operations });
    const member = (await this.#send('GET', '/v3/roles?name=member')).roles[0].id;
    await this.#send('PUT', `/v3/projects/${own}/users/${id}/roles/${member}`);
    return { ...who, id };
  }

  /** A type of credential about a role of an application, which these people have. */
  async roleCredential(people: readonly { readonly id: string }[]): Promise<RoleCredential> {
    const own = newName('manager');
    const { id: application_id } = (await this.#post('/v3/OS-OAUTH2/consumers', { consumer: { name: `Shop ${own}` } })).consumer;
    const role = (await this.#post('/v3/OS-ROLES/roles', { role: { name: 'manager', application_id } })).role.id;
    for (const { id } of people) await this.#send('PUT', `/v3/OS-ROLES/users/${id}/applications/${application_id}/roles/${role}`);
    const type = {
      id: `shop-${own}`,
      application_id,
      name: 'Shop manager',
      formats: ['dc+sd-jwt', 'mso_mdoc'],
      claims: ['name'],
    };
    const { vct, doctype } = (await this.#post('/v3/OS-ROLE-CREDENTIALS/types', { credential_type: type })).credential_type;
    return { sd_jwt_vc: `${type.id}.sd_jwt`, mdoc: `${type.id}.mdoc`, vct, doctype };
  }

  /** An offer of it, which the person asks for themselves. */
  async offer(
    { id, name, password }: RegisteredPerson,
    configuration: string,
    grant: OfferGrant = 'pre-authorized_code',
  ): Promise<CredentialOffer> {
    const own = await Registrations.#logIn(
      this.#service,
      { id, password },
      { project: { name: `${name}'s own`, domain: { id: 'default' } } },
    );
    const offer = { credential_configuration_ids: [configuration], grant };
    return (await this.#send('POST', `/v3/users/${id}/OS-ROLE-CREDENTIALS/offers`, { offer }, own)).offer;
  }

  /** The authorities that certify what the service signs: credentials, and requests to wallets. */
  async roots(): Promise<{ readonly issuer: string; readonly verifier: string }> {
    const { issuer } = await this.#send('GET', '/v3/OS-ROLE-CREDENTIALS/issuer');
    return { issuer: issuer.root, verifier: issuer.verifier.root };
  }

  /** People may come with a credential of the issuer that the suite plays, of this kind and no other. */
  async trustCredentials(kind: ShownCredential, root: string): Promise<void> {
    const providers = '/v3/OS-FEDERATION/identity_providers';
    if (this.#trusted) await this.#send('PATCH', `${providers}/${this.#trusted}`, { identity_provider: { enabled: false } });
    const id = newName('suite');
    this.#trusted = id;
    const remote = kind.claims.map((path) => ({ type: path.join('.') }));
    const rules = [{ remote, local: [{ user: { name: '{0} {1}' } }] }];
    await this.#send('PUT', `/v3/OS-FEDERATION/mappings/${id}`, { mapping: { schema_version: '2.0', rules } });
    await this.#send('PUT', `${providers}/${id}`, { identity_provider: { domain_id: 'default', enabled: true } });
    await this.#send('PUT', `${providers}/${id}/protocols/openid4vp`, { protocol: { mapping_id: id } });
    const settings = { name: 'The suite', credentials: [kind], issuers: [], root_certificates: [root], requires_status: false };
    await this.#send('PUT', `${providers}/${id}/openid4vp`, { openid4vp: settings });
  }

  async #application(values: object): Promise<{ id: string; secret: string }> {
    const at = `${this.#suite}/test/a/${ALIAS}`;
    const consumer = {
      name: newName('Suite'),
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

  /** Of FAPI 2.0: proves itself by its key or by its certificate, and has tokens that are bound to one of them. */
  async fapiClient({ signs, bound, profile }: FapiWays, more: object = {}): Promise<FapiClient> {
    // Of RSA, so that the suite can try RS256 with it, too.
    const own = await newKey('PS256');
    const { certificate, key, der } = certify({ name: 'CN=suite', extensions: [CLIENT_AUTH] });
    const keys = [
      publicPart(own),
      ...(signs === 'mtls' ? [{ ...createPublicKey(key).export({ format: 'jwk' }), kid: 'certificate', x5c: [der] }] : []),
    ];
    const { id } = await this.#application({
      ...more,
      security_profile: profile,
      token_endpoint_auth_method: METHODS[signs],
      jwks: { keys },
      ...(bound === 'dpop' ? { dpop_bound_access_tokens: true } : { tls_client_certificate_bound_access_tokens: true }),
    });
    return {
      client: { client_id: id, scope: 'openid email offline_access', jwks: { keys: [own] } },
      mtls: { cert: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() },
    };
  }

  /**
   * Another provider, at which people may sign in: the suite plays it. Written again, it is read again: with other keys and addresses it
   * is another one.
   */
  async #ensureProvider(): Promise<void> {
    const providers = '/v3/OS-FEDERATION/identity_providers';
    if (!this.#hasProvider) {
      const rules = [{ remote: [{ type: 'sub' }], local: [{ user: { name: '{0}' } }] }];
      await this.#send('PUT', `/v3/OS-FEDERATION/mappings/${PROVIDER}`, { mapping: { schema_version: '2.0', rules } });
      await this.#send('PUT', `${providers}/${PROVIDER}`, { identity_provider: { domain_id: 'default', enabled: true } });
      await this.#send('PUT', `${providers}/${PROVIDER}/protocols/openid`, { protocol: { mapping_id: PROVIDER } });
      this.#hasProvider = true;
    }
  }

  /** `settings`: how we are a client there. */
  async signInAt(issuer: string, client: Client, settings: object = { accepts_tokens: true }): Promise<void> {
    await this.#ensureProvider();
    const openid = { issuer, ...client, button_name: PROVIDER_NAME, ...settings };
    await this.#send('PUT', `/v3/OS-FEDERATION/identity_providers/${PROVIDER}/openid`, { openid });
  }

  /** We register ourselves there. Returns the client id; undefined if the service refuses the provider. */
  async registerAt(issuer: string, settings: object): Promise<string | undefined> {
    await this.#ensureProvider();
    const openid = { issuer, button_name: PROVIDER_NAME, accepts_tokens: true, ...settings };
    const registration = { registration: { openid } };
    return this.#post(`/v3/OS-FEDERATION/identity_providers/${PROVIDER}/openid/registration`, registration).then(
      ({ openid: { client_id } }) => client_id as string,
      () => undefined,
    );
  }

  /** The keys that we prove ourselves with. */
  ownKeys = async (): Promise<any> => (await fetch(`${this.#service}/openid/providers/${PROVIDER}/jwks`)).json();

  /** What the console shows of a provider before it is added. */
  readMetadata = (metadata: { issuer?: string; resource?: string }): Promise<void> =>
    this.#post('/v3/OS-FEDERATION/provider_metadata', { metadata });

  /** Whether the provider signed a token, which it did not: the service looks at its keys. */
  async readKeys(issuer: string, audience: string): Promise<void> {
    const part = (values: object): string => Buffer.from(JSON.stringify(values)).toString('base64url');
    const now = Math.floor(Date.now() / 1000);
    const token = [
      part({ alg: 'RS256', kid: 'nobody' }),
      part({ iss: issuer, aud: audience, sub: 'nobody', iat: now, exp: now + 60 }),
      'AA',
    ];
    const path = `/v3/OS-FEDERATION/identity_providers/${PROVIDER}/protocols/openid/auth`;
    const answer = await fetch(this.#service + path, { method: 'POST', headers: { Authorization: `Bearer ${token.join('.')}` } });
    assert.equal(answer.status, 401, await answer.text());
  }

  /** Of applications that nobody needs any more: what is still to be sent to them is not sent. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#send('DELETE', `/v3/OS-OAUTH2/consumers/${id}`);
  }

  /** The keys that the provider signs with. */
  rotateKeys = (): Promise<unknown> => this.#post('/v3/OS-SERVICE/keys/openid/rotate', {});

  /** An initial access token (RFC 7591, 3) for a whole run. */
  async registrationToken(): Promise<string> {
    const token = { name: 'The suite', uses: 1000, lifetime_seconds: 86_400 };
    return (await this.#post('/v3/OS-OAUTH2/registration_tokens', { registration_token: token })).registration_token.token;
  }
}
