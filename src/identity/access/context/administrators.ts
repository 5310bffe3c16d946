// Who administers the service and its domains, by grants that count: what only a provider gave that may not give it makes nobody an
// administrator (lent-rights.ts).
import type { Reader } from '../../ground/database/index.ts';
import { grantsOfRole, type HeldGrant } from './access.store.ts';
import {
  administratorsWithoutFactor,
  type Holding,
  holdingsOf,
  holdingsOfOthers,
  type ScopeRule,
} from './administrators.store.ts';
import { countGrants } from './lent-rights.ts';

/** More are not asked about. Then it counts as if there were no other administrator. */
const MAX_OTHERS = 500;

/** Roles that make administrators manage others by their names; `countGrants` need not be told more. */
const anyCounts = async (reader: Reader, userId: string, grants: readonly HeldGrant[]): Promise<boolean> =>
  grants.length > 0 && (await countGrants(reader, userId, grants, () => ['admin'])).counted.length > 0;

/** Whether somebody has the role `admin` on any target. No role implies it. */
export const isAdministratorAnywhere = async (reader: Reader, userId: string): Promise<boolean> =>
  anyCounts(reader, userId, await grantsOfRole(reader, userId, 'admin'));

async function anybodyCounts(reader: Reader, holdings: readonly Holding[]): Promise<boolean> {
  for (const [userId, theirs] of Map.groupBy(holdings, (holding) => holding.userId))
    if (
      await anyCounts(
        reader,
        userId,
        theirs.map(({ grant }) => grant),
      )
    )
      return true;
  return false;
}

const hasOther = async (reader: Reader, userId: string | undefined, domainId: string | null, rule: ScopeRule): Promise<boolean> =>
  anybodyCounts(reader, await holdingsOfOthers(reader, { userId, domainId, limit: MAX_OTHERS }, rule));

/** Whether an enabled user administers the service. */
export const hasAdministrator = (reader: Reader, rule: ScopeRule): Promise<boolean> => hasOther(reader, undefined, null, rule);

export interface AdministratorTarget {
  /** A domain; null for the service. */
  readonly domainId: string | null;
}

/** What the user administers and no other enabled user does. */
export async function administeredAlone(reader: Reader, userId: string, rule: ScopeRule): Promise<AdministratorTarget[]> {
  const alone: AdministratorTarget[] = [];
  for (const [domainId, own] of Map.groupBy(await holdingsOf(reader, userId, rule), (holding) => holding.domainId))
    if ((await anybodyCounts(reader, own)) && !(await hasOther(reader, userId, domainId, rule))) alone.push({ domainId });
  return alone;
}

/** Administrators who sign in with a password alone. */
export async function unprotectedAdministrators(reader: Reader, limit: number): Promise<{ id: string; name: string }[]> {
  const found: { id: string; name: string }[] = [];
  for (const { id, name, is_linked } of await administratorsWithoutFactor(reader, limit + MAX_OTHERS)) {
    if (found.length === limit) break;
    if (!is_linked || (await isAdministratorAnywhere(reader, id))) found.push({ id, name });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
