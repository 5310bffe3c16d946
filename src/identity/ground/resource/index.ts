// Shared by all resources of the base API: lists and filters, extra attributes, conflicts, errors.
// preconditions.ts is ETag and If-Match, error-format.ts the errors of each API, news.ts how a room reaches those above it.
export { bit, Extra, extraOf, membersOf, mergeExtra, mergeOptions, parseJson, withExtra } from './attributes.ts';
export { duplicateName, failOnBrokenReference, failOnDuplicate, failOnDuplicateName } from './conflicts.ts';
export type { Deps } from './deps.ts';
export { endedAt } from './ended-tokens.store.ts';
export { commonHeaders, KeystoneError, keystoneErrors, OAuthError, oauthErrors, REQUEST_ID_HEADER } from './error-format.ts';
export { microsecondsIn, readExpiry } from './expiry.ts';
export { refuseImmutable } from './immutable.ts';
export { readNamedPage } from './lists.store.ts';
export {
  applyCriteria,
  type Criterion,
  criteriaOf,
  type Filters,
  filterDocumentation,
  foundPage,
  Links,
  ListLinks,
  type ListQuery,
  listAnswer,
  listOf,
  MAX_PAGE,
  NAME_AND_CREATION,
  PAGE_DOCUMENTATION,
  pageOf,
  readFlag,
  type SortColumns,
  searchDocumentation,
  searchOf,
  single,
  USER_LIST_DOCUMENTATION,
  whereEquals,
  wholeList,
} from './lists.ts';
export { createInquiry, createNews, createQuestion } from './news.ts';
export { CHANGE_IF_MATCH, callerIfMatch, DELETE_IF_MATCH, ETAG, etagOf, isMatch, isMatchOf, withEtag } from './preconditions.ts';
export { hashOf, hashOfSession } from './record-hash.ts';
export { type SignedRequest, signedRequestOf } from './signed-request.ts';
export type { VersionedKind } from './versions.store.ts';
export { isWebAddress, isWebReference } from './web-address.ts';
