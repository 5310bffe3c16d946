// Set-up for tests of /scim/v2: a new domain and a provisioning connection to it.
import assert from 'node:assert/strict';
import { type ApiAnswer, type RequestOptions, type TestApi, uniqueName } from './api.ts';

export const SCIM_JSON = 'application/scim+json';
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ORGANIZATION = 'urn:gatehouse:params:scim:schemas:2.0:Organization';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0';
export const LIST = `${MESSAGES}:ListResponse`;
export const SEARCH = `${MESSAGES}:SearchRequest`;
export const BULK_REQUEST = `${MESSAGES}:BulkRequest`;
export const BULK_RESPONSE = `${MESSAGES}:BulkResponse`;
export const ERROR = `${MESSAGES}:Error`;

/** A PATCH message. */
export const patchOf = (...operations: readonly Record<string, unknown>[]) => ({
  schemas: [`${MESSAGES}:PatchOp`],
  Operations: operations,
});

/** A client of /scim/v2. */
export class ScimClient {
  readonly api: TestApi;
  readonly token: string;

  constructor(api: TestApi, token: string) {
    this.api = api;
    this.token = token;
  }

  request(method: string, path: string, { headers, ...options }: RequestOptions = {}): Promise<ApiAnswer> {
    return this.api.request(method, `/scim/v2${path}`, {
      ...options,
      token: null,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(options.body === undefined ? {} : { 'Content-Type': SCIM_JSON }),
        ...headers,
      },
    });
  }

  get = (path: string, headers: Record<string, string> = {}) => this.request('GET', path, { headers });
  post = (path: string, body: unknown, headers: Record<string, string> = {}) => this.request('POST', path, { body, headers });
  put = (path: string, body: unknown, headers: Record<string, string> = {}) => this.request('PUT', path, { body, headers });
  patch = (path: string, body: unknown, headers: Record<string, string> = {}) => this.request('PATCH', path, { body, headers });
  delete = (path: string, headers: Record<string, string> = {}) => this.request('DELETE', path, { headers });

  /** The result list of a query. */
  async list(endpoint: string, query: Record<string, string | number> = {}): Promise<any> {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const answer = await this.get(`${endpoint}${text ? `?${text}` : ''}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  async #make(endpoint: string, body: Record<string, unknown>): Promise<any> {
    const answer = await this.post(endpoint, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  makeUser = (values: Record<string, unknown> = {}) =>
    this.#make('/Users', { schemas: [USER], userName: uniqueName('scim-user'), ...values });
  makeGroup = (values: Record<string, unknown> = {}) =>
    this.#make('/Groups', { schemas: [GROUP], displayName: uniqueName('scim-group'), ...values });
  makeOrganization = (values: Record<string, unknown> = {}) =>
    this.#make('/Organizations', { schemas: [ORGANIZATION], name: uniqueName('scim-organization'), ...values });

  /** The current resource. */
  async show(path: string): Promise<any> {
    const answer = await this.get(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }
}

/** Creates a connection to the given domain, or to a new one. */
export async function connect(api: TestApi, domainId?: string) {
  const domain = domainId ? { id: domainId } : await api.make('domain', { name: uniqueName('scim-domain') });
  const answer = await api.post('/v3/OS-SCIM/connections', {
    connection: { domain_id: domain.id, name: uniqueName('connection') },
  });
  assert.equal(answer.status, 201, answer.text);
  const { connection } = answer.body;
  return { domain, connection, scim: new ScimClient(api, connection.token) };
}

/** Checks the status, the SCIM error body, and its scimType if given. */
export function assertScimRefused(answer: ApiAnswer, status: number, scimType?: string, detail: RegExp = /./): void {
  assert.equal(answer.status, status, `expected ${status}, got ${answer.status}: ${answer.text.slice(0, 500)}`);
  assert.equal(answer.headers.get('content-type'), SCIM_JSON);
  assertScimError(answer.body, status, scimType, detail);
  if (status === 401)
    assert.match(
      answer.headers.get('www-authenticate') ?? '',
      /^Bearer realm="scim", resource_metadata="http[^"]+\/\.well-known\/oauth-protected-resource\/scim\/v2"$/,
    );
}

export function assertScimError(body: any, status: number, scimType?: string, detail: RegExp = /./): void {
  assert.deepEqual(body.schemas, [ERROR]);
  assert.equal(body.status, String(status));
  assert.equal(body.scimType, scimType);
  assert.match(body.detail, detail);
}

/** The ids in a list. */
export const idsIn = (list: any): string[] => list.Resources.map(({ id }: { id: string }) => id);
