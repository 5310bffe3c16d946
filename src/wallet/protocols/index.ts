// What the libraries for OID4VCI and OID4VP get of us.
export { createCallbacks, OAUTH_TEXT, protocolError, upstreamFault, type WalletSigner, withUpstreamFaults } from './openid4vc.ts';
