// An identity service in this process on a given database, for tests of database failures.

import { identitySettings } from '../../src/identity/ground/settings/index.ts';
import { createIdentityService, type IdentityService } from '../../src/identity/service.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { load } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../../src/platform/seal/index.ts';

const PASSWORD = 'the administrator of the tests';

export interface IdentityPlace {
  readonly databaseUrl?: string;
  readonly dataDir?: string;
}

export class IdentityOnDatabase {
  service!: IdentityService;
  url = '';
  token = '';
  readonly #where: IdentityPlace;
  readonly #seal = createSeal([newMasterKey()]);

  constructor(where: IdentityPlace) {
    this.#where = where;
  }

  async start(): Promise<void> {
    const { databaseUrl, dataDir = '' } = this.#where;
    const env = {
      GATEHOUSE_IDENTITY_HOST: '127.0.0.1',
      GATEHOUSE_IDENTITY_PORT: '0',
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
      GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
      ...(databaseUrl ? { GATEHOUSE_IDENTITY_DATABASE_URL: databaseUrl } : {}),
    };
    this.service = await createIdentityService({
      config: load(identitySettings, env),
      dataDir,
      seal: this.#seal,
      log: createLog('silent'),
      clock: systemClock,
      rateLimits: false,
      trustedProxies: [],
      outboundAllow: [],
    });
    this.url = (await this.service.start()).address;
  }

  async stop(): Promise<void> {
    await this.service.stop(1000);
  }

  async logIn(): Promise<Response> {
    const user = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const answer = await this.post('/v3/auth/tokens', {
      auth: { identity: { methods: ['password'], password: { user } }, scope },
    });
    this.token = answer.headers.get('x-subject-token') ?? this.token;
    return answer;
  }

  get(path: string): Promise<Response> {
    return fetch(this.url + path, { headers: { 'X-Auth-Token': this.token, 'X-Subject-Token': this.token } });
  }

  post(path: string, body: unknown, method = 'POST'): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': this.token };
    return fetch(this.url + path, { method, headers, body: JSON.stringify(body) });
  }

  /** Waits until readiness has the expected state. */
  async ready(status: number): Promise<void> {
    const until = Date.now() + 30_000;
    for (;;) {
      const answer = await this.get('/readyz');
      if (answer.status === status) return;
      if (Date.now() > until) throw new Error(`readiness stays ${answer.status}: ${await answer.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
