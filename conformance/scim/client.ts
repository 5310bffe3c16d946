// A provisioning client with a connection to its own domain, like a vendor's service.
import assert from 'node:assert/strict';
import type { ApiAnswer, TestApi } from '../../test/support/api.ts';
import { connect as connectTo, LIST, patchOf, SCIM_JSON } from '../../test/support/scim.ts';

export {
  assertScimRefused as isScimError,
  ENTERPRISE,
  ERROR,
  GROUP,
  LIST,
  patchOf as patchBody,
  USER,
} from '../../test/support/scim.ts';

export interface ProvisioningClient {
  readonly domainId: string;
  readonly token: string;
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  post(path: string, body: unknown): Promise<ApiAnswer>;
  put(path: string, body: unknown): Promise<ApiAnswer>;
  /** A PatchOp message; must be answered with 204. */
  patch(path: string, ...operations: unknown[]): Promise<ApiAnswer>;
  delete(path: string): Promise<ApiAnswer>;
  /** GET /Users?filter=... and the like, with the path before the filter. */
  find(endpoint: string, filter: string, before?: string): Promise<ApiAnswer>;
  /** Creates a resource and returns it. */
  make(endpoint: string, body: unknown): Promise<any>;
}

/** `headers` are those the vendor sends with every request. */
export async function connect(api: TestApi, headers: Readonly<Record<string, string>> = {}): Promise<ProvisioningClient> {
  const { domain, scim } = await connectTo(api);
  const request: ProvisioningClient['request'] = (method, path, body, more = {}) =>
    scim.request(method, path, { ...(body === undefined ? {} : { body }), headers: { ...headers, ...more } });
  return {
    domainId: domain.id,
    token: scim.token,
    request,
    get: (path, more) => request('GET', path, undefined, more),
    post: (path, body) => request('POST', path, body),
    put: (path, body) => request('PUT', path, body),
    async patch(path, ...operations) {
      const answer = await request('PATCH', path, patchOf(...(operations as Record<string, unknown>[])));
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

/** A list with these resources and no more, by their ids. */
export function hasOnly(answer: ApiAnswer, ...ids: string[]): void {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('content-type'), SCIM_JSON);
  assert.deepEqual(answer.body.schemas, [LIST]);
  assert.equal(answer.body.totalResults, ids.length);
  assert.deepEqual(
    answer.body.Resources.map(({ id }: { id: string }) => id),
    ids,
  );
}
