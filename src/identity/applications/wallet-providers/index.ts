// Providers of wallets that are trusted: they attest wallets, and keys in them.
export { AttestationError, readWalletProviders, type WalletProviders } from './providers.ts';
