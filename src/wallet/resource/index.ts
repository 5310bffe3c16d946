// What every noun of the wallet's API shares: lists, parts of schemas, requests that are repeated, and how it refuses.
export { commonHeaders, Problem, problemCode, problemErrors, REQUEST_ID_HEADER } from './error-format.ts';
export { always, createIdempotency, IDEMPOTENCY_MS, type Idempotency, type Once } from './idempotency.store.ts';
export { createListCache, type ListCache } from './list-cache.ts';
export { PAGED, type Page, pageAnswer, pageOf, pageQuery } from './lists.ts';
export { Alias, CREATED, ForceQuery, flag, Nothing, ONCE, time } from './schemas.ts';
