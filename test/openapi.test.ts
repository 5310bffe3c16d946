// The OpenAPI documents: valid, and for the identity service consistent with what its handlers read.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { openidRoutes } from '../src/identity/openid/provider/index.ts';
import { identityOpenApi, walletOpenApi } from '../src/openapi.ts';
import { assertOk } from './support/answers.ts';
import { onDatabase } from './support/api.ts';
import { aShareOf, inFullRun } from './support/extent.ts';
import { dereferenced } from './support/openapi.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, any>> };
  readonly responses: Readonly<Record<string, any>>;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: object; readonly responses: object };
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];
const printed = { identity: identityOpenApi(), wallet: walletOpenApi() } as unknown as Readonly<
  Record<'identity' | 'wallet', Document>
>;
const identity = dereferenced(printed.identity);

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation, at: `${method} ${path}` })),
  );
const namesOf = (place: Parameter['in'], { parameters = [] }: Operation): string[] =>
  parameters.filter((one) => one.in === place).map(({ name }) => name);
const operationAt = (method: string, path: string): Operation =>
  identity.paths[path]?.[method] ?? assert.fail(`no ${method} ${path}`);

for (const [name, document] of Object.entries({ identity, wallet: dereferenced(printed.wallet) })) {
  describe(`the OpenAPI document of the ${name} service`, () => {
    const operations = operationsOf(document);

    it('declares every parameter of a path, and each parameter once', () => {
      for (const { path, operation, at } of operations) {
        const { parameters = [] } = operation;
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one!);
        assert.deepEqual(namesOf('path', operation).sort(), inPath.sort(), at);
        const places = parameters.map((one) => `${one.in} ${one.in === 'header' ? one.name.toLowerCase() : one.name}`);
        assert.equal(new Set(places).size, places.length, `${at}: ${places}`);
        for (const one of parameters) {
          assert.equal(typeof one.required, 'boolean', `${at}: ${one.name}`);
          assert.ok(one.in !== 'path' || one.required, `${at}: ${one.name}`);
        }
      }
    });

    it('lists no header that OpenAPI describes elsewhere', () => {
      for (const { operation, at } of operations)
        for (const header of namesOf('header', operation))
          assert.ok(!/^(accept|content-type|authorization)$/i.test(header), `${at}: ${header}`);
    });

    it('has responses, security and a unique id for every operation', () => {
      const ids = operations.map(({ operation }) => operation.operationId);
      assert.deepEqual(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        [],
      );
      for (const { method, operation, at } of operations) {
        assert.ok(METHODS.includes(method), at);
        assert.ok(operation.requestBody === undefined || (method !== 'get' && method !== 'head'), `${at} has a body`);
        for (const [status, { description }] of Object.entries(operation.responses)) {
          assert.match(status, /^([1-5]\d\d|default)$/, at);
          assert.equal(typeof description, 'string', `${at} ${status}`);
        }
        for (const way of operation.security.flatMap((one) => Object.keys(one)))
          assert.ok(Object.hasOwn(document.components.securitySchemes, way), `${at}: ${way}`);
      }
    });
  });
}

describe('what the identity service reads', () => {
  const documentation = new Set(operationsOf(identity).flatMap(({ operation }) => namesOf('query', operation)));
  const source = globSync('src/identity/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

  for (const [what, pattern, least] of [
    ['parameter', /\b(?:single|readFlag)\((?:call\.)?query, '([^']+)'\)/g, 20],
    ['bare parameter', /'([^']+)' in (?:call\.)?query\b/g, 3],
    ['filter', /\b(\w+): \{ column: /g, 10],
  ] as const) {
    it(`is described: every ${what}`, () => {
      const read = new Set([...source.matchAll(pattern)].map(([, name]) => name!));
      assert.ok(read.size >= least, `only ${read.size} found: does the pattern still match the code?`);
      assert.deepEqual(
        [...read].filter((name) => !documentation.has(name)),
        [],
      );
    });
  }

  it('is described where it is read', () => {
    const has = (method: string, path: string, place: 'query' | 'header', ...names: string[]) => {
      const found = namesOf(place, operationAt(method, path));
      for (const name of names) assert.ok(found.includes(name), `${method} ${path}: no ${name} among ${found}`);
    };
    has('get', '/v3/users', 'query', 'limit', 'marker', 'name', 'password_expires_at');
    has('get', '/v3/projects/{project_id}', 'query', 'parents_as_list', 'parents_as_ids', 'subtree_as_list', 'subtree_as_ids');
    has('get', '/v3/projects', 'query', 'tags', 'tags-any', 'not-tags', 'not-tags-any');
    has('head', '/v3/OS-TWO-FACTOR/devices', 'query', 'user_id', 'user_name', 'domain_id', 'domain_name');
    has('get', '/v3/OS-OAUTH2/authorize', 'query', 'client_id', 'redirect_uri', 'response_type', 'scope', 'state');
    for (const method of ['get', 'head', 'delete']) has(method, '/v3/auth/tokens', 'header', 'X-Subject-Token');
    for (const one of ['/scim/v2/Users', '/scim/v2/Groups', '/scim/v2/Organizations']) {
      has(
        'get',
        one,
        'query',
        'filter',
        'startIndex',
        'count',
        'sortBy',
        'sortOrder',
        'cursor',
        'attributes',
        'excludedAttributes',
      );
      has('get', `${one}/{id}`, 'header', 'If-None-Match');
      for (const method of ['put', 'patch', 'delete']) has(method, `${one}/{id}`, 'header', 'If-Match');
    }
  });

  it('is marked as required if it is mandatory', () => {
    const required = (method: string, path: string) =>
      (operationAt(method, path).parameters ?? []).filter((one) => one.required && one.in !== 'path').map(({ name }) => name);
    assert.deepEqual(required('get', '/v3/auth/tokens'), ['X-Subject-Token']);
    assert.deepEqual(required('head', '/v3/users/{user_id}/OS-TWO-FACTOR/sec_question'), ['security_answer']);
    assert.deepEqual(required('head', '/v3/OS-TWO-FACTOR/devices'), ['device_id', 'device_token']);
    assert.deepEqual(required('post', '/v3/OS-TWO-FACTOR/devices'), []);
    assert.equal(operationAt('post', '/v3/users').requestBody?.required, true);
    assert.equal(operationAt('post', '/v3/users/{user_id}/OS-TWO-FACTOR/two_factor_auth').requestBody?.required, false);
  });
});

describe('what the identity service answers', () => {
  it('names its headers', () => {
    const headers = (method: string, path: string, status: number) =>
      Object.keys(operationAt(method, path).responses[status].headers);
    assert.ok(headers('post', '/v3/auth/tokens', 201).includes('X-Subject-Token'));
    assert.ok(headers('post', '/v3/auth/tokens', 401).includes('Openstack-Auth-Receipt'));
    assert.ok(headers('get', '/v3/auth/tokens', 200).includes('X-Subject-Token'));
    assert.deepEqual(headers('post', '/scim/v2/Users', 201), ['ETag', 'Location']);
    assert.ok(headers('get', '/scim/v2/Me', 200).includes('Location'));
  });

  it('is SCIM under /scim/v2, refusals as well, and JSON elsewhere', () => {
    const scim = operationsOf(identity).filter(({ path }) => path.startsWith('/scim/v2'));
    assert.ok(scim.length > 20);
    for (const { operation, at } of scim) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) =>
        Object.keys(one?.content ?? {}),
      );
      assert.deepEqual([...new Set(bodies)], ['application/scim+json'], at);
      assert.ok(operation.responses.default.content['application/scim+json'].schema.properties.scimType, at);
      const sent = operation.requestBody?.content['application/scim+json'].schema;
      assert.ok(sent === undefined || Object.keys(sent.properties).length > 0, `${at} takes anything`);
    }
    assert.deepEqual(Object.keys(operationAt('get', '/v3/users').responses[200].content), ['application/json']);
  });

  it('takes the password of a user, and never shows it', () => {
    const { requestBody, responses } = operationAt('post', '/scim/v2/Users');
    const { properties, required } = requestBody!.content['application/scim+json'].schema;
    assert.ok('password' in properties && !('meta' in properties));
    assert.deepEqual(required, ['userName']);
    assert.ok(!('password' in responses[201].content['application/scim+json'].schema.properties));
  });
});

onDatabase('SQLite', 'a running identity service', {}, (api) => {
  it('serves what the OpenID library is said to serve', async () => {
    for (const { method, path } of openidRoutes) {
      const { status } = await fetch(api.url + path.replace(':protocol_id', 'openid').replace(':idp_id', 'any'), {
        method,
        redirect: 'manual',
      });
      assert.ok(![404, 405].includes(status) && status < 500, `${method} ${path}: ${status}`);
    }
  });

  it('says in its discovery document only what is described', async () => {
    const offered = Object.entries(assertOk(await api.get('/.well-known/openid-configuration')))
      .filter(([name]) => /(_endpoint|_uri)$/.test(name))
      .map(([, address]) => new URL(address as string).pathname);
    assert.ok(offered.length > 7);
    assert.deepEqual(
      offered.filter((path) => !Object.hasOwn(identity.paths, path)),
      [],
    );
  });

  /** How many things a list has; 0 for what is no list. */
  const countOf = ({ body }: { readonly body: any }): number =>
    (Object.values(body ?? {}).find(Array.isArray) as unknown[] | undefined)?.length ?? 0;

  it('reads the query parameters that are described and no others: one that it reads is refused twice, or nothing is called so', async () => {
    const own = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': api.adminToken } })).token;
    const group = await api.make('group', { name: 'described' });
    const ids: Readonly<Record<string, string>> = { user_id: own.user.id, project_id: own.project.id, group_id: group.id };
    const bare = ['nocatalog', 'default_organization'];
    const headers = { 'X-Subject-Token': api.adminToken };
    const all = new Set(operationsOf(identity).flatMap(({ operation }) => namesOf('query', operation)));
    let checked = 0;
    for (const { path, method, operation, at } of aShareOf(operationsOf(identity), 12)) {
      // Served by code that is no route, and reads no query.
      const isLibrary = path.startsWith('/openapi') || openidRoutes.some((route) => route.path === path);
      const filled = path
        .replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole)
        .replace(/Users\/\{id\}$/, `Users/${own.user.id}`);
      const isPage = JSON.stringify(operation.responses).includes('text/html');
      if (method !== 'get' || isLibrary || isPage || filled.includes('{')) continue;
      // A route with required parameters cannot be checked this way.
      const whole = await api.get(filled, { headers });
      if (whole.status >= 400) continue;
      const names = namesOf('query', operation).filter((name) => !bare.includes(name));
      // A list without pages ignores these parameters, but checks them.
      const others = names.includes('limit') ? [...all] : [...all].filter((name) => name !== 'limit' && name !== 'marker');
      // SCIM refuses any repeated parameter, known or not.
      for (const name of path.includes('/OS-SCIM') || path.startsWith('/scim/') ? names : others) {
        const answer = await api.get(`${filled}?${name}=true&${name}=true`, { headers });
        const isRead = [400, 403].includes(answer.status) || countOf(answer) < countOf(whole);
        // A filter cannot be seen in a list that is empty.
        const isFilter = names.includes(name) && answer.status === 200 && countOf(whole) === 0;
        assert.equal(isRead || isFilter, names.includes(name), `${at} ${name}: ${answer.status}`);
        checked++;
      }
    }
    assert.ok(checked > inFullRun(1000, 200), `only ${checked} were looked at`);
  });
});
