// A provisioning client: one connection to a domain of its own, as a vendor's service has it.
import assert from 'node:assert/strict';
import type { Answer, TestApi } from '../../test/support/api.ts';
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
  const { domain, scim } = await connectTo(api);
  const request: Client['request'] = (method, path, body, more = {}) =>
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
export function hasOnly(answer: Answer, ...ids: string[]): void {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('content-type'), SCIM_JSON);
  assert.deepEqual(answer.body.schemas, [LIST]);
  assert.equal(answer.body.totalResults, ids.length);
  assert.deepEqual(
    answer.body.Resources.map(({ id }: { id: string }) => id),
    ids,
  );
}
