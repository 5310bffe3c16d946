// Compared with a library that processes JSON-LD.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import jsonld from 'jsonld';
import { createLoader } from './contexts.ts';
import { expandedTypes } from './expanded-types.ts';

const [V1, V2] = ['https://www.w3.org/2018/credentials/v1', 'https://www.w3.org/ns/credentials/v2'];
const TYPES = ['VerifiableCredential', 'CityWorker', 'ex:Member', 'https://example.org/Whole', 'constructor'];
const CONTEXTS: Readonly<Record<string, unknown>> = {
  'of the data model 1.1': V1,
  'of the data model 2.0, and a vocabulary': [V2, { '@vocab': 'https://id.example/types/x#' }],
  'with examples': [V2, 'https://www.w3.org/ns/credentials/examples/v2'],
  'with terms of its own': [V2, { CityWorker: 'https://example.org/CityWorker', ex: 'https://example.org/#' }],
  'with terms as objects, by a prefix': [V2, { ex: 'https://example.org/#', CityWorker: { '@id': 'ex:Worker' } }],
  'of which the later counts': [V2, { CityWorker: 'https://a.example/x' }, { CityWorker: 'https://b.example/x' }],
};

describe('Types of a W3C credential', () => {
  for (const [name, context] of Object.entries(CONTEXTS))
    it(`are what JSON-LD makes of them, by contexts ${name}`, async () => {
      const { expand } = jsonld as unknown as { expand(document: object, options: object): Promise<{ '@type': string[] }[]> };
      const [expanded] = await expand(
        { '@context': context, id: 'urn:x', type: TYPES },
        { documentLoader: await createLoader(), base: null },
      );
      assert.deepEqual(expandedTypes(TYPES, context), expanded!['@type']);
    });

  it('stay as they are without a context, with one that is not known, or one that is nonsense', () => {
    for (const context of [undefined, 'https://else.example/v1', [null, 7, ['x']], { '@vocab': 7 }, { CityWorker: { '@id': 1 } }])
      assert.deepEqual(expandedTypes(TYPES, context), TYPES);
  });

  it('cannot make another type the one of all credentials', () => {
    const hostile = { VerifiableCredential: 'https://evil.example/x', __proto__: null };
    assert.deepEqual(expandedTypes(['VerifiableCredential'], [V2, hostile]), [
      'https://www.w3.org/2018/credentials#VerifiableCredential',
    ]);
  });
});
