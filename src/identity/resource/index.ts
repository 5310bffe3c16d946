// What every noun of the base API shares: its lists and filters, attributes nobody queries, conflicts, errors.
export { bit, extraOf, mergeExtra, mergeOptions, parsed } from './attributes.ts';
export { unlessMoved, unlessTaken } from './conflicts.ts';
export type { Deps } from './deps.ts';
export { commonHeaders, KeystoneError, keystoneErrors, oauthErrors, REQUEST_ID_HEADER } from './error-format.ts';
export { refuseImmutable } from './immutable.ts';
export {
  applyCriteria,
  type Criterion,
  criteriaOf,
  FILTERED_USERS,
  type Filters,
  filtered,
  LISTED,
  Links,
  ListLinks,
  listOf,
  MAX_PAGE,
  only,
  pageOf,
  readFlag,
  single,
  type Wanted,
  wholeList,
} from './lists.ts';
