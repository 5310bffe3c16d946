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
