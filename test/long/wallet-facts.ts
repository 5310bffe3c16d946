// Facts of the wallet node: keys, DIDs, and credentials that come by exchanges.
import assert from 'node:assert/strict';
import type { ToyIssuer } from '../support/toy-issuer.ts';
import type { Answer, BothServices } from './both-services.ts';
import { ABSENT, type Change, Fact, type Trail } from './fact.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';
const CREDENTIALS = '/api/v1/wallet/credentials';
const VCI = '/api/v1/wallet/oid4vci';

/** A person with a session at the wallet. */
export class Holder {
  readonly services: BothServices;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(services: BothServices, cookie: string) {
    this.services = services;
    this.#headers = { Cookie: cookie, Origin: services.urls.wallet };
  }

  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.services.ask('wallet', method, path, { body, headers: this.#headers });
  }

  async must(status: number, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.ask(method, path, body);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer;
  }

  /** All pages of a list. */
  async list(path: string): Promise<Record<string, unknown>[]> {
    const all: Record<string, unknown>[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const { body, headers }: Answer = await this.must(200, 'GET', next);
      all.push(...body);
      const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      next = link === undefined ? undefined : link.replace(/^https?:\/\/[^/]+/, '');
    }
    return all;
  }
}

/** A key: made, rotated, revoked, purged. */
export class KeyFact extends Fact {
  readonly #holder: Holder;
  #id: string | undefined;

  constructor(holder: Holder, alias: string) {
    super(alias);
    this.#holder = holder;
  }

  next(): Change | undefined {
    const [holder, id] = [this.#holder, this.#id];
    if (this.state === ABSENT) {
      if (id !== undefined) return undefined;
      return {
        to: 'active',
        event: 'key.created',
        send: async () => {
          this.#id = (await holder.must(201, 'POST', KEYS, { algorithm: 'EdDSA', alias: this.name })).body.id;
        },
      };
    }
    if (this.state === 'active')
      return {
        to: 'revoked',
        event: 'key.revoked',
        send: async () => void (await holder.must(200, 'POST', `${KEYS}/${id}/revoke?force=true`, { reason: 'superseded' })),
      };
    return {
      to: ABSENT,
      event: 'key.purged',
      send: async () => void (await holder.must(204, 'DELETE', `${KEYS}/${id}?force=true`)),
    };
  }

  async read(): Promise<string> {
    const found = (await this.#holder.list(`${KEYS}?limit=100`)).filter(
      ({ alias, id }) => alias === this.name || id === this.#id,
    );
    assert.ok(found.length <= 1, `${this.name} is there ${found.length} times`);
    this.#id ??= found[0]?.id as string | undefined;
    return (found[0]?.state as string | undefined) ?? ABSENT;
  }

  trail(): Trail | undefined {
    return this.#id === undefined ? undefined : { service: 'wallet', targetId: this.#id };
  }
}

/** A DID whose document everybody can read while it is published. */
export class DidFact extends Fact {
  readonly #holder: Holder;
  readonly #did: string;
  #id: string | undefined;
  #toggles = 0;

  constructor(holder: Holder, name: string) {
    super(name);
    this.#holder = holder;
    this.#did = `did:web:localhost%3A${new URL(holder.services.urls.wallet).port}:dids:${name}`;
  }

  next(): Change | undefined {
    const [holder, path] = [this.#holder, `${DIDS}/${this.#id}`];
    if (this.state === ABSENT) {
      if (this.#id !== undefined) return undefined;
      return {
        to: 'draft',
        event: 'did.created',
        send: async () => {
          const { body } = await holder.must(201, 'POST', DIDS, { method: 'web', path: this.name });
          assert.equal(body.did, this.#did);
          this.#id = body.id;
        },
      };
    }
    if (this.state === 'published')
      return {
        to: 'unpublished',
        event: 'did.unpublished',
        send: async () => void (await holder.must(200, 'POST', `${path}/unpublish`, {})),
      };
    if (this.#toggles++ > 2)
      return { to: ABSENT, event: 'did.deleted', send: async () => void (await holder.must(204, 'DELETE', path)) };
    return {
      to: 'published',
      event: 'did.published',
      send: async () => void (await holder.must(200, 'POST', `${path}/publish`, {})),
    };
  }

  async read(): Promise<string> {
    const answer = await this.#holder.ask('GET', `${DIDS}/${encodeURIComponent(this.#did)}`);
    assert.ok([200, 404].includes(answer.status), answer.text);
    const state = answer.status === 200 ? answer.body.state : ABSENT;
    if (answer.status === 200) this.#id ??= answer.body.id;
    const document = await this.#holder.services.ask('wallet', 'GET', `/dids/${this.name}/did.json`);
    assert.equal(document.status === 200, state === 'published', `the document of ${this.name}, which is ${state}`);
    return state;
  }

  trail(): Trail | undefined {
    return this.#id === undefined ? undefined : { service: 'wallet', targetId: this.#id };
  }
}

/** How many credentials a person holds: one more by an exchange with an issuer, one less by deleting it. */
export class CredentialsFact extends Fact {
  readonly #holder: Holder;
  readonly #issuer: ToyIssuer;
  readonly #most: number;

  constructor(holder: Holder, issuer: ToyIssuer, name: string, most = 3) {
    super(name);
    this.#holder = holder;
    this.#issuer = issuer;
    this.#most = most;
    this.state = 'holds 0';
  }

  next(): Change {
    const [holder, held] = [this.#holder, Number(this.state.slice(6))];
    if (held < this.#most)
      return {
        to: `holds ${held + 1}`,
        event: 'credential.received',
        send: async () => void (await holder.must(201, 'POST', VCI, { uri: this.#issuer.offer() })),
      };
    return {
      to: `holds ${held - 1}`,
      event: 'credential.purged',
      send: async () => {
        const [first] = (await holder.must(200, 'GET', CREDENTIALS)).body;
        await holder.must(204, 'DELETE', `${CREDENTIALS}/${first.id}`);
      },
    };
  }

  async read(): Promise<string> {
    const held: { instances: number; claims: Record<string, unknown> }[] = (await this.#holder.must(200, 'GET', CREDENTIALS))
      .body;
    for (const one of held) assert.deepEqual([one.instances, one.claims.given_name], [1, 'Ada'], 'whole');
    return `holds ${held.length}`;
  }

  /** Each credential is a target of its own; the invariants count them. */
  trail(): undefined {
    return undefined;
  }
}
