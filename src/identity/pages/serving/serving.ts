// What serves the requests: the pages, the steps of signing in, and the library's provider. Loaded with the first of these requests.
import type { Provider } from 'oidc-provider';
import type { CertificateOf, RawExchange } from '../../../platform/http/index.ts';
import type { Gate, Throttle } from '../../../platform/limits/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Access } from '../../access/context/index.ts';
import type { FreshLogin } from '../../access/rules/index.ts';
import type { Apis } from '../../applications/apis/index.ts';
import type { UserPermissionsReader } from '../../applications/app-roles/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import type { DelegatedAccess } from '../../delegation/delegated-access/index.ts';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import type { Pictures } from '../../directory/pictures/index.ts';
import type { LoginRequirements } from '../../directory/two-factor/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Assets, Previews } from '../../ground/look/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { SessionTokens } from '../../login/tokens/index.ts';
import type {
  ClientAssertions,
  ClientCertificates,
  ClientKeys,
  LibraryAssertions,
} from '../../openid/client-authentication/index.ts';
import {
  type AccessTokens,
  type Accounts,
  type ApiTokens,
  type CreateCurrentProvider,
  type CredentialCatalog,
  createDpopProofs,
  type GrantCounts,
  type Logouts,
  methodsOf,
  missingStrength,
  type OpenidKeys,
  registerPreAuthorizedGrant,
  registerTokenExchange,
  type WalletNode,
  type WalletNodeDeps,
} from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { SignInRequests } from '../../openid/sign-in-requests/index.ts';
import type { AcceptInvitation } from '../../provisioning/invitations/index.ts';
import type { TermsAtSignIn } from '../../provisioning/people/index.ts';
import { createAccountHandler, type DataDeps, type RoleCredentialDeps } from '../account/index.ts';
import { createConsoleHandler } from '../console/index.ts';
import { createInvitationHandler } from '../invitation/index.ts';
import { createNewEmailPage, createPeoplePages, type NewEmailDeps, type PeoplePagesDeps } from '../people/index.ts';
import {
  createInteractions,
  createKeepAccountLogins,
  createSignIn,
  type KeepAccountLoginDeps,
  registerPasswordGrant,
  type SignInDeps,
} from '../sign-in/index.ts';
import { createWebssoHandler } from '../websso/index.ts';
import { createPreviewPages } from './previews.ts';
import { handleRequest } from './requests.ts';

export interface OpenidDeps
  extends Pick<Deps, 'db' | 'clock' | 'change' | 'config' | 'log'>,
    Omit<SignInDeps, 'users' | 'generationOf'>,
    PeoplePagesDeps,
    Pick<NewEmailDeps, 'emailChange'>,
    KeepAccountLoginDeps,
    DataDeps,
    Omit<RoleCredentialDeps, 'walletAddress'>,
    WalletNodeDeps {
  readonly access: Access;
  readonly assets: Assets;
  readonly domainLooks: DomainLooks;
  readonly previews: Previews;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly seal: Seal;
  readonly gate: Gate;
  readonly records: Records;
  readonly consumers: Consumers;
  readonly clientRegistration: ClientRegistration;
  readonly userPermissions: UserPermissionsReader;
  readonly accounts: Accounts;
  readonly pictures: Pictures;
  readonly accessTokens: AccessTokens;
  readonly apiTokens: ApiTokens;
  readonly apis: Apis;
  readonly signInRequests: SignInRequests;
  readonly logouts: Logouts;
  readonly openidKeys: OpenidKeys;
  readonly freshLogin: FreshLogin;
  readonly requirements: LoginRequirements;
  readonly acceptance: AcceptInvitation;
  readonly termsAtSignIn: TermsAtSignIn;
  readonly federation: Federation;
  readonly sessionTokens: SessionTokens;
  /** The credentials that applications may ask for. */
  readonly catalog: CredentialCatalog;
  readonly walletProviders: WalletProviders;
  readonly delegatedAccess: DelegatedAccess;
  readonly certificateOf: CertificateOf;
  /** Limits unfinished sign-ins by address. */
  readonly unfinished: Throttle;
  /** Limits token exchanges, by application and person. */
  readonly exchanges: Throttle;
  organizationsOf(userId: string): Promise<readonly { readonly name: string }[]>;
  /** The URL of the service; known once it listens. */
  issuer(): string;
}

/** What exists from the start. */
interface ServingDeps {
  readonly keys: OpenidKeys;
  readonly wallet: WalletNode;
  readonly grants: GrantCounts;
  readonly clientKeys: ClientKeys;
  readonly clientAssertions: ClientAssertions;
  readonly clientCertificates: ClientCertificates;
  readonly libraryAssertions: LibraryAssertions;
  readonly createCurrentProvider: CreateCurrentProvider;
}

export function createServing(deps: OpenidDeps, parts: ServingDeps) {
  const { wallet, clientAssertions, libraryAssertions, createCurrentProvider } = parts;
  const { clock, records, gate, federation, issuer, assets } = deps;
  const signIn = createSignIn({ ...deps, generationOf: deps.records.generationOf });
  const people = createPeoplePages(deps);
  const keepAccountLogins = createKeepAccountLogins(deps);
  const interactions = createInteractions({
    ...deps,
    ...people,
    signIn,
    keepAccountLogins,
    now: () => clock.now(),
  });
  const needsMore = async (userId: string, amr: readonly string[], requested: readonly string[]): Promise<boolean> => {
    const methods = methodsOf(amr);
    if (!(await deps.freshLogin.isEnough({ userId, methods }))) return true;
    const missing = missingStrength(amr, requested);
    if (missing === 0) return false;
    return (await signIn.canStrengthen({ userId, methods }, missing)) || (await signIn.nextSteps({ userId, methods })).code;
  };
  const account = createAccountHandler({ ...deps, needsMore, walletAddress: wallet.pageAddress });
  const console = createConsoleHandler(deps);
  const websso = createWebssoHandler(deps);
  const newEmail = createNewEmailPage(deps);
  const invitation = createInvitationHandler(deps);
  const current = createCurrentProvider({
    ...deps,
    ...parts,
    brand: () => assets.brand,
    needsMore,
    registerGrants(provider, library) {
      registerPasswordGrant(provider, library, signIn, records);
      const proofs = createDpopProofs(deps);
      registerPreAuthorizedGrant(provider, library, { ...deps, issuer: issuer(), proofs });
      registerTokenExchange(provider, library, { ...deps, issuer: issuer(), proofs });
    },
  });
  const handlers = {
    picture: deps.pictures.find,
    logo: deps.consumers.logoImage,
    domainPicture: deps.domainLooks.image,
    gate,
    federation,
    records,
    walletSignIn: deps.walletSignIn,
    interactions,
    account,
    console,
    websso,
    invitation,
    people,
    newEmail,
    current,
    assets,
    preview: createPreviewPages(deps),
    issuer,
    log: deps.log,
    clientAssertions,
    libraryAssertions,
    walletProviders: deps.walletProviders,
  };
  return {
    provider: async (): Promise<Provider> => (await current()).provider,
    handle: (exchange: RawExchange): Promise<void> => handleRequest(handlers, exchange),
  };
}

export type Serving = ReturnType<typeof createServing>;
