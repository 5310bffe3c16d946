// Assertions on answers: errors in Keystone's format, and tokens that are needed or refused.
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import type { ApiAnswer, RequestOptions, TestApi } from './api.ts';

/** Checks the status, also in the body, the message, and for 401 the header that says how to authenticate. */
export function assertRefused(answer: ApiAnswer, status: number, message: RegExp = /./): void {
  assert.equal(answer.status, status, `expected ${status}, got ${answer.status}: ${answer.text}`);
  assert.deepEqual(Object.keys(answer.body), ['error']);
  assert.equal(answer.body.error.code, status);
  assert.equal(answer.body.error.title, STATUS_CODES[status]);
  assert.match(answer.body.error.message, message);
  const challenge = answer.headers.get('www-authenticate');
  if (status === 401) assert.match(challenge ?? 'no WWW-Authenticate', /^Keystone uri="http/);
  else assert.equal(challenge, null);
}

/** Refused without a token and with a wrong one. */
export async function assertNeedsToken(api: TestApi, method: string, path: string, body?: unknown): Promise<void> {
  for (const token of [null, '', 'no-such-token']) {
    assertRefused(await api.request(method, path, { token, body }), 401, /requires authentication/);
  }
}

/** Each of these tokens is valid, but not permitted to do this. */
export async function assertForbidden(
  api: TestApi,
  tokens: readonly string[],
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<void> {
  for (const token of tokens) {
    assertRefused(await api.request(method, path, { ...options, token }), 403, /not authorized to perform the requested action/);
  }
}

export function assertOk(answer: ApiAnswer, status = 200): any {
  assert.equal(answer.status, status, answer.text);
  if (status === 204) assert.equal(answer.text, '');
  return answer.body;
}

/** Each of several concurrent requests has one of these statuses. */
export function assertEachStatus(answers: readonly ApiAnswer[], statuses: readonly number[]): void {
  for (const { status, text } of answers) assert.ok(statuses.includes(status), `${status} is none of ${statuses}: ${text}`);
}

/** Whether a token is still valid. */
export async function isAlive(api: TestApi, token: string): Promise<boolean> {
  const { status } = await api.head('/v3/auth/tokens', { headers: { 'X-Subject-Token': token }, token });
  assert.ok(status === 200 || status === 401, `a token is good or it is not; got ${status}`);
  return status === 200;
}

/** The same, as administrators are told. */
export async function isValid(api: TestApi, token: string): Promise<boolean> {
  const { status } = await api.head('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });
  assert.ok(status === 200 || status === 404, `a token is good or it is not; got ${status}`);
  return status === 200;
}
