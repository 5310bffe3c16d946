// Lists of users.
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, visibleDomain } from '../../access/rules/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  criteriaOf,
  type Filters,
  foundPage,
  type ListQuery,
  pageOf,
  type SortColumns,
  searchOf,
  single,
  whereEquals,
} from '../../ground/resource/index.ts';
import {
  type ExpiryCriterion,
  type LockCriterion,
  listUsers,
  type MembersOf,
  type ProviderCriterion,
  type UserSort,
} from './users.store.ts';

const filters: Filters = {
  name: { column: 'users.name', kind: 'text' },
  domain_id: { column: 'users.domain_id', kind: 'text' },
  enabled: { column: 'users.enabled', kind: 'flag' },
  default_project_id: { column: 'users.default_project_id', kind: 'text' },
};

/** Case does not matter for the order of names. */
export const userSorts = {
  name: { by: 'name_key' },
  created_at: { by: 'created_at' },
} as const satisfies SortColumns<UserSort['by']>;

const COMPARISONS = { lt: '<', lte: '<=', gt: '>', gte: '>=', eq: '=', neq: '<>' } as const;

/** `password_expires_at=lt:2026-12-08T22:02:00Z` */
function expiryOf(query: Query): ExpiryCriterion | undefined {
  const text = single(query, 'password_expires_at');
  if (text === undefined) return undefined;
  const [, operator, time] = /^(?:(lte?|gte?|eq|neq):)?(.+)$/.exec(text) ?? [];
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at))
    fail('request.bad_value', {
      field: 'password_expires_at',
      why: 'it must be an operator and a time, as in lt:2026-12-08T22:02:00Z',
    });
  return { comparison: COMPARISONS[(operator ?? 'eq') as keyof typeof COMPARISONS], at: Math.floor(at / 1000) };
}

/** Keystone's `idp_id`, `protocol_id` and `unique_id`: people who sign in through a provider. */
function providerOf(query: Query): ProviderCriterion | undefined {
  const [idpId, protocolId, uniqueId] = ['idp_id', 'protocol_id', 'unique_id'].map((name) => single(query, name));
  return [idpId, protocolId, uniqueId].every((one) => one === undefined) ? undefined : { idpId, protocolId, uniqueId };
}

/** The filters of the request, limited to what the caller may see. */
const userListQuery = (caller: Caller, query: Query): ListQuery => ({
  criteria: criteriaOf(query, filters),
  visible: whereEquals('users.domain_id', visibleDomain(caller)),
});

interface ListedPart {
  readonly group?: MembersOf | undefined;
  readonly locked?: LockCriterion | undefined;
}

/** All users, or only the members of one group. Only the list of all can be searched and sorted: indexes serve it. */
export async function pageOfUsers(db: Database, caller: Caller, query: Query, { group, locked }: ListedPart = {}) {
  const within = group === undefined ? searchOf<UserSort['by']>(query, userSorts) : { group };
  return foundPage(
    query,
    await listUsers(db, pageOf(query), userListQuery(caller, query), {
      ...within,
      locked,
      provider: providerOf(query),
      expires: expiryOf(query),
    }),
  );
}
