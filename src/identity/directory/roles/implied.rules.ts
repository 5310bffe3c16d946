// Implied roles: a user with the prior role also has the implied ones.
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Caller, IdentityTarget } from '../../access/rules/index.ts';
import type { Database, RoleRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { deleteImplication, findRole, type Implication, insertImplication, readImplications, readRoles } from './roles.store.ts';

/** No role may imply this one. */
export const ADMIN = 'admin';

export interface RolePair {
  readonly prior: RoleRow;
  readonly implied: RoleRow;
}

export interface Inference {
  readonly prior: RoleRow;
  readonly implied: readonly RoleRow[];
}

function reaches(links: readonly Implication[], from: string, to: string): boolean {
  const seen = new Set<string>();
  const queue = [from];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    queue.push(...links.filter((link) => link.prior_role_id === id).map((link) => link.implied_role_id));
  }
  return false;
}

/** Locked, so that implications are added one after the other. */
export async function refuseKnownAndCycle(
  db: Database,
  tx: Tx,
  prior: string,
  implied: string,
  known = (): void => fail('resource.duplicate', { kind: 'implied role', field: 'ID', value: implied }),
): Promise<void> {
  await takeAdvisoryLock(db, tx, 'implied roles');
  const links = await readImplications(tx);
  if (links.some((link) => link.prior_role_id === prior && link.implied_role_id === implied)) known();
  if (reaches(links, implied, prior)) fail('role.implied_cycle', { prior, implied });
}

export function createImpliedRoles({ db, change }: Pick<Deps, 'db' | 'change'>) {
  /** The role that implies others. */
  async function priorTarget(id: string): Promise<IdentityTarget<RoleRow>> {
    const prior = await findRole(db.read, id);
    return { facts: {}, get: () => prior ?? fail('role.not_found', { id }) };
  }

  /** Both roles of an implication, whether or not it exists. */
  async function pairTarget(priorId: string, impliedId: string): Promise<IdentityTarget<RolePair>> {
    const [prior, implied] = await Promise.all([findRole(db.read, priorId), findRole(db.read, impliedId)]);
    return {
      facts: {},
      get: () => ({
        prior: prior ?? fail('role.not_found', { id: priorId }),
        implied: implied ?? fail('role.not_found', { id: impliedId }),
      }),
    };
  }

  return {
    priorTarget,
    pairTarget,

    async list(prior: RoleRow): Promise<Inference> {
      const links = (await readImplications(db.read)).filter((link) => link.prior_role_id === prior.id);
      return {
        prior,
        implied: await readRoles(
          db.read,
          links.map((link) => link.implied_role_id),
        ),
      };
    },

    async all(): Promise<Inference[]> {
      const links = await readImplications(db.read);
      const roles = await readRoles(db.read, [...new Set(links.flatMap((link) => [link.prior_role_id, link.implied_role_id]))]);
      const impliedBy = Map.groupBy(links, (link) => link.prior_role_id);
      return roles
        .filter((role) => impliedBy.has(role.id))
        .map((prior) => ({
          prior,
          implied: roles.filter((role) => impliedBy.get(prior.id)!.some((link) => link.implied_role_id === role.id)),
        }));
    },

    /** Fails with 404 when the prior role does not imply the other. */
    async check({ prior: { id: prior }, implied: { id: implied } }: RolePair): Promise<void> {
      const links = await readImplications(db.read);
      if (!links.some((link) => link.prior_role_id === prior && link.implied_role_id === implied))
        fail('role.implied_not_found', { prior, implied });
    },

    async create(caller: Caller, { prior, implied }: RolePair): Promise<void> {
      const [priorId, impliedId] = [prior.id, implied.id];
      if (implied.name === ADMIN) fail('role.implied_admin', { id: impliedId });
      if (prior.domain_id === null && implied.domain_id !== null) fail('role.implied_by_global_role', { id: impliedId });
      await change(caller, async ({ tx, audit, invalidate }) => {
        await refuseKnownAndCycle(db, tx, priorId, impliedId);
        await failOnBrokenReference(
          () => fail('role.not_found', { id: impliedId }),
          () => insertImplication(tx, { prior_role_id: priorId, implied_role_id: impliedId }),
        );
        invalidate(tagOf.everything);
        audit('role.implication_created', { kind: 'role', id: priorId }, { implied_role_id: impliedId });
      });
    },

    async remove(caller: Caller, { prior: { id: priorId }, implied: { id: impliedId } }: RolePair): Promise<void> {
      await change(caller, async ({ tx, audit, invalidate }) => {
        const existed = await deleteImplication(tx, { prior_role_id: priorId, implied_role_id: impliedId });
        if (!existed) fail('role.implied_not_found', { prior: priorId, implied: impliedId });
        invalidate(tagOf.everything);
        audit('role.implication_deleted', { kind: 'role', id: priorId }, { implied_role_id: impliedId });
      });
    },
  };
}

export type ImpliedRoles = ReturnType<typeof createImpliedRoles>;
