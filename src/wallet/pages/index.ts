// The pages of the wallet, for browsers.
export { createWalletPages, type WalletPages } from './pages.ts';
