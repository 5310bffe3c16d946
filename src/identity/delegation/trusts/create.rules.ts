// Creating a trust, or passing on the one of the caller's token.
import { seconds } from '../../../platform/clock.ts';
import type { Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type Access, closureOf } from '../../access/context/index.ts';
import { actorAsVerified, type Caller, type FreshLogin } from '../../access/rules/index.ts';
import { idsOfRoles } from '../../directory/roles/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { TrustRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, extraOf, failOnBrokenReference, readExpiry } from '../../ground/resource/index.ts';
import { redelegationOf } from './redelegation.ts';
import { type CreateTrust, trustFields } from './trusts.schema.ts';
import { chainOf, countTrusts, findTrust, insertTrust, type Trust } from './trusts.store.ts';

type NewTrust = Static<typeof CreateTrust>['trust'];

export interface TrustDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'config'> {
  readonly users: Pick<Users, 'find'>;
  readonly access: Pick<Access, 'inspect' | 'roleGraph'>;
  readonly freshLogin: FreshLogin;
}

/** The trust of the caller's token, which they pass on. */
export const trustOfToken = ({ token: { delegation } }: Caller): string | undefined =>
  delegation?.kind === 'trust' ? delegation.id : undefined;

export function createCreateTrust({ db, clock, change, config, users, access, freshLogin }: TrustDeps) {
  /** The roles of the request. The trustor has all of them in the project, also roles of domains and those that others imply. */
  async function rolesToPassOn(body: NewTrust, giverId: string): Promise<string[]> {
    const { project_id: projectId = null, roles = [] } = body;
    if (projectId !== null && roles.length === 0) fail('trust.no_role');
    const ids = await idsOfRoles(db.read, roles);
    if (projectId === null) return ids.length === 0 ? [] : fail('role.not_found', { id: ids[0]! });
    const { grants } = await access.inspect(giverId, { kind: 'project', id: projectId });
    // A project in which they have no role is as one that does not exist.
    if (grants.length === 0) fail('project.not_found', { id: projectId });
    const { implied } = await access.roleGraph();
    const held = closureOf(
      implied,
      grants.map(({ roleId }) => roleId),
    );
    return [...new Set(ids)].map((id) => (held.has(id) ? id : fail('role.not_found', { id })));
  }

  async function create(caller: Caller, trustorId: string, body: NewTrust): Promise<Trust> {
    const now = seconds(clock);
    const parentId = trustOfToken(caller);
    const parent = parentId === undefined ? undefined : await findTrust(db.read, parentId);
    // With a token of a trust it was the trustee who logged in, also if it names the trustor.
    const login = { userId: parent?.row.trustee_user_id ?? caller.userId, methods: caller.token.methods };
    // A trust lasts longer than the token. A stolen one must not become such a trust.
    await freshLogin.requireRecent(caller, login);
    // It was deleted after the token was checked. As no trust, it would count as one that the trustor makes.
    if (parentId !== undefined && !parent) fail('trust.gives_nothing');
    const chain = parent ? ((await chainOf(db.read, parent.row)) ?? fail('trust.gives_nothing')) : [];
    if (!(await users.find(body.trustee_user_id))) fail('user.not_found', { id: body.trustee_user_id });
    const roleIds = await rolesToPassOn(body, chain.at(-1)?.trustor_user_id ?? trustorId);
    const asked = {
      roleIds,
      projectId: body.project_id ?? null,
      expiresAt: readExpiry(body.expires_at, now),
      remainingUses: body.remaining_uses ?? null,
      impersonation: body.impersonation,
      isRedelegable: body.allow_redelegation === true && body.redelegation_count !== 0,
      count: body.redelegation_count ?? undefined,
    };
    const row: TrustRow = {
      id: newId(),
      trustor_user_id: trustorId,
      trustee_user_id: body.trustee_user_id,
      project_id: asked.projectId,
      impersonation: body.impersonation ? 1 : 0,
      remaining_uses: asked.remainingUses,
      ...redelegationOf(asked, parent, chain, config.maxRedelegationCount),
      extra: JSON.stringify(extraOf(body, trustFields)),
      created_at: now,
      used_up_at: null,
    };
    await change(freshLogin.checkedAgain(actorAsVerified(caller, trustorId), login), async ({ tx, audit }) => {
      if ((await countTrusts(tx, trustorId)) >= config.trustLimit) fail('trust.limit', { limit: config.trustLimit });
      // Somebody deleted the user, the project, a role, or the trust that is passed on.
      await failOnBrokenReference(
        () => fail('trust.gives_nothing'),
        () => insertTrust(tx, row, roleIds),
      );
      audit(
        'trust.created',
        { kind: 'trust', id: row.id },
        {
          user_id: trustorId,
          trustee_user_id: row.trustee_user_id,
          project_id: row.project_id,
          impersonation: body.impersonation,
          ...(parentId === undefined ? {} : { redelegated_trust_id: parentId }),
        },
      );
    });
    return (await findTrust(db.read, row.id)) ?? fail('trust.not_found', { id: row.id });
  }

  return create;
}
