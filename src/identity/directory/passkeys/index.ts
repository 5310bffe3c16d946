// Passkeys (WebAuthn): how a person signs in without a password, or with one as the second factor.
// ceremonies.ts verifies them, policy.ts says who may and must.
export { mountPasskeys } from './passkeys.routes.ts';
export { createPasskeys, type KeptSession, type PasskeyQuestion, type Passkeys, type PasskeyUse } from './passkeys.rules.ts';
export { createPasskeyPolicy, type PasskeyPolicy } from './policy.ts';
export { type RelyingParty, relyingPartyOf } from './relying-party.ts';
