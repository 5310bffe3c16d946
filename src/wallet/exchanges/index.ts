// Exchanges with issuers and verifiers, and their log.
export { continueExchanges } from './continue.ts';
export { type Exchange, exchangePlace, type Protocol, type Step } from './exchange.ts';
export { mountExchanges } from './exchanges.routes.ts';
export { createExchanges, type Exchanges } from './exchanges.ts';
export { isAnswered, isOver } from './states.ts';
