// The scopes a user has a role in: projects, domains, the system.
import { seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { criteriaOf, type Deps, type Filters, foundPage, pageOf } from '../../ground/resource/index.ts';
import { listProjects } from '../projects/index.ts';
import { findUser, userFacts } from '../users/index.ts';
import { hasSystemRole, reachableDomains, reachableProjects, readReachableProjects, usableProjects } from './grants.store.ts';

const filters: Filters = {
  name: { column: 'projects.name', kind: 'text' },
  domain_id: { column: 'projects.domain_id', kind: 'text' },
  enabled: { column: 'projects.enabled', kind: 'flag' },
};

export function createUserScopes({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  const now = (): number => seconds(clock);

  async function list(query: Query, within: ReturnType<typeof reachableProjects>) {
    return foundPage(
      query,
      await listProjects(db, pageOf(query), { criteria: criteriaOf(query, filters), visible: [] }, { within }),
    );
  }

  return {
    userTarget: async (id: string): Promise<IdentityTarget<{ readonly id: string }>> =>
      targetOf(await findUser(db.read, id), userFacts, () => fail('user.not_found', { id })),
    projectsOf: ({ id }: { readonly id: string }, query: Query) => list(query, reachableProjects(id, now())),
    /** All at once, for the user themselves. */
    everyProjectOf: (userId: string): Promise<ProjectRow[]> => readReachableProjects(db.read, userId, now()),
    /** The scopes a token of the caller can have: only enabled ones. */
    ownProjects: (caller: Caller, query: Query) => list(query, usableProjects(caller.userId, now())),
    ownDomains: (caller: Caller, query: Query) => list({ ...query, enabled: 'true' }, reachableDomains(caller.userId, now())),
    ownSystem: (caller: Caller): Promise<boolean> => hasSystemRole(db.read, caller.userId, now()),
  };
}

export type UserScopes = ReturnType<typeof createUserScopes>;
