// Facts of the identity service: users, projects, groups, consumers, roles, SCIM users, passwords, tokens, second factors.
import assert from 'node:assert/strict';
import { patchOf, SCIM_JSON, USER } from '../support/scim.ts';
import type { BothServices } from './both-services.ts';
import { ABSENT, type Change, Fact, type Trail } from './fact.ts';
import type { Random } from './random.ts';

/** How often something is deleted instead of changed. */
const DELETED = 0.15;

export interface ResourceKind {
  readonly noun: string;
  readonly path: string;
  readonly created: number;
  readonly deleted: number;
  readonly values?: (name: string) => object;
}

/** Things of the base API with a name and a description. */
export const RESOURCES: readonly ResourceKind[] = [
  {
    noun: 'user',
    path: '/v3/users',
    created: 201,
    deleted: 204,
    values: (name) => ({ password: 'a password of a test', email: `${name}@example.org` }),
  },
  { noun: 'project', path: '/v3/projects', created: 201, deleted: 204 },
  { noun: 'group', path: '/v3/groups', created: 201, deleted: 204 },
  {
    noun: 'consumer',
    path: '/v3/OS-OAUTH2/consumers',
    created: 200,
    deleted: 204,
    values: () => ({
      client_type: 'confidential',
      grant_type: 'authorization_code',
      redirect_uris: ['https://app.example.org/'],
    }),
  },
];

export class ResourceFact extends Fact {
  readonly #api: BothServices;
  readonly #kind: ResourceKind;
  #id: string | undefined;
  #version = 0;

  constructor(api: BothServices, kind: ResourceKind, name: string) {
    super(name);
    this.#api = api;
    this.#kind = kind;
  }

  next(random: Random): Change | undefined {
    const { noun, path, created, deleted, values } = this.#kind;
    const [description, id] = [`version ${++this.#version}`, this.#id];
    if (this.state === ABSENT) {
      if (id !== undefined) return undefined;
      return {
        to: description,
        event: `${noun}.created`,
        send: async () => {
          const body = { [noun]: { name: this.name, description, ...values?.(this.name) } };
          this.#id = (await this.#api.must(created, 'POST', path, { body })).body[noun].id;
        },
      };
    }
    if (random.next() < DELETED)
      return {
        to: ABSENT,
        event: `${noun}.deleted`,
        send: async () => void (await this.#api.must(deleted, 'DELETE', `${path}/${id}`)),
      };
    return {
      to: description,
      event: `${noun}.updated`,
      send: async () => void (await this.#api.must(200, 'PATCH', `${path}/${id}`, { body: { [noun]: { description } } })),
    };
  }

  async read(): Promise<string> {
    const { noun, path } = this.#kind;
    const found = (await this.#api.must(200, 'GET', `${path}?name=${this.name}`)).body[`${noun}s`];
    assert.ok(found.length <= 1, `${this.name} is there ${found.length} times`);
    this.#id ??= found[0]?.id;
    if (this.#id !== undefined) {
      const one = await this.#api.ask('identity', 'GET', `${path}/${this.#id}`);
      assert.equal(one.status, found.length === 1 ? 200 : 404, `${this.name} is in the list, or cannot be read: ${one.text}`);
    }
    return found[0]?.description ?? ABSENT;
  }

  trail(): Trail | undefined {
    return this.#id === undefined ? undefined : { service: 'identity', targetId: this.#id };
  }
}

/** Something that somebody has or has not, given by PUT and taken by DELETE. */
export class GivenFact extends Fact {
  readonly #api: BothServices;
  readonly #path: string;
  readonly #status: number;
  readonly #events: readonly [given: string, taken: string];
  readonly #trail: Trail;
  readonly #isGiven: () => Promise<boolean>;

  constructor(
    api: BothServices,
    path: string,
    how: {
      readonly status: number;
      readonly events: readonly [given: string, taken: string];
      readonly trail: Trail;
      isGiven(): Promise<boolean>;
    },
  ) {
    super(path);
    this.#api = api;
    this.#path = path;
    this.#status = how.status;
    this.#events = how.events;
    this.#trail = how.trail;
    this.#isGiven = how.isGiven;
  }

  next(): Change {
    const [path, isAbsent] = [this.#path, this.state === ABSENT];
    return {
      to: isAbsent ? 'given' : ABSENT,
      event: this.#events[isAbsent ? 0 : 1],
      send: async () => void (await this.#api.must(isAbsent ? this.#status : 204, isAbsent ? 'PUT' : 'DELETE', path)),
    };
  }

  async read(): Promise<string> {
    return (await this.#isGiven()) ? 'given' : ABSENT;
  }

  trail(): Trail {
    return this.#trail;
  }
}

/** A person whom a provisioning program manages. */
export class ScimFact extends Fact {
  readonly #api: BothServices;
  readonly #headers: Readonly<Record<string, string>>;
  #id: string | undefined;
  #version = 0;

  constructor(api: BothServices, bearer: string, name: string) {
    super(name);
    this.#api = api;
    this.#headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': SCIM_JSON };
  }

  #must(status: number, method: string, path: string, body?: unknown) {
    return this.#api.must(status, method, `/scim/v2/Users${path}`, { body, token: null, headers: this.#headers });
  }

  next(random: Random): Change | undefined {
    const [displayName, id] = [`version ${++this.#version}`, this.#id];
    if (this.state === ABSENT) {
      if (id !== undefined) return undefined;
      const emails = [{ value: `${this.name}@example.org`, primary: true }];
      return {
        to: displayName,
        event: 'user.created',
        send: async () => {
          this.#id = (await this.#must(201, 'POST', '', { schemas: [USER], userName: this.name, displayName, emails })).body.id;
        },
      };
    }
    if (random.next() < DELETED)
      return { to: ABSENT, event: 'user.deleted', send: async () => void (await this.#must(204, 'DELETE', `/${id}`)) };
    const patch = patchOf({ op: 'replace', path: 'displayName', value: displayName });
    return {
      to: displayName,
      event: 'user.updated',
      send: async () => void (await this.#must(204, 'PATCH', `/${id}`, patch)),
    };
  }

  async read(): Promise<string> {
    const query = new URLSearchParams({ filter: `userName eq "${this.name}"` });
    const { Resources: found = [] } = (await this.#must(200, 'GET', `?${query}`)).body;
    this.#id ??= found[0]?.id;
    return found[0]?.displayName ?? ABSENT;
  }

  trail(): Trail | undefined {
    return this.#id === undefined ? undefined : { service: 'identity', targetId: this.#id };
  }
}

/** A person who changes their password. A new one ends the tokens that the old one gave. */
export class PasswordFact extends Fact {
  readonly #api: BothServices;
  readonly #user: { readonly id: string };
  readonly address: string;
  /** A token made with the present password. */
  #token: string | undefined;
  #number = 0;

  constructor(api: BothServices, user: { readonly id: string; readonly name: string; readonly email: string }, password: string) {
    super(`the password of ${user.name}`);
    this.#api = api;
    this.#user = user;
    this.address = user.email;
    this.state = password;
  }

  next(): Change {
    const [original, password] = [this.state, `password ${++this.#number} of somebody`];
    return {
      to: password,
      event: 'user.password_changed',
      send: async () => {
        this.#token = await this.#api.logIn({ id: this.#user.id, password: original });
        const body = { user: { original_password: original, password } };
        await this.#api.must(204, 'POST', `/v3/users/${this.#user.id}/password`, { body, token: null });
        this.#token = undefined;
      },
    };
  }

  async read(): Promise<string> {
    const { state, pending } = this;
    const works: string[] = [];
    for (const password of new Set([state, pending?.to ?? state]))
      if ((await this.#api.authenticate({ id: this.#user.id, password })).status === 201) works.push(password);
    assert.equal(works.length, 1, `${this.name}: ${works.length} work`);
    if (pending && this.#token !== undefined) {
      const { status } = await this.#api.ask('identity', 'GET', '/v3/auth/tokens', {
        headers: { 'X-Subject-Token': this.#token },
      });
      assert.equal(status, works[0] === state ? 200 : 404, `${this.name}: a token made with the old one`);
    }
    return works[0]!;
  }

  trail(): Trail {
    return { service: 'identity', targetId: this.#user.id };
  }
}

/** A token of somebody, which is revoked at some time, and stays revoked. */
export class TokenFact extends Fact {
  readonly #api: BothServices;
  readonly #user: object;
  #token: string | undefined;
  #auditId = '';

  constructor(api: BothServices, user: object, name: string) {
    super(name);
    this.#api = api;
    this.#user = user;
  }

  next(): Change | undefined {
    if (this.state === 'revoked' || (this.state === ABSENT && this.#token !== undefined)) return undefined;
    if (this.state === ABSENT)
      return {
        to: 'valid',
        // The event of a login is about the person.
        event: undefined,
        send: async () => {
          const answer = await this.#api.authenticate(this.#user);
          assert.equal(answer.status, 201, answer.text);
          this.#token = answer.headers.get('x-subject-token')!;
          this.#auditId = answer.body.token.audit_ids[0];
        },
      };
    return {
      to: 'revoked',
      event: 'token.revoked',
      send: async () =>
        void (await this.#api.must(204, 'DELETE', '/v3/auth/tokens', { headers: { 'X-Subject-Token': this.#token! } })),
    };
  }

  async read(): Promise<string> {
    if (this.#token === undefined) return ABSENT;
    const { status } = await this.#api.ask('identity', 'GET', '/v3/auth/tokens', { headers: { 'X-Subject-Token': this.#token } });
    return status === 200 ? 'valid' : 'revoked';
  }

  trail(): Trail | undefined {
    return this.#token === undefined ? undefined : { service: 'identity', targetId: this.#auditId };
  }
}

/** The second factor of a person. Each change of it is reported to the web hook. */
export class SecondFactorFact extends Fact {
  readonly #api: BothServices;
  readonly userId: string;

  constructor(api: BothServices, user: { readonly id: string; readonly name: string }) {
    super(`the second factor of ${user.name}`);
    this.#api = api;
    this.userId = user.id;
  }

  get #path(): string {
    return `/v3/users/${this.userId}/OS-TWO-FACTOR/two_factor_auth`;
  }

  next(): Change {
    const body = { two_factor_auth: { security_question: 'Where?', security_answer: 'There, for the tests.' } };
    return this.state === ABSENT
      ? {
          to: 'on',
          event: 'two_factor.enabled',
          send: async () => void (await this.#api.must(201, 'POST', this.#path, { body })),
        }
      : {
          to: ABSENT,
          event: 'two_factor.disabled',
          send: async () => void (await this.#api.must(204, 'DELETE', this.#path)),
        };
  }

  async read(): Promise<string> {
    return (await this.#api.must(200, 'GET', this.#path)).body.two_factor_auth.enabled ? 'on' : ABSENT;
  }

  trail(): Trail {
    return { service: 'identity', targetId: this.userId };
  }
}
