// APIs, and what their tokens say.
import { assertOk } from './answers.ts';
import { type TestApi, uniqueName } from './api.ts';

export interface MadeApi {
  readonly id: string;
  readonly identifier: string;
  readonly name: string;
}

export const READ = { name: 'papers:read', description: 'to read your papers' };
export const WRITE = { name: 'papers:write', description: 'to write papers in your name' };

/** An API that every application may ask for, unless the values say otherwise. */
export async function makeApi(api: TestApi, values: Record<string, unknown> = {}): Promise<MadeApi> {
  const name = uniqueName('api');
  const identifier = `https://${name}.example.org/`;
  const body = { api: { identifier, name, scopes: [READ, WRITE], applications: null, ...values } };
  return assertOk(await api.post('/v3/OS-OAUTH2/apis', body), 201).api;
}

export const changeApi = async (api: TestApi, { id }: { readonly id: string }, values: Record<string, unknown>): Promise<void> =>
  void assertOk(await api.patch(`/v3/OS-OAUTH2/apis/${id}`, { api: values }));

export const removeApi = async (api: TestApi, { id }: { readonly id: string }): Promise<void> =>
  void assertOk(await api.delete(`/v3/OS-OAUTH2/apis/${id}`), 204);

export const jwtPart = (token: string, part: 0 | 1): any =>
  JSON.parse(Buffer.from(token.split('.')[part]!, 'base64url').toString());
