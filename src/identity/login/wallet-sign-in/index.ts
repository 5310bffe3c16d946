// Signing in with a wallet: a credential that was issued here signs its holder in, and one of another issuer whom a provider trusts.
// requests.rules.ts asks, answers.rules.ts verifies what a wallet shows (OID4VP 1.0), entry.rules.ts lets its holder in, once and by the state
// of the credential at that moment; policy.ts says who may. provider-credentials.ts verifies those of other issuers.
export { WalletAnswerError } from './answers.rules.ts';
export {
  type CredentialState,
  type ProviderCredential,
  type StateOf,
  type VerifierIdentity,
  WALLET_SECONDS,
  type WalletRecords,
  type WalletRequests,
} from './data.ts';
export type { EnteredBy, WalletProof } from './entry.rules.ts';
export { createWalletPolicy, type WalletPlace } from './policy.ts';
export type { OwnTypes } from './query.ts';
export { createWalletSignIn, type WalletSignIn } from './wallet-sign-in.ts';
