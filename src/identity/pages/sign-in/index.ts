// /openid/interaction: the steps of signing in, and consent. The password grant uses the same steps.

export { newKey, recoveryCodes, recoveryCodesFile, type ShownKey, securityQuestion } from './factor-forms.ts';
export { createInteractions, type Interactions } from './interaction.ts';
export { createKeepAccountLogins, type KeepAccountLoginDeps } from './keep-account-login.ts';
export { newPasskeyForm } from './passkey-forms.ts';
export { registerPasswordGrant } from './password-grant.ts';
export { handleProviderRequest, type ProviderRequestDeps } from './provider-requests.ts';
export { createSignIn, type SignInDeps } from './sign-in.ts';
export { dashboardPage, expiredPage, notSignedInPage, type PageLink, signInPage } from './sign-in-pages.ts';
export { type WalletRequestsDeps, walletRequestAt } from './wallet-requests.ts';
