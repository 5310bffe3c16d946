// Common checks of requests that need a permission: 401 without a token, 403 without the permission, and 404 for a missing resource
// only with the permission.
import assert from 'node:assert/strict';
import { assertRefused } from './answers.ts';
import type { ApiAnswer, TestApi } from './api.ts';

export interface GuardedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The same request for a resource that does not exist. */
  readonly missing?: string;
}

function assertStatus(method: string, answer: ApiAnswer, status: number, message?: RegExp): void {
  // HEAD has no body to check.
  if (method === 'HEAD') assert.equal(answer.status, status);
  else assertRefused(answer, status, message);
}

/** `outsiders`: valid tokens of users without the permission. */
export async function assertGuarded(
  api: TestApi,
  outsiders: readonly string[],
  requests: readonly GuardedRequest[],
): Promise<void> {
  for (const { method, path, body, missing } of requests) {
    assertStatus(method, await api.request(method, path, { token: null, body }), 401, /requires authentication/);
    for (const token of outsiders) {
      assertStatus(method, await api.request(method, path, { token, body }), 403, /not authorized/);
      if (missing) assertStatus(method, await api.request(method, missing, { token, body }), 403, /not authorized/);
    }
    if (missing) assertStatus(method, await api.request(method, missing, { body }), 404, /^Could not find /);
  }
}

/** Each body is refused with 400 and a message that names the field. */
export async function assertBadBodies(
  api: TestApi,
  method: 'POST' | 'PATCH' | 'PUT',
  path: string,
  bodies: readonly (readonly [field: string, body: unknown])[],
): Promise<void> {
  for (const [field, body] of bodies) {
    const answer = await api.request(method, path, { body });
    assertRefused(answer, 400);
    assert.ok(answer.body.error.message.includes(field), `"${answer.body.error.message}" does not name ${field}`);
  }
}
