// Consumers: applications registered to consume OAuth2 resources.
export { mountConsumers } from './consumers.routes.ts';
export {
  BUILT_IN_APPLICATION,
  type Consumers,
  type ConsumerValues,
  type ConsumerWithSecret,
  createConsumers,
  tagOfConsumer,
} from './consumers.rules.ts';
export { findConsumer } from './consumers.store.ts';
export { afterLogoutOf, ID_TOKEN_ALGORITHMS, openidFieldsOf } from './openid-fields.ts';
export { isNative, misfit } from './redirect-uris.ts';
