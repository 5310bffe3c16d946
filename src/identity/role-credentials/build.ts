// Roles as credentials in wallets: who issues them, what was issued, and signing in with them.
import { seconds } from '../../platform/clock.ts';
import { Throttle } from '../../platform/limits/index.ts';
import { FORMAT_NAMES } from '../../verifiable/formats/index.ts';
import { ISSUED_FORMATS, issuedFormatShownAs } from '../../verifiable/issuing/index.ts';
import { findUser } from '../directory/users/index.ts';
import { createWalletSignIn } from '../login/wallet-sign-in/index.ts';
import type { Provisioning } from '../provisioning/build.ts';
import { createIssuedCredentials, type IssuedCredentials } from './issued/index.ts';
import {
  type BroughtKey,
  createIssuerIdentity,
  createVerifierKeys,
  type IssuerIdentity,
  readBroughtKey,
  readBroughtVerifier,
  type VerifierKeys,
} from './issuer/index.ts';
import { createConfigurations, createRoleCredentials, ISSUANCE_LIMIT } from './issuing/index.ts';
import {
  type CredentialType,
  type CredentialTypes,
  createCredentialTargets,
  createCredentialTypeManagement,
  createPublishedTypes,
  issuedTypeOf,
} from './types/index.ts';

interface Issuing {
  readonly issuerIdentity: IssuerIdentity;
  readonly verifierKeys: VerifierKeys;
  readonly credentialTypes: CredentialTypes;
  readonly issuedCredentials: IssuedCredentials;
}

function buildIssued(below: Provisioning, issuing: Pick<Issuing, 'issuerIdentity' | 'credentialTypes'>) {
  const { records, walletProviders } = below;
  return createIssuedCredentials({
    ...below,
    credentialTypes: issuing.credentialTypes,
    signer: issuing.issuerIdentity,
    async onWithdrawn(transaction, { user_id: userId, client_id: clientId }, by) {
      await records.endWalletSessions(transaction, userId);
      // By all its authorizations, a wallet of a provider could get the next one. Others are not authorized beyond some minutes.
      if (by === 'holder' && clientId !== null && walletProviders.wallet(clientId))
        await records.endWallet(transaction, userId, clientId);
    },
  });
}

/** An operator who brought one chain only, brought it for both. */
function buildVerifierKeys(below: Provisioning, issuerIdentity: IssuerIdentity, ofIssuer: BroughtKey | undefined): VerifierKeys {
  const { clock, config, log } = below;
  const brought = readBroughtVerifier(config, { now: seconds(clock), log });
  const isShared = brought === undefined && ofIssuer !== undefined;
  if (isShared && !ofIssuer.signsRequests)
    log.warn(
      'the certificate of the issuer of credentials is not one for requests to wallets, so that wallets may refuse these; set GATEHOUSE_IDENTITY_VERIFIER_CERT_FILE',
    );
  return createVerifierKeys({ ...below, brought, ...(isShared ? { issuerChain: issuerIdentity } : {}) });
}

/** With credentials that were issued here or by others. */
function buildWalletSignIn(below: Provisioning, { issuerIdentity, verifierKeys, credentialTypes, issuedCredentials }: Issuing) {
  /** An application that somebody allowed to receive a credential of theirs can show their roles with it. It cannot become them. */
  const isOfWallet = ({ clientId }: { readonly clientId: string | null }): boolean =>
    clientId === null || below.isWallet(clientId);
  return createWalletSignIn({
    ...below,
    identity: issuerIdentity,
    requestSigner: verifierKeys.signer,
    stateOf: async (tx, list, index) => {
      const found = await issuedCredentials.stateOf(tx, list, index);
      return found && isOfWallet(found) ? found : undefined;
    },
    providers: below.federation.walletProviders,
    async ownTypes() {
      const types = [...(await credentialTypes.list({ enabled: true }))].sort((one, other) => one.createdAt - other.createdAt);
      return FORMAT_NAMES.flatMap((format) => {
        const issued = issuedFormatShownAs(format);
        if (!issued) return [];
        const own = types.filter(({ formats }) => formats.some((name) => ISSUED_FORMATS[name].shownAs === format));
        const namesOf = (type: CredentialType) => issued.queryNames(issuedTypeOf(issuerIdentity.id(), type));
        const named = own.flatMap((type) => namesOf(type).map((names) => ({ applicationId: type.applicationId, names })));
        return [{ queryId: issued.queryId, format, types: named }];
      });
    },
    hasCredential: async (userId) => (await issuedCredentials.receiversOf(userId)).some((clientId) => isOfWallet({ clientId })),
  });
}

/** `credentialTypes` are older than all rooms: every change may make a credential untrue. */
export function buildRoleCredentials(below: Provisioning, credentialTypes: CredentialTypes) {
  const { clock, config, log, rateLimits, walletPolicy, isWallet, notices } = below;
  const start = { now: seconds(clock), log };
  const brought = readBroughtKey(config, start);
  const issuerIdentity = createIssuerIdentity({ ...below, brought });
  const verifierKeys = buildVerifierKeys(below, issuerIdentity, brought);
  const issuedCredentials = buildIssued(below, { issuerIdentity, credentialTypes });
  const configurations = createConfigurations({ types: credentialTypes, identity: issuerIdentity, isHaip: config.haip });
  const walletSignIn = buildWalletSignIn(below, { issuerIdentity, verifierKeys, credentialTypes, issuedCredentials });
  below.domainSettings.checks.push(({ wallet }, reader) =>
    walletSignIn.refuseImpossible({ ...config, walletSignIn: wallet.signIn }, reader),
  );
  return {
    ...below,
    issuerIdentity,
    verifierKeys,
    credentialTypes,
    issuedCredentials,
    ...issuedCredentials.routeDeps,
    configurations,
    credentialTypeManagement: createCredentialTypeManagement({ ...below, signsDocuments: issuerIdentity.signsDocuments }),
    credentialTargets: createCredentialTargets(below),
    publishedTypes: createPublishedTypes({ ...below, issuerIdentity, credentialTypes, language: () => config.mailLanguage }),
    roleCredentials: createRoleCredentials({
      ...below,
      types: credentialTypes,
      configurations,
      identity: issuerIdentity,
      issued: issuedCredentials,
      limit: new Throttle(rateLimits ? ISSUANCE_LIMIT : undefined, clock),
      // Like any other new way to sign in.
      async onIssued(transaction, { userId, clientId, name }) {
        const user = isWallet(clientId) ? await findUser(transaction.tx, userId) : undefined;
        if (user && ((await walletPolicy.isAllowed(user, 'first')) || (await walletPolicy.isAllowed(user, 'second'))))
          await notices.credential(transaction, userId, name);
      },
    }),
    walletSignIn,
  };
}

export type RoleCredentialsRoom = ReturnType<typeof buildRoleCredentials>;
