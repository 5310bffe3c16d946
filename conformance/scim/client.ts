// A provisioning client: one connection to a domain of its own, as a vendor's service has it.
import assert from 'node:assert/strict';
import { type Answer, type TestApi, uniqueName } from '../../test/support/api.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface Client {
  readonly domainId: string;
  readonly token: string;
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  /** A PatchOp message; must be answered with 204. */
  patch(path: string, ...operations: unknown[]): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** GET /Users?filter=... and the like, with what comes before the filter. */
  find(endpoint: string, filter: string, before?: string): Promise<Answer>;
  /** Creates a resource and returns it. */
  make(endpoint: string, body: unknown): Promise<any>;
}

/** `headers` are those the vendor sends with every request. */
export async function connect(api: TestApi, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const domain = await api.make('domain', { name: uniqueName('provisioned') });
  const made = await api.post('/v3/OS-SCIM/connections', { connection: { domain_id: domain.id } });
  assert.equal(made.status, 201, made.text);
  const { token } = made.body.connection;
  const request: Client['request'] = (method, path, body, more = {}) =>
    api.request(method, `/scim/v2${path}`, {
      token: null,
      body,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/scim+json' }),
        ...headers,
        ...more,
      },
    });
  return {
    domainId: domain.id,
    token,
    request,
    get: (path, more) => request('GET', path, undefined, more),
    post: (path, body) => request('POST', path, body),
    put: (path, body) => request('PUT', path, body),
    async patch(path, ...operations) {
      const answer = await request('PATCH', path, { schemas: [PATCH], Operations: operations });
      assert.equal(answer.status, 204, answer.text);
      return answer;
    },
    delete: (path) => request('DELETE', path),
    find: (endpoint, filter, before = '') => request('GET', `${endpoint}?${before}filter=${encodeURIComponent(filter)}`),
    async make(endpoint, body) {
      const answer = await request('POST', endpoint, body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
  };
}

export const patchBody = (...operations: unknown[]) => ({ schemas: [PATCH], Operations: operations });

/** An error as RFC 7644, 3.12 has it. */
export function isScimError(answer: Answer, status: number, scimType?: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/scim\+json/);
  assert.deepEqual(answer.body.schemas, [ERROR]);
  assert.equal(answer.body.status, String(status));
  assert.ok(answer.body.detail);
  assert.equal(answer.body.scimType, scimType);
}

/** A list with these resources and no more, by their ids. */
export function hasOnly(answer: Answer, ...ids: string[]): void {
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/scim\+json/);
  assert.deepEqual(answer.body.schemas, [LIST]);
  assert.equal(answer.body.totalResults, ids.length);
  assert.deepEqual(
    answer.body.Resources.map(({ id }: { id: string }) => id),
    ids,
  );
}
