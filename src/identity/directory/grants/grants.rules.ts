// Granting roles. A grant names an actor, a target and a role. A caller who may not see one of them learns nothing about the others.
import { type Access, findProject } from '../../access/context/index.ts';
import type { Caller, Facts, IdentityTarget } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProjectRow, Reader, RoleRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { findGroup } from '../groups/index.ts';
import { findRole } from '../roles/index.ts';
import { findUser } from '../users/index.ts';
import { giveRole, takeRole } from './give.rules.ts';
import { type Grant, grantedRoles, hasGrant } from './grants.store.ts';

/** A grant without its role: who gets it, and where. */
export type GrantContext = Omit<Grant, 'roleId'>;

/** The grant that a request names: its role, its project or domain exist. The grant itself may not. */
export interface GrantRequest {
  readonly context: GrantContext;
  /** Row of the project or domain; undefined for the system. */
  readonly targetRow: ProjectRow | undefined;
  readonly role: RoleRow;
}

type RoleOnTarget = Pick<GrantRequest, 'role' | 'targetRow'> & { readonly context: Pick<GrantContext, 'target' | 'inherited'> };

export function createGrants({ db, change, access }: Pick<Deps, 'db' | 'change'> & { access: Pick<Access, 'expand'> }) {
  /** What a rule may know of the role that is granted. */
  async function roleFacts(reader: Reader, { id, name, domain_id }: RoleRow): Promise<Facts> {
    const roles = await access.expand(reader, [id]);
    return { roleName: name, roleDomainId: domain_id, givesRoles: roles.map((role) => role.name) };
  }

  async function findTarget({ kind, id }: GrantContext['target']): Promise<ProjectRow | undefined> {
    const row = id === null ? undefined : await findProject(db.read, id);
    return kind === 'domain' && row?.is_domain !== 1 ? undefined : row;
  }

  const findActor = ({ kind, id }: GrantContext['actor']) => (kind === 'user' ? findUser(db.read, id) : findGroup(db.read, id));

  /** The domains are known only when both parts exist. A missing part is treated like one in another domain. */
  async function contextTarget(
    context: GrantContext,
  ): Promise<IdentityTarget<GrantContext> & { readonly targetRow: ProjectRow | undefined }> {
    const { actor, target } = context;
    const [actorRow, targetRow] = await Promise.all([findActor(actor), findTarget(target)]);
    return {
      facts: { domains: actorRow && targetRow ? [actorRow.domain_id, targetRow.domain_id ?? targetRow.id] : [] },
      targetRow,
      get() {
        if (!actorRow) fail(`${actor.kind}.not_found`, { id: actor.id });
        if (target.kind !== 'system' && !targetRow) fail(`${target.kind}.not_found`, { id: target.id ?? '' });
        return context;
      },
    };
  }

  async function target(context: GrantContext, roleId: string): Promise<IdentityTarget<GrantRequest>> {
    const [{ facts, targetRow, get }, role] = await Promise.all([contextTarget(context), findRole(db.read, roleId)]);
    return {
      facts: role ? { ...facts, ...(await roleFacts(db.read, role)) } : { domains: [] },
      get: () => ({ context: get(), targetRow, role: role ?? fail('role.not_found', { id: roleId }) }),
    };
  }

  /**
   * As in Keystone, a role of a domain can be granted on another domain, but not on its projects. What projects inherit from a domain is a
   * grant on them.
   */
  function checkRoleDomain({ role, targetRow, context }: RoleOnTarget): void {
    if (role.domain_id === null) return;
    if (!targetRow) fail('role.domain_role_on_system', { role: role.id });
    if (context.target.kind === 'domain' && !context.inherited) return;
    if (role.domain_id !== (targetRow.domain_id ?? targetRow.id))
      fail('role.wrong_domain', { role: role.id, domain: role.domain_id });
  }

  const grantOf = ({ context, role }: GrantRequest): Grant => ({ ...context, roleId: role.id });

  /** In an existing transaction. The caller of this function has checked who gives the role. */
  async function createIn(transaction: Change, request: GrantRequest): Promise<void> {
    checkRoleDomain(request);
    await failOnBrokenReference(
      () => fail('grant.not_found', { role: request.role.id }),
      () => giveRole(transaction, grantOf(request)),
    );
  }

  return {
    contextTarget,
    target,
    roleFacts,
    checkRoleDomain,
    createIn,

    list: (context: GrantContext): Promise<RoleRow[]> => grantedRoles(db.read, context),

    async check(request: GrantRequest): Promise<void> {
      if (!(await hasGrant(db.read, grantOf(request)))) fail('grant.not_found', { role: request.role.id });
    },

    create: (caller: Caller, request: GrantRequest): Promise<void> =>
      change(caller, (transaction) => createIn(transaction, request)),

    async revoke(caller: Caller, request: GrantRequest): Promise<void> {
      await change(caller, async (transaction) => {
        if (!(await takeRole(transaction, grantOf(request)))) fail('grant.not_found', { role: request.role.id });
      });
    },
  };
}

export type Grants = ReturnType<typeof createGrants>;
