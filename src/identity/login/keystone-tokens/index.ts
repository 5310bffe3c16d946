// Tokens that a Keystone issued, by which people go on working while they move here. Its keys open them; who is meant, and what they may do, is
// decided here (ADR 036). fernet.ts and payloads.ts read the usual kind, jws.ts the other, claims.ts makes a token of ours of what they say.
export { createKeystoneTokens, KEYSTONE_CLOCK_MS, type KeystoneTokens } from './keystone-tokens.ts';
