// How clients prove themselves, beside secrets: by a signed assertion (RFC 7523), or by the certificate of their connection (RFC 8705, certificates.ts).
// An assertion is checked here, by one function for every endpoint at which clients authenticate. The library gets one of our own instead
// (library-assertions.ts), and introspection, which is ours, the client. client-keys.ts reads the keys of clients, by value or from their address.

export { type ClientAssertions, ClientAuthenticationError, createClientAssertions } from './assertions.ts';
export {
  type AuthenticatedClient,
  type Authenticator,
  type ClientRequest,
  createAuthenticator,
  credentialsFromHeader,
} from './authenticator.ts';
export { type ClientCertificates, createClientCertificates } from './certificates.ts';
export { AUTHENTICATING_PATHS, audiencesAt, type CheckedRequestDeps, withCheckedAssertion } from './checked-requests.ts';
export { type ClientKeys, createClientKeys } from './client-keys.ts';
export { withBody } from './form-body.ts';
export { createLibraryAssertions, type LibraryAssertions } from './library-assertions.ts';
