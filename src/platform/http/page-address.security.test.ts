// The names of this machine at which a service may be: what is sent to one that is not its own gets to another program.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { otherNamesOf } from './page-address.ts';

describe('The other names of a service', () => {
  it('are those of the machine where it listens on all of them', () => {
    assert.deepEqual(otherNamesOf('http://localhost:8080', 'localhost'), ['http://127.0.0.1:8080', 'http://[::1]:8080']);
    assert.deepEqual(otherNamesOf('http://127.0.0.1:8080', 'localhost'), ['http://localhost:8080', 'http://[::1]:8080']);
    assert.deepEqual(otherNamesOf('http://localhost', '0.0.0.0'), ['http://127.0.0.1', 'http://[::1]']);
    assert.deepEqual(otherNamesOf('https://localhost', 'localhost'), ['https://127.0.0.1', 'https://[::1]']);
  });

  it('are none where it listens on one address and is known by it, nor where it has a name of its own', () => {
    assert.deepEqual(otherNamesOf('http://127.0.0.1:8080', '127.0.0.1'), []);
    assert.deepEqual(otherNamesOf('http://[::1]:8080', '::1'), []);
    assert.deepEqual(otherNamesOf('https://wallet.example.org', 'localhost'), []);
  });
});
