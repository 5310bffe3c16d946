// Schemas are compiled on first use. This compiles all of them, so that errors show before a request.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openidRoutes } from '../src/identity/openid/provider/index.ts';
import type { Schema } from '../src/platform/http/index.ts';
import { serialize, violation } from '../src/platform/http/validate.ts';
import { identityRoutes, walletRoutes } from './support/routes.ts';

it('every schema of every route can be compiled, to check and to write', () => {
  let count = 0;
  for (const { method, path, spec } of [...identityRoutes(), ...openidRoutes, ...walletRoutes()]) {
    const { query, body, documentation, reply } = spec;
    const replies = Object.values(reply);
    const all = [query, body, documentation?.body, documentation?.error, ...replies].filter((one): one is Schema => Boolean(one));
    for (const schema of all) {
      count++;
      assert.doesNotThrow(() => violation(schema, undefined), `${method} ${path}`);
    }
    // The result does not matter, only that a serializer can be created.
    for (const schema of replies) if (schema) assert.doesNotThrow(() => compileToWrite(schema), `${method} ${path}`);
  }
  assert.ok(count > 400, `${count}`);
});

function compileToWrite(schema: Schema): void {
  try {
    serialize(schema, {});
  } catch (error) {
    if (!/is required|does not match schema/.test((error as Error).message)) throw error;
  }
}
