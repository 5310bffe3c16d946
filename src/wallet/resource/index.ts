// Shared by all resources of the wallet API: lists, schema parts, idempotency, and the error format.
export { commonHeaders, Problem, problemCode, problemErrors, REQUEST_ID_HEADER } from './error-format.ts';
export {
  createIdempotency,
  IDEMPOTENCY_MS,
  type Idempotency,
  type IdempotentRequest,
  notIdempotent,
} from './idempotency.store.ts';
export { createListCache, type ListCache } from './list-cache.ts';
export { type ListPage, PAGED, pageAnswer, pageOf, pageQuery } from './lists.ts';
export { Alias, CREATED, described, EmptyBody, ForceQuery, flag, IDEMPOTENT, time } from './schemas.ts';
