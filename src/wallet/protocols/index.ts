// What the libraries for OID4VCI and OID4VP get of us.
export { calling, createCallbacks, protocolError, type Signer, upstreamFault, WORD } from './openid4vc.ts';
