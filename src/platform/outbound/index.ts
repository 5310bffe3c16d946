export { type PeerCertificate, shownCertificate } from './certificate.ts';
export {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
  type OutboundMethod,
  type OutboundOptions,
  type OutboundOutcome,
  type OutboundRequest,
} from './client.ts';
export { OutboundError, type OutboundErrorKind } from './error.ts';
export { guardedFetch } from './fetch.ts';
export { createExceptions } from './guard.ts';
export { hostPort } from './host-port.ts';
