// Exchanges with issuers and verifiers, and their log.
export { continueExchanges } from './continue.ts';
export { mountExchanges } from './exchanges.routes.ts';
export {
  createExchanges,
  type Exchange,
  type Exchanges,
  exchangePlace,
  type Protocol,
  type Step,
} from './exchanges.ts';
export { isAnswered, isOver } from './states.ts';
