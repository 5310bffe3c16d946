// Exchanges with issuers and verifiers, and their log.
export { continueExchanges } from './continue.ts';
export { mountExchanges } from './exchanges.routes.ts';
export {
  ANSWERING,
  createExchanges,
  type Exchange,
  type Exchanges,
  exchangePlace,
  OVER,
  type Protocol,
  type Step,
} from './exchanges.ts';
