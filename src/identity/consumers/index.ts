// Consumers: applications registered to consume OAuth2 resources.
export { mountConsumers } from './consumers.routes.ts';
export { type Consumers, type ConsumerWithSecret, createConsumers } from './consumers.rules.ts';
export { findConsumer } from './consumers.store.ts';
