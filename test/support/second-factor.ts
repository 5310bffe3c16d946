// Set-up for tests of the second factor: a user with an authenticator app.
import assert from 'node:assert/strict';
import { codeAt, fromBase32, stepAt } from '../../src/identity/directory/two-factor/totp.ts';
import type { ApiAnswer, TestApi } from './api.ts';
import { makePerson } from './applications.ts';

/** Of an authenticator app, as Keystone's clients store it at /v3/credentials. */
export const TOTP_KEY = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** The recovery codes on the page that shows them once. */
export const codesOn = ({ text }: { readonly text: string }): string[] =>
  [...text.matchAll(/<li>((?:[A-Z2-7]{4}-){3}[A-Z2-7]{4})<\/li>/g)].map(([, code]) => code!);

export const QUESTION = { security_question: 'Name of your first pet', security_answer: ' Rex the Dog ' };

/** An authenticator app. It never returns the same code twice. */
export class Phone {
  readonly #api: TestApi;
  readonly key: Buffer;
  #shown = 0;

  constructor(api: TestApi, base32: string) {
    this.#api = api;
    this.key = fromBase32(base32)!;
  }

  /** The code `drift` steps from now. */
  code(drift = 0): string {
    return codeAt(this.key, stepAt(this.#api.clock.now()) + drift);
  }

  /** A new code. Moves the clock if the current code was already used. */
  fresh(): string {
    const step = stepAt(this.#api.clock.now());
    if (step <= this.#shown) this.#api.clock.advance(30 * (this.#shown - step + 1));
    this.#shown = stepAt(this.#api.clock.now());
    return this.code();
  }

  /** Six digits that are not a valid code for any nearby time step. */
  wrong(): string {
    const near = [-1, 0, 1].map((drift) => this.code(drift));
    return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code))!;
  }
}

/** Marks a request without a body. */
export const NO_BODY = Symbol('no body');

/** By an administrator, or by whoever has the token. */
export function enable(
  api: TestApi,
  user: { id: string },
  body: unknown = { two_factor_auth: QUESTION },
  options: { token?: string } = {},
): Promise<ApiAnswer> {
  const sent = body === NO_BODY ? options : { body, ...options };
  return api.request('POST', `/v3/users/${user.id}/OS-TWO-FACTOR/two_factor_auth`, sent);
}

/** A user with two-factor authentication, and the authenticator app. The token is that of a login by password, which turned it on. */
export async function makeTwoFactorPerson(api: TestApi) {
  const person = await makePerson(api);
  const answer = await enable(api, person.user, undefined, { token: person.token });
  assert.equal(answer.status, 201, answer.text);
  const { two_factor_key: key, uri } = answer.body.two_factor_auth;
  return { ...person, key, uri, phone: new Phone(api, key) };
}

/** A token of a login with the password and a code. */
export async function tokenByCode(
  api: TestApi,
  { phone, ...person }: { user: { id: string }; password: string; phone: Phone },
): Promise<string> {
  const answer = await logInWith(api, person, { verification_code: phone.fresh() });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.get('x-subject-token')!;
}

/** Logs in with the password and the fields in `more`. */
export function logInWith(
  api: TestApi,
  person: { user: { id: string }; password: string },
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const user = { id: person.user.id, password: person.password, ...more };
  return api.post(
    '/v3/auth/tokens',
    { auth: { identity: { methods: ['password'], password: { user } } } },
    { token: null, headers },
  );
}
