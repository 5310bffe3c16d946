// A Keycloak for a run: started in its own folder with a database in memory, and administered through its API.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The life of its access tokens. */
export const TOKEN_SECONDS = 2;

/** Its first start builds a part of it: minutes on a machine with other work. */
const READY_WITHIN_MS = 1_200_000;
const ADMIN = { username: 'admin', password: 'the administrator of keycloak' };

export interface KeycloakPerson {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

export class Keycloak {
  readonly url: string;
  readonly #realm: string;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, realm: string, stop: () => Promise<void>) {
    this.url = url;
    this.#realm = realm;
    this.#stop = stop;
  }

  get issuer(): string {
    return `${this.url}/realms/${this.#realm}`;
  }

  static async start(folder: string, port: number, realm: string): Promise<Keycloak> {
    const child = spawn(
      join(folder, 'bin/kc.sh'),
      ['start-dev', `--http-port=${port}`, '--http-host=127.0.0.1', '--db=dev-mem'],
      {
        stdio: 'ignore',
        // The script starts Java as a child; a group of its own lets both be ended.
        detached: true,
        env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username, KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password },
      },
    );
    const stop = async (): Promise<void> => {
      if (child.exitCode !== null) return;
      process.kill(-child.pid!, 'SIGTERM');
      await once(child, 'exit');
    };
    const keycloak = new Keycloak(`http://127.0.0.1:${port}`, realm, stop);
    const end = Date.now() + READY_WITHIN_MS;
    while (!(await fetch(`${keycloak.url}/realms/master`).catch(() => undefined))?.ok) {
      if (Date.now() > end || child.exitCode !== null) {
        await stop();
        throw new Error('Keycloak did not start');
      }
      await sleep(500);
    }
    await keycloak.#ask('POST', '', { realm, enabled: true, sslRequired: 'none', accessTokenLifespan: TOKEN_SECONDS });
    return keycloak;
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** The administrator's token lives for a minute only. */
  async #token(): Promise<string> {
    const response = await fetch(`${this.url}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** Returns the id from Location for what was made, else the parsed body. */
  async #ask<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const root = path === '' ? '/admin/realms' : `/admin/realms/${this.#realm}${path}`;
    const response = await fetch(this.url + root, {
      method,
      headers: { Authorization: `Bearer ${await this.#token()}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Keycloak: ${method} ${path}: ${response.status} ${text}`);
    const made = response.headers.get('location')?.split('/').at(-1);
    return (made ?? (text === '' ? undefined : JSON.parse(text))) as T;
  }

  async addClient(clientId: string, secret: string, uris: { redirect: string; backchannelLogout: string }): Promise<void> {
    await this.#ask('POST', '/clients', {
      clientId,
      secret,
      publicClient: false,
      standardFlowEnabled: true,
      redirectUris: [uris.redirect],
      attributes: { 'backchannel.logout.url': uris.backchannelLogout, 'backchannel.logout.session.required': 'true' },
      protocolMappers: [
        {
          name: 'groups',
          protocol: 'openid-connect',
          protocolMapper: 'oidc-group-membership-mapper',
          config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true', 'userinfo.token.claim': 'true' },
        },
      ],
    });
  }

  addPerson({ username, email, password }: KeycloakPerson): Promise<string> {
    return this.#ask('POST', '/users', {
      username,
      email,
      emailVerified: true,
      enabled: true,
      firstName: 'Ana',
      lastName: 'García',
      credentials: [{ type: 'password', value: password }],
    });
  }

  addGroup(name: string): Promise<string> {
    return this.#ask('POST', '/groups', { name });
  }

  async join(personId: string, groupId: string): Promise<void> {
    await this.#ask('PUT', `/users/${personId}/groups/${groupId}`);
  }

  async leave(personId: string, groupId: string): Promise<void> {
    await this.#ask('DELETE', `/users/${personId}/groups/${groupId}`);
  }

  /** Ends the person's sessions, and tells the applications. */
  async logOut(personId: string): Promise<void> {
    await this.#ask('POST', `/users/${personId}/logout`);
  }

  async setEnabled(personId: string, enabled: boolean): Promise<void> {
    const person = await this.#ask<object>('GET', `/users/${personId}`);
    await this.#ask('PUT', `/users/${personId}`, { ...person, enabled });
  }
}
