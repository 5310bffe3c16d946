// Callbacks and error handling for the libraries of OID4VCI and OID4VP.
export { createCallbacks, OAUTH_TEXT, protocolError, upstreamFault, type WalletSigner, withUpstreamFaults } from './openid4vc.ts';
