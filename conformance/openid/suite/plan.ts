// What a plan is to the driver: a variant, a service, somebody who acts, and what the suite is told.
import type { Variant } from './api.ts';
import type { Holder } from './holder.ts';
import type { Offers } from './offers.ts';
import type { RegisteredPerson, Registrations } from './registrations.ts';
import type { Signer } from './signers.ts';

export interface Setting {
  /** The address of the service under test. */
  readonly service: string;
  readonly suite: string;
  readonly registrations: Registrations;
  /** Of wallets, which the service trusts. The suite plays it. */
  readonly provider: Signer;
  /** Who signs in at the service: one who agrees, and one who does not. */
  readonly people: readonly RegisteredPerson[];
  /** Where the suite says that the person answers. */
  readonly answers: { readonly url: string; asked: RegisteredPerson | undefined; readonly asking: string[] };
  /** What the service offers to wallets that wait for it. */
  readonly offers: Pick<Offers, 'want'>;
  /** If there is one beside the service. */
  readonly node?: WalletNode;
}

/** The wallet node, and whom it trusts. */
export interface WalletNode {
  readonly url: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly jwks: object;
  /** Who attests it and its keys: a certificate in PEM. */
  readonly attester: string;
  readonly holder: Pick<Holder, 'receive'>;
  /** The suite as an issuer and as a verifier. */
  readonly suiteIssuer: Signer;
  readonly suiteVerifier: Signer;
}

/** Kinds of services, with other settings: plans of the same kind share one. */
export type ServiceKind = 'usual' | 'certificates' | 'registration' | 'issuer' | 'verifier' | 'named-verifier' | 'node' | 'login';

/** Our sign-in as a client: usual, answered by forms, with the rules of FAPI 2.0, or registering itself. */
export type ClientName = 'client' | 'form client' | 'fapi client' | 'registering client';

export interface PlanRun {
  readonly plan: string;
  readonly variant: Variant;
  readonly service: ServiceKind;
  /** The person at the browser of a provider, if nothing is said. */
  readonly actor?: 'provider' | 'issuer' | 'verifier' | ClientName | 'wallet' | 'elsewhere' | 'login';
  /** Each module has a plan of its own, with a configuration of its own. */
  readonly isMadeAnew?: boolean;
  /** Modules that are not for this variant, which the suite lists all the same. They are not started. */
  readonly notApplicable?: readonly string[];
  /** The configuration of the suite. */
  config(setting: Setting): Promise<object>;
}

/** One that is not run by this driver. */
export interface PlanLeft {
  readonly plan: string;
  /** Only these variants of it, in words. */
  readonly variants?: string;
  readonly why: string;
}
