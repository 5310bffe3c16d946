// Exchanges with issuers and verifiers, and their log.
export { continueExchanges } from './continue.ts';
export { type Exchange, type ExchangeStep, exchangeSealContext, type Protocol } from './exchange.ts';
export { mountExchanges } from './exchanges.routes.ts';
export { createExchanges, type Exchanges } from './exchanges.ts';
export { isAnswered, isFinished } from './states.ts';
export { type ExchangeSummary, summarySealContext } from './summary.ts';
