// Assertions on answers of the wallet node: problem details (RFC 9457).
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import type { ApiAnswer } from './api.ts';

/** Checks the status, the code, and all mandatory members of a problem. */
export function assertProblem(answer: ApiAnswer, status: number, code: string, detail: RegExp = /./): any {
  assert.equal(answer.status, status, `expected ${status} ${code}, got ${answer.status}: ${answer.text}`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json\b/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const { body } = answer;
  assert.deepEqual(
    [body.type, body.title, body.status, body.code],
    [`urn:gatehouse:problem:${code}`, STATUS_CODES[status], status, code],
  );
  assert.match(body.detail, detail);
  const requestId = answer.headers.get('x-request-id');
  assert.match(requestId ?? 'no X-Request-Id', /^[0-9a-f-]{36}$/);
  assert.equal(body.instance, requestId);
  return body;
}
