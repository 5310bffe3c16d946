// Consumers: applications registered to consume OAuth2 resources.
// logo.rules.ts is their logo, served at /openid/logos to everybody.
export {
  authenticationOf,
  authenticationStamp,
  introspectionAlgorithmOf,
  provesItselfByKey,
  type RegisteredAuthentication,
  securityProfileOf,
} from './authentication.ts';
export { BUILT_IN_APPLICATION } from './built-in.ts';
export {
  CERTIFICATE_NAMES,
  type CertificateName,
  CLIENT_AUTHENTICATION_METHODS,
  CLIENT_AUTHENTICATIONS,
  type ClientAuthenticationMethod,
  type ClientProof,
} from './client-authentications.ts';
export {
  CLIENT_KEY_ALGORITHMS,
  type ClientKey,
  type ClientKeyAlgorithm,
  certificateThumbprint,
  isClientKeySet,
  readClientKeys,
} from './client-keys.ts';
export { mountConsumers } from './consumers.routes.ts';
export { type Consumers, createConsumers } from './consumers.rules.ts';
export { findConsumer, namesOfConsumers } from './consumers.store.ts';
export type { NewConsumer } from './create.rules.ts';
export { tagOfConsumer } from './deps.ts';
export type { ConsumerValues } from './ensure.rules.ts';
export { grantsOf } from './grants.ts';
export { logoPath } from './logo-image.ts';
export {
  attributesOf,
  CIBA,
  DEVICE,
  GRANTS,
  ID_TOKEN_ALGORITHMS,
  OPENID_SCOPES,
  openidFieldsOf,
  PRE_AUTHORIZED,
  postLogoutUrisOf,
  SIGN_IN_STRENGTHS,
  SKIP_CONSENT,
  TOKEN_EXCHANGE,
} from './openid-fields.ts';
export { isLoopback, isNative, isOnOwnSite, isRedirectUri, redirectUriConflict } from './redirect-uris.ts';
export { isStrangers, type RegistrationColumns } from './registration.ts';
export type { ConsumerWithSecret } from './secrets.rules.ts';
export {
  impliedBy,
  PROFILE_ALGORITHMS,
  profileOf,
  SECURITY_PROFILE,
  SECURITY_PROFILE_NAMES,
  SECURITY_PROFILES,
  type SecurityProfile,
} from './security-profiles.ts';
export { mayAskPeople, pingEndpointOf } from './sign-in-requests.ts';
export { hasLostSince } from './taken-away.ts';
export type { WorkloadIdentity } from './workload-identities.ts';
