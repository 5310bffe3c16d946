// Credential offers of the identity service, for wallets that the suite plays.
import type { CredentialOffer, OfferGrant, RegisteredPerson, Registrations } from './registrations.ts';

/** Offers that a wallet of the suite waits for. */
export class Offers {
  readonly #registrations: Registrations;
  /** Of the plan of this moment. */
  #wanted: { readonly to: RegisteredPerson; readonly configuration: string; readonly grant: OfferGrant } | undefined;
  #last: CredentialOffer | undefined;

  constructor(registrations: Registrations) {
    this.#registrations = registrations;
  }

  want(to: RegisteredPerson, configuration: string, grant: OfferGrant): void {
    this.#wanted = { to, configuration, grant };
  }

  /** The wallet opens the link. */
  async give(endpoint: string): Promise<void> {
    const { to, configuration, grant } = this.#wanted!;
    this.#last = await this.#registrations.offer(to, configuration, grant);
    await this.#open(endpoint, new URL(this.#last.uri).searchParams);
  }

  /** The person types the code of it. */
  giveCode = (endpoint: string): Promise<void> => this.#open(endpoint, new URLSearchParams({ code: this.#last!.tx_code! }));

  async #open(endpoint: string, values: URLSearchParams): Promise<void> {
    const url = new URL(endpoint);
    for (const [name, value] of values) url.searchParams.set(name, value);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status}`);
  }
}
