// The identity service as the OpenID provider of a wallet node in tests.
import type { TestApi } from './api.ts';
import { PlainProvider } from './plain-provider.ts';

/** Like `gatehouse start`: the wallet node is registered with the identity service as soon as it listens. */
export class OurProvider extends PlainProvider {
  readonly #api: TestApi;
  walletUrl = (): string => '';

  constructor(api: TestApi) {
    super();
    this.#api = api;
    this.scopes = 'openid profile email roles offline_access';
  }
  override async start(): Promise<this> {
    await this.#api.start();
    this.issuer = this.#api.service.issuer();
    return this;
  }
  override stop(): Promise<void> {
    return this.#api.stop();
  }
  override client(): Promise<{ clientId: string; clientSecret: string }> {
    return this.#api.service.registerWallet(this.walletUrl());
  }
}
