// The SCIM core that both APIs use.
import { DEFAULT_DOMAIN, type DirectoryGuard, findProject } from '../../../access/context/index.ts';
import { insertOwnedProject } from '../../../directory/grants/index.ts';
import type { Groups } from '../../../directory/groups/index.ts';
import { findByName, type Projects } from '../../../directory/projects/index.ts';
import type { Users } from '../../../directory/users/index.ts';
import type { Change } from '../../../ground/audit/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Deps } from '../../../ground/resource/index.ts';
import { createGroupResources } from './groups.resource.ts';
import { createLists } from './list.ts';
import { createOfferList } from './offers.ts';
import { createOrganizationResources } from './organizations.resource.ts';
import { countOrganizations, countRows, countUsersWithRole } from './scim.store.ts';
import { createUserResources } from './users.resource.ts';

/** The totals that Keyrock reports. */
export interface ResourceTotals {
  readonly totalUsers: number;
  readonly basicUsers: number;
  readonly trialUsers: number;
  readonly communityUsers: number;
  readonly totalCloudOrganizations: number;
  readonly totalUserOrganizations: number;
}

export function createScim(
  deps: Pick<Deps, 'db' | 'clock' | 'log' | 'config'> & {
    readonly users: Users;
    groups: Groups;
    projects: Projects;
    directory: DirectoryGuard;
  },
) {
  const { db, clock, log, config } = deps;

  /** As in Keyrock: every new user owns an organization of their own name, which owns their applications. */
  async function createDefaultOrganization(
    transaction: Change,
    user: { id: string; name: string; domainId: string; hasDefault: boolean },
  ): Promise<void> {
    const name = user.name.trim();
    const taken = await findByName(transaction.tx, name, user.domainId);
    const projectId = await insertOwnedProject(
      transaction,
      clock,
      user.id,
      { name: taken ? user.id : name, ...{ is_default: true } },
      { domainId: user.domainId, parentId: user.domainId },
    );
    if (!user.hasDefault) await deps.users.setDefaultProject(transaction, user.id, projectId);
  }

  const users = createUserResources(deps);
  const groups = createGroupResources(deps);
  const organizations = createOrganizationResources(deps);

  return {
    log,
    config,
    list: createLists(db, deps.directory.refresh),
    users,
    groups,
    organizations,
    listOffers: createOfferList(deps),
    /** Users created through Keyrock's API. */
    keyrockUsers: createUserResources({ ...deps, afterCreate: createDefaultOrganization }),

    async checkDomain(id: string | undefined): Promise<void> {
      if (id !== undefined && !(await findProject(db.read, id))?.is_domain) fail('domain.not_found', { id });
    },

    async totals(): Promise<ResourceTotals> {
      const { cloud, user } = await countOrganizations(db);
      return {
        totalUsers: await countRows(db.read, { table: 'users', domainId: undefined, condition: undefined }),
        basicUsers: await countUsersWithRole(db, 'basic', DEFAULT_DOMAIN),
        trialUsers: await countUsersWithRole(db, 'trial', DEFAULT_DOMAIN),
        communityUsers: await countUsersWithRole(db, 'community', DEFAULT_DOMAIN),
        totalCloudOrganizations: cloud,
        totalUserOrganizations: user,
      };
    },
  };
}

export type Scim = ReturnType<typeof createScim>;
