// Programs that act for a person: application credentials, and logins with them.
import { assertOk } from './answers.ts';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';

export interface Program {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
}

/** Whose it is, with a token of a login. */
export interface ProgramOwner {
  readonly user: { readonly id: string };
  readonly token: string;
}

/** `values`: of the application credential, such as `{ unrestricted: true }`. */
export async function makeProgram(api: TestApi, { user, token }: ProgramOwner, values: object = {}): Promise<Program> {
  const path = `/v3/users/${user.id}/application_credentials`;
  const made = await api.post(path, { application_credential: { name: uniqueName('program'), ...values } }, { token });
  return assertOk(made, 201).application_credential;
}

/** A login with it; may fail. */
export function useProgram(
  api: TestApi,
  { id, secret }: Pick<Program, 'id' | 'secret'>,
  { scope, headers = {} }: { readonly scope?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<ApiAnswer> {
  const identity = { methods: ['application_credential'], application_credential: { id, secret } };
  return api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null, headers });
}

export async function tokenOfProgram(api: TestApi, program: Pick<Program, 'id' | 'secret'>): Promise<string> {
  const login = await useProgram(api, program);
  assertOk(login, 201);
  return login.headers.get('x-subject-token')!;
}

/** A token of a new program of the person. */
export const programTokenOf = async (api: TestApi, owner: ProgramOwner, values: object = {}): Promise<string> =>
  tokenOfProgram(api, await makeProgram(api, owner, values));
