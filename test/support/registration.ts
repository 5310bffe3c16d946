// The calls of Keyrock's portal, which registers people with an administrator's token.
import { assertOk } from './answers.ts';
import { type ApiAnswer, type RequestOptions, type TestApi, uniqueName } from './api.ts';

export const REGISTRATION = '/v3/OS-REGISTRATION';
export const PASSWORD = 'the first password of ann';

export class RegistrationClient {
  readonly #api: TestApi;
  constructor(api: TestApi) {
    this.#api = api;
  }

  /** Registers someone; fails unless that works. */
  async registered(values: Record<string, unknown> = {}): Promise<any> {
    const username = uniqueName('ann');
    const user = { name: `${username}@example.org`, username, password: PASSWORD, domain_id: 'default', ...values };
    return assertOk(await this.register(user), 201).user;
  }

  /** Registers and activates someone. */
  async activated(values: Record<string, unknown> = {}): Promise<any> {
    const user = await this.registered(values);
    return assertOk(await this.activate(user, user.activation_key)).user;
  }

  register = (user: Record<string, unknown>, options?: RequestOptions): Promise<ApiAnswer> =>
    this.#api.post(`${REGISTRATION}/users`, { user }, options);
  askKey = ({ id }: { id: string }, options?: RequestOptions): Promise<ApiAnswer> =>
    this.#api.get(`${REGISTRATION}/users/${id}/activate`, options);
  activate = ({ id }: { id: string }, key: string, options?: RequestOptions): Promise<ApiAnswer> =>
    this.#api.request('PATCH', `${REGISTRATION}/activate/${key}/users/${id}`, options);
  askToken = ({ id }: { id: string }, options?: RequestOptions): Promise<ApiAnswer> =>
    this.#api.get(`${REGISTRATION}/users/${id}/reset_password`, options);
  reset = ({ id }: { id: string }, token: string, password: string, options?: RequestOptions): Promise<ApiAnswer> =>
    this.#api.patch(`${REGISTRATION}/reset_password/${token}/users/${id}`, { user: { password } }, options);

  newKey = async (user: { id: string }): Promise<string> => assertOk(await this.askKey(user)).activation_key.id;
  newToken = async (user: { id: string }): Promise<string> => assertOk(await this.askToken(user)).reset_token.id;
}

/** Who confirms registrations in all domains; null: the person alone. */
export const confirmedBy = async (api: TestApi, who: 'administrator' | null): Promise<void> => {
  assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_REGISTRATION_CONFIRMED_BY: who } }));
};

/** Somebody who registered by the portal, and waits for approval. */
export async function makeWaiting(api: TestApi, values: Record<string, unknown> = {}): Promise<any> {
  await confirmedBy(api, 'administrator');
  const user = await new RegistrationClient(api).activated(values);
  await confirmedBy(api, null);
  return user;
}

export const WAITING = `${REGISTRATION}/waiting`;
export const approve = (api: TestApi, id: string, options?: RequestOptions): Promise<ApiAnswer> =>
  api.request('POST', `${WAITING}/${id}/approve`, options);
export const refuse = (api: TestApi, id: string, reason?: string, options?: RequestOptions): Promise<ApiAnswer> =>
  api.post(`${WAITING}/${id}/refuse`, { refusal: reason === undefined ? {} : { reason } }, options);
