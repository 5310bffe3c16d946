// HTTP: an App of routes with schemas, and the server for it.
export {
  Answer,
  type App,
  type Call,
  createApp,
  type Documentation,
  type DocumentedRoute,
  type Method,
  type Query,
  type Route,
  type Target,
} from './app.ts';
export { readBody } from './bodies.ts';
export { type CertificateOf, createCertificateOf, readCertificateHeader } from './client-certificate.ts';
export { disconnectSignal } from './exchange.ts';
export { parseJson } from './json.ts';
export type { MemoryAnswer, MemoryPath, Mount, RawExchange } from './mounts.ts';
export { outageOf } from './outage.ts';
export { isOfThisMachine, otherNameOf, otherNamesOf } from './page-address.ts';
export { mountProbes, type ReadinessChecks } from './probes.ts';
export {
  exampleOfResource,
  ProtectedResource,
  protectedResource,
  protectedResourcePath,
  resourceMetadata,
} from './protected-resource.ts';
export type { AnsweredCall, ErrorFormat } from './replies.ts';
export type { Schema, Static } from './schema.ts';
export * as t from './schema.ts';
export { createServer, type Server } from './server.ts';
export { type Problem, problemsOf, serialize, validate } from './validate.ts';
