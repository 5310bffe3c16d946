// Providers of wallets that are trusted: they attest wallets, and keys in them.
// From a file. Attestations of wallets are checked in openid/provider/attested-wallets.ts, those of keys in
// role-credentials/issuing/key-attestations.ts.
export { AttestationError, readWalletProviders, type WalletProviders } from './providers.ts';
