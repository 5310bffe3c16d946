// What serves the requests: the pages, the steps of signing in, and the library's provider. Loaded with the first of these requests.
import type { Provider } from 'oidc-provider';
import type { RawExchange } from '../../platform/http/index.ts';
import type { Gate, Throttle } from '../../platform/limits/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import type { Access, FreshLogin } from '../access/index.ts';
import type { UserPermissionsReader } from '../app-roles/index.ts';
import type { Consumers } from '../consumers/index.ts';
import type { DelegatedAccess } from '../delegated-access/index.ts';
import type { Federation } from '../federation/index.ts';
import type { AcceptInvitation } from '../invitations/index.ts';
import type { Passwords } from '../passwords/index.ts';
import type { Pictures } from '../pictures/index.ts';
import type { Deps } from '../resource/index.ts';
import type { SessionTokens } from '../tokens/index.ts';
import type { Users } from '../users/index.ts';
import type { WalletProviders } from '../wallet-providers/index.ts';
import { createAccountHandler } from './account/account.ts';
import type { DataDeps } from './account/data.section.ts';
import type { RoleCredentialDeps } from './account/role-credentials.section.ts';
import { createConsoleHandler } from './console/console.ts';
import { createInvitationHandler } from './invitation/invitation.ts';
import type { Assets } from './pages/assets.ts';
import { createNewEmailPage, type NewEmailDeps } from './people/new-email.ts';
import { createPeoplePages, type PeoplePagesDeps } from './people/people.ts';
import type { AccessTokens } from './provider/access-tokens.ts';
import type { Accounts } from './provider/accounts.ts';
import { methodsOf, missingStrength } from './provider/acr.ts';
import type { CredentialCatalog } from './provider/credential-requests.ts';
import { createDpopProofs } from './provider/dpop-proofs.ts';
import type { OpenidKeys } from './provider/keys.ts';
import type { CreateCurrentProvider } from './provider/load.ts';
import type { Logouts } from './provider/logouts.ts';
import { registerPreAuthorizedGrant } from './provider/pre-authorized-grant.ts';
import type { GrantCounts } from './provider/provider.ts';
import type { Records } from './provider/records/records.ts';
import type { WalletNode, WalletNodeDeps } from './provider/wallet-node.ts';
import { handleRequest } from './requests.ts';
import { createInteractions } from './sign-in/interaction.ts';
import { createLeavingSignIn, type LeavingDeps } from './sign-in/leaving.ts';
import { registerPasswordGrant } from './sign-in/password-grant.ts';
import { createSignIn, type SignInDeps } from './sign-in/sign-in.ts';
import { createWebssoHandler } from './websso/websso.ts';

export interface OpenidDeps
  extends Pick<Deps, 'db' | 'clock' | 'change' | 'config' | 'log'>,
    Omit<SignInDeps, 'users' | 'generationOf'>,
    PeoplePagesDeps,
    Pick<NewEmailDeps, 'emailChange'>,
    LeavingDeps,
    DataDeps,
    Omit<RoleCredentialDeps, 'walletAddress'>,
    WalletNodeDeps {
  readonly access: Access;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly seal: Seal;
  readonly gate: Gate;
  readonly records: Records;
  readonly consumers: Consumers;
  readonly userPermissions: UserPermissionsReader;
  readonly accounts: Accounts;
  readonly pictures: Pictures;
  readonly accessTokens: AccessTokens;
  readonly logouts: Logouts;
  readonly freshLogin: FreshLogin;
  readonly acceptance: AcceptInvitation;
  readonly federation: Federation;
  readonly sessionTokens: SessionTokens;
  /** The credentials that applications may ask for. */
  readonly catalog: CredentialCatalog;
  readonly walletProviders: WalletProviders;
  readonly delegatedAccess: DelegatedAccess;
  /** Limits unfinished sign-ins by address. */
  readonly unfinished: Throttle;
  organizationsOf(userId: string): Promise<readonly { readonly name: string }[]>;
  /** The URL of the service; known once it listens. */
  issuer(): string;
}

/** What exists from the start. */
interface ServingParts {
  readonly assets: Assets;
  readonly keys: OpenidKeys;
  readonly wallet: WalletNode;
  readonly grants: GrantCounts;
  readonly createCurrentProvider: CreateCurrentProvider;
}

export function createServing(deps: OpenidDeps, { assets, keys, wallet, grants, createCurrentProvider }: ServingParts) {
  const { clock, records, config, gate, federation, issuer } = deps;
  const signIn = createSignIn({ ...deps, generationOf: deps.records.generationOf });
  const people = createPeoplePages(deps);
  const leaving = createLeavingSignIn(deps);
  const consentSeconds = config.refreshTokenSeconds;
  const interactions = createInteractions({ ...deps, ...people, signIn, leaving, consentSeconds, now: () => clock.now() });
  const account = createAccountHandler({ ...deps, walletAddress: wallet.pageAddress });
  const console = createConsoleHandler(deps);
  const websso = createWebssoHandler(deps);
  const newEmail = createNewEmailPage(deps);
  const invitation = createInvitationHandler(deps);
  const current = createCurrentProvider({
    ...deps,
    keys,
    brand: assets.brand,
    wallet,
    grants,
    needsMore: async (userId, amr, requested) => {
      const methods = methodsOf(amr);
      if (!(await deps.freshLogin.isEnough({ userId, methods }))) return true;
      const missing = missingStrength(amr, requested);
      if (missing === 0) return false;
      return (await signIn.canStrengthen({ userId, methods }, missing)) || (await signIn.nextSteps({ userId, methods })).code;
    },
    registerGrants(provider, library) {
      registerPasswordGrant(provider, library, signIn, records);
      registerPreAuthorizedGrant(provider, library, { ...deps, issuer: issuer(), proofs: createDpopProofs(deps) });
    },
  });
  const parts = {
    picture: deps.pictures.find,
    logo: deps.consumers.logoImage,
    gate,
    federation,
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
    issuer,
    walletProviders: deps.walletProviders,
  };
  return {
    provider: async (): Promise<Provider> => (await current()).provider,
    handle: (exchange: RawExchange): Promise<void> => handleRequest(parts, exchange),
  };
}

export type Serving = ReturnType<typeof createServing>;
