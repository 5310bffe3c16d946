import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, type Route, t } from '../../src/platform/http/index.ts';
import { type OpenApiOptions, openApi } from './openapi.ts';

const tag = 'Things';
const Thing = t.object({ name: t.string() }, { size: t.integer() });
const ThingEnvelope = t.envelope('thing', Thing);
const Failure = t.object({ message: t.string() });
t.name({ Thing, ThingEnvelope, Failure });

const options: OpenApiOptions = {
  title: 'Things',
  version: '1',
  description: '',
  server: 'http://things.example',
  tags: { Things: 'All of them.' },
  securitySchemes: { token: {} },
  securityOf: () => ['token'],
  whoMay: (rule) => `Who may call it: ${rule}.`,
  isForEverybody: () => false,
  parameters: {},
  examples: { createThing: { request: { thing: { name: 'a' } }, answers: { 201: { thing: { name: 'a' } } } } },
  errorsOf: (schema) =>
    schema === undefined
      ? { prefix: '', schema: Failure, type: 'application/json', format: ({ message }) => ({ body: { message } }) }
      : { prefix: 'Page', schema, type: 'text/html' },
  faults: { 'thing.taken': { status: 409, text: 'There is a thing {name}.' } },
  codeOf: (code) => code,
  refusals: { createThing: ['thing.taken'] },
};

type Operations = Record<string, Record<string, any>>;
const documentOf = (routes: readonly Route<never>[], more: Partial<OpenApiOptions> = {}) =>
  openApi(routes, { ...options, ...more }) as { paths: Operations; components: Record<string, Record<string, any>> };

function thingsApp() {
  const app = createApp<never, 'use'>();
  const get = () => ({ facts: undefined, get: () => undefined });
  app.get(
    '/things/:id',
    { id: 'getThing', summary: 'Show', tag, rule: 'use', target: get, reply: { 200: ThingEnvelope } },
    () => undefined,
  );
  app.get('/things', { id: 'listThings', summary: 'List', tag, rule: 'use', reply: { 200: t.array(Thing) } }, () => undefined);
  app.put('/things/:id', { id: 'linkThing', summary: 'Link', tag, rule: 'use', reply: { 204: null } }, () => undefined);
  app.post(
    '/things',
    { id: 'createThing', summary: 'Create', tag, rule: 'anyone', body: ThingEnvelope, reply: { 201: ThingEnvelope } },
    () => 0,
  );
  return app;
}

describe('An OpenAPI document', () => {
  it('names each operation as its route does', () => {
    const { paths } = documentOf(thingsApp().routes);
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    assert.deepEqual(ids.sort(), ['createThing', 'getThing', 'linkThing', 'listThings']);
  });

  it('has one component for a named schema, wherever it is used', () => {
    const { paths, components } = documentOf(thingsApp().routes);
    const reference = { $ref: '#/components/schemas/ThingEnvelope' };
    assert.deepEqual(paths['/things/{id}']!.get.responses[200].content['application/json'].schema, reference);
    assert.deepEqual(paths['/things']!.post.requestBody.content['application/json'].schema, reference);
    assert.deepEqual(components.schemas!.ThingEnvelope.properties.thing, { $ref: '#/components/schemas/Thing' });
    assert.deepEqual(paths['/things']!.get.responses[200].content['application/json'].schema, {
      type: 'array',
      items: { $ref: '#/components/schemas/Thing' },
    });
  });

  it('is not made when two different schemas have one name', () => {
    const Other = t.object({ colour: t.string() });
    t.name({ Thing: Other });
    const app = thingsApp();
    app.get('/others', { id: 'listOthers', summary: 'List', tag, rule: 'use', reply: { 200: Other } }, () => undefined);
    assert.throws(() => documentOf(app.routes), /two different schemas have the name Thing/);
  });

  it('says how a route may refuse', () => {
    const { paths, components } = documentOf(thingsApp().routes);
    assert.deepEqual(Object.keys(paths['/things/{id}']!.get.responses), ['200', '400', '401', '403', '404', 'default']);
    const { responses } = paths['/things']!.post;
    assert.deepEqual(Object.keys(responses), ['201', '400', '409', '413', '415', 'default']);
    assert.deepEqual(responses[400], { $ref: '#/components/responses/BadRequest' });
    assert.match(responses[409].description, /- `thing\.taken`: There is a thing <name>\./);
    assert.deepEqual(responses[409].content['application/json'].example, { message: 'There is a thing <name>.' });
    assert.equal(components.responses!.BadRequest.content['application/json'].schema.$ref, '#/components/schemas/Failure');
  });

  it('is not made with a refusal that does not exist', () => {
    assert.throws(() => documentOf(thingsApp().routes, { refusals: { createThing: ['thing.lost'] } }), /no fault thing\.lost/);
  });

  it('has examples of requests and answers, and says who may call', () => {
    const { post, get } = documentOf(thingsApp().routes).paths['/things']!;
    assert.deepEqual(post.requestBody.content['application/json'].example, { thing: { name: 'a' } });
    assert.deepEqual(post.responses[201].content['application/json'].example, { thing: { name: 'a' } });
    assert.deepEqual([post.security, get.security], [[], [{ token: [] }]]);
    assert.deepEqual([post.description, get.description], ['No token is needed.', 'Who may call it: use.']);
  });

  it('documents what handlers read and answer beyond their schemas', () => {
    const app = createApp<never, 'use'>();
    app.post(
      '/things',
      {
        id: 'createThing',
        summary: 'Create',
        tag,
        rule: 'use',
        body: t.open({}),
        form: true,
        documentation: {
          query: { dry: 'Only try.' },
          headers: { 'If-Match': 'The version.' },
          required: ['If-Match'],
          replyHeaders: { ETag: 'The version.' },
          type: 'application/thing+json',
          otherTypes: ['text/html'],
          body: Thing,
          error: t.string(),
        },
        reply: { 201: Thing, 304: null },
      },
      () => undefined,
    );
    app.put(
      '/things',
      {
        id: 'replaceThings',
        summary: 'Link',
        tag,
        rule: 'use',
        body: t.open({}),
        documentation: { bodyType: 'text/x' },
        reply: { 200: Thing },
      },
      () => 0,
    );
    const { post, put } = documentOf(app.routes, { examples: {}, refusals: {} }).paths['/things']!;
    const text = { type: 'string' };
    assert.deepEqual(post.parameters, [
      { name: 'dry', in: 'query', required: false, description: 'Only try.', schema: text },
      { name: 'If-Match', in: 'header', required: true, description: 'The version.', schema: text },
    ]);
    const [schema, headers] = [{ $ref: '#/components/schemas/Thing' }, { ETag: { description: 'The version.', schema: text } }];
    assert.deepEqual(post.requestBody, {
      required: true,
      content: { 'application/thing+json': { schema }, 'application/x-www-form-urlencoded': { schema } },
    });
    assert.deepEqual(post.responses[201], {
      description: 'Created',
      headers,
      content: { 'application/thing+json': { schema }, 'text/html': { schema: text } },
    });
    assert.deepEqual(post.responses[304].headers, headers);
    assert.deepEqual(
      [post.responses[412], post.responses.default],
      [{ $ref: '#/components/responses/PagePreconditionFailed' }, { $ref: '#/components/responses/PageError' }],
    );
    // A missing body counts as an empty one.
    assert.deepEqual(put.requestBody.required, false);
    assert.deepEqual(Object.keys(put.requestBody.content), ['text/x']);
    assert.deepEqual(Object.keys(put.responses[200].content), ['application/json']);
  });
});
