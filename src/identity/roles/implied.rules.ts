// Implied roles: whoever holds the prior role holds the implied ones.
import { oneAtATime } from '../../platform/database/index.ts';
import { tagOf } from '../access/index.ts';
import type { Caller } from '../caller.ts';
import { unlessMoved } from '../conflicts.ts';
import type { RoleRow, Tx } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { type Action, permit } from '../policy.ts';
import { deleteImplication, findRole, type Implication, insertImplication, readImplications, readRoles } from './roles.store.ts';

/** No other role may come to mean everything. */
const ADMIN = 'admin';

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

export function createImpliedRoles({ db, change }: Pick<Deps, 'db' | 'change'>) {
  async function pair(
    caller: Caller,
    action: Action,
    priorId: string,
    impliedId: string,
  ): Promise<{ prior: RoleRow; implied: RoleRow }> {
    permit(caller, action);
    const [prior, implied] = await Promise.all([findRole(db.read, priorId), findRole(db.read, impliedId)]);
    return {
      prior: prior ?? fail('role.not_found', { id: priorId }),
      implied: implied ?? fail('role.not_found', { id: impliedId }),
    };
  }

  async function refuseCycle(tx: Tx, prior: string, implied: string): Promise<void> {
    await oneAtATime(db, tx, 'implied roles');
    if (reaches(await readImplications(tx), implied, prior)) fail('role.implied_cycle', { prior, implied });
  }

  return {
    async list(caller: Caller, priorId: string): Promise<Inference> {
      permit(caller, 'identity:list_implied_roles');
      const prior = (await findRole(db.read, priorId)) ?? fail('role.not_found', { id: priorId });
      const links = (await readImplications(db.read)).filter((link) => link.prior_role_id === priorId);
      return {
        prior,
        implied: await readRoles(
          db.read,
          links.map((link) => link.implied_role_id),
        ),
      };
    },

    async all(caller: Caller): Promise<Inference[]> {
      permit(caller, 'identity:list_role_inference_rules');
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

    async get(caller: Caller, priorId: string, impliedId: string) {
      const found = await pair(caller, 'identity:get_implied_role', priorId, impliedId);
      const links = await readImplications(db.read);
      if (!links.some((link) => link.prior_role_id === priorId && link.implied_role_id === impliedId)) {
        fail('role.implied_not_found', { prior: priorId, implied: impliedId });
      }
      return found;
    },

    async create(caller: Caller, priorId: string, impliedId: string) {
      const found = await pair(caller, 'identity:create_implied_role', priorId, impliedId);
      if (found.implied.name === ADMIN) fail('role.implied_admin', { id: impliedId });
      if (found.prior.domain_id === null && found.implied.domain_id !== null)
        fail('role.implied_by_global_role', { id: impliedId });
      await change(caller, async ({ tx, audit, touch }) => {
        await refuseCycle(tx, priorId, impliedId);
        await unlessMoved(
          () => fail('role.not_found', { id: impliedId }),
          () => insertImplication(tx, { prior_role_id: priorId, implied_role_id: impliedId }),
        );
        touch(tagOf.everything);
        audit('role.implication_created', { kind: 'role', id: priorId }, { implied_role_id: impliedId });
      });
      return found;
    },

    async remove(caller: Caller, priorId: string, impliedId: string): Promise<void> {
      await pair(caller, 'identity:delete_implied_role', priorId, impliedId);
      await change(caller, async ({ tx, audit, touch }) => {
        const existed = await deleteImplication(tx, { prior_role_id: priorId, implied_role_id: impliedId });
        if (!existed) fail('role.implied_not_found', { prior: priorId, implied: impliedId });
        touch(tagOf.everything);
        audit('role.implication_deleted', { kind: 'role', id: priorId }, { implied_role_id: impliedId });
      });
    },
  };
}

export type ImpliedRoles = ReturnType<typeof createImpliedRoles>;
