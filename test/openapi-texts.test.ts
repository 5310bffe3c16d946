// What the OpenAPI documents tell a developer: names, texts, refusals, and examples that are valid.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ApiDocument, type Content, entriesOf, type Schema } from '../console/api/document.ts';
import { recordedOf } from '../scripts/openapi/recorded.ts';
import type { Action } from '../src/identity/access/rules/index.ts';
import { isForEverybody, whoPasses } from '../src/identity/access/rules/policy.ts';
import { identityOpenApi, walletOpenApi } from '../src/openapi.ts';
import { dereferenced } from './support/openapi.ts';

const isJson = (type: string): boolean => /json/.test(type);
/** Answers to programs of OpenStack that have another form for each version. */
const isPage = (schema: Schema | undefined): boolean => schema?.type === 'string';

for (const [name, made] of Object.entries({ identity: identityOpenApi(), wallet: walletOpenApi() })) {
  const document = made as unknown as ApiDocument;
  const whole = dereferenced(document);
  const operations = entriesOf(document).map((entry) => ({ ...entry, at: `${entry.method} ${entry.path}` }));
  const complete = entriesOf(whole).map((entry) => ({ ...entry, at: `${entry.method} ${entry.path}` }));

  describe(`The API document of the ${name} service`, () => {
    it('names the schema of every body', () => {
      const unnamed = operations.flatMap(({ operation, at }) =>
        [operation.requestBody, ...Object.entries(operation.responses).map(([, response]) => response)].flatMap((part) =>
          Object.entries((part?.content ?? {}) as Content)
            .filter(([type, { schema }]) => isJson(type) && schema && Object.keys(schema).length > 0 && schema.$ref === undefined)
            .map(() => at),
        ),
      );
      assert.deepEqual(unnamed, [], 'name the schemas of these where they are defined: t.name({ Thing })');
    });

    it('describes every operation, parameter and tag', () => {
      const tags = new Set(document.tags.map((tag) => tag.name));
      assert.ok(document.tags.every(({ description }) => description.length > 10));
      const used = new Set(operations.flatMap(({ operation }) => operation.tags));
      assert.deepEqual(
        [...used].filter((tag) => !tags.has(tag)),
        [],
        `tags without a text in scripts/openapi/${name}`,
      );
      assert.deepEqual(
        [...tags].filter((tag) => !used.has(tag)),
        [],
        'tags of nothing',
      );
      for (const { operation, at } of operations) {
        assert.ok(operation.description, at);
        for (const parameter of operation.parameters ?? []) assert.ok(parameter.description, `${at}: ${parameter.name}`);
      }
    });

    it('has ids that are good names of functions, each once', () => {
      const ids = operations.map(({ operation }) => operation.operationId);
      assert.deepEqual(
        ids.filter((id) => !/^[a-z][A-Za-z0-9]{2,50}$/.test(id)),
        [],
      );
      assert.equal(new Set(ids).size, ids.length);
    });

    it('says how each operation may refuse, in the format of its API', () => {
      for (const { operation, at } of operations) {
        const statuses = Object.keys(operation.responses);
        assert.ok(statuses.includes('400') && statuses.includes('default'), at);
        assert.equal(statuses.includes('401'), operation.security.length > 0 || statuses.includes('401'), at);
      }
    });

    it('has an example of every request and answer, and each is valid', () => {
      const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
      const missing: string[] = [];
      const check = (at: string, content: Content | undefined): void => {
        const [type, media] = Object.entries(content ?? {})[0] ?? [];
        if (type === undefined || !media?.schema || isPage(media.schema)) return;
        if (media.example === undefined) missing.push(at);
        else if (!ajv.validate(media.schema, media.example)) assert.fail(`${at}: ${ajv.errorsText()}`);
      };
      for (const { operation, at } of complete) {
        check(`${at} request`, operation.requestBody?.content);
        for (const [status, response] of Object.entries(operation.responses)) check(`${at} ${status}`, response.content);
      }
      assert.deepEqual(missing, [], 'call these in scripts/examples, then: npm run examples, npm run docs');
    });
  });
}

describe('What was recorded', () => {
  const services = [
    [identityOpenApi(), recordedOf('identity')],
    [walletOpenApi(), recordedOf('wallet')],
  ] as const;
  it('is about operations that there are', () => {
    for (const [made, { examples, refusals }] of services) {
      const entries = entriesOf(made as unknown as ApiDocument);
      const ids = new Set(entries.map(({ operation }) => operation.operationId));
      assert.deepEqual(
        [...Object.keys(examples), ...Object.keys(refusals)].filter((id) => !ids.has(id)),
        [],
      );
    }
  });
});

describe('The words for who may call', () => {
  const rules = new Set(
    entriesOf(identityOpenApi() as unknown as ApiDocument).flatMap(
      ({ operation }) => (operation as { 'x-policy'?: Action })['x-policy'] ?? [],
    ),
  );

  it('are there for every rule', () => {
    assert.ok(rules.size > 100, `${rules.size}`);
    assert.deepEqual(
      [...rules].filter((rule) => whoPasses(rule).length === 0),
      [],
    );
    assert.ok(isForEverybody('identity:get_auth_projects') && !isForEverybody('identity:create_user'));
  });
});
