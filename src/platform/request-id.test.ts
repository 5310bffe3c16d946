import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestIds } from './request-id.ts';

describe('Names of requests', () => {
  it('are random UUIDs behind their prefix, whichever prefix it is', () => {
    for (const prefix of ['', 'req-', '-a-b-']) {
      const newId = requestIds(prefix);
      for (let i = 0; i < 600; i++)
        assert.match(newId(), new RegExp(`^${prefix}[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`));
    }
  });

  it('do not come twice, nor do any of their parts stay', () => {
    const [one, other] = [requestIds('req-'), requestIds('req-')];
    const names = Array.from({ length: 5_000 }, (_, i) => (i % 3 === 0 ? other() : one()));
    assert.equal(new Set(names).size, names.length);
    for (let at = 4; at < 40; at++) {
      const digits = new Set(names.map((name) => name[at]));
      assert.equal(digits.size, [12, 17, 18, 22, 27].includes(at) ? 1 : at === 23 ? 4 : 16, `position ${at}`);
    }
  });
});
