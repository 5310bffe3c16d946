// The console is not compiled with the services: nothing else says that it lacks a credential format.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FORMATS } from '../console/identity/credentials/types.ts';
import { ISSUED_FORMAT_NAMES } from '../src/verifiable/issuing/index.ts';

describe('The console', () => {
  it('offers every format in which credentials are issued, the default first', () => {
    assert.deepEqual([...FORMATS], [...ISSUED_FORMAT_NAMES]);
  });
});
